import { describe, expect, it } from 'vitest';
import { nodeStatus, withAgentMemory } from '../../../agent/decide/node-status.ts';
import type { AgentMemory, RememberedThreshold } from '../../../agent/model/agent-view.ts';
import type { Readings } from '../../../agent/model/node.ts';
import type { Threshold } from '../../../config/signal.ts';

const READINGS: Readings = new Map([
  ['pid.available', { available: 5n, capacity: 10n, source: 'p', atMs: 3 }],
  ['memory.available', { available: 50n, capacity: 100n, source: 'm' }],
]);
const base: Threshold = {
  id: 'a',
  signal: 'memory.available',
  type: 'hard',
  value: { quantity: 10n },
  gracePeriodMs: 0,
  minReclaim: null,
  derived: false,
};

describe('the status of a node', () => {
  it('has signals by name and thresholds as they come', () => {
    const thresholds: readonly Threshold[] = [
      base,
      { ...base, id: 'b', type: 'soft', value: { percentage: 0.75 }, gracePeriodMs: 1000 },
      { ...base, id: 'c', signal: 'pid.available', value: { quantity: 6n } },
      { ...base, id: 'd', signal: 'nodefs.available' },
    ];
    const psi = { some: { avg10: 1, avg60: 2, avg300: 3, totalUs: 4n } };
    expect(nodeStatus(READINGS, thresholds, { psi, memAvailableBytes: 70n })).toEqual({
      signals: [
        { signal: 'memory.available', available: 50n, capacity: 100n, source: 'm' },
        { signal: 'pid.available', available: 5n, capacity: 10n, source: 'p' },
      ],
      thresholds: [
        {
          signal: 'memory.available',
          type: 'hard',
          value: { quantity: 10n },
          met: false,
          metSinceMs: null,
          inGrace: false,
        },
        { signal: 'memory.available', type: 'soft', value: { percentage: 0.75 }, met: true, inGrace: true },
        { signal: 'pid.available', type: 'hard', value: { quantity: 6n }, met: true, inGrace: false },
        {
          signal: 'nodefs.available',
          type: 'hard',
          value: { quantity: 10n },
          met: false,
          metSinceMs: null,
          inGrace: false,
        },
      ],
      conditions: ['MemoryPressure', 'PIDPressure'],
      taints: [
        { key: 'node.kubernetes.io/memory-pressure', value: '', effect: 'NoSchedule' },
        { key: 'node.kubernetes.io/pid-pressure', value: '', effect: 'NoSchedule' },
      ],
      psi,
      memAvailableBytes: 70n,
      agent: null,
    });
  });
  it('says of a machine without pressure information that there is none, and nothing where nobody looked', () => {
    expect(nodeStatus(new Map(), [], { psi: null })).toEqual({
      signals: [],
      thresholds: [],
      conditions: [],
      taints: [],
      psi: null,
      agent: null,
    });
    expect(nodeStatus(new Map(), [], {})).not.toHaveProperty('psi');
  });
});

describe('the status of a node with the memory of its agent', () => {
  const view = { pid: 7, mode: 'enforce' } as const;
  const thresholds: readonly Threshold[] = [
    { ...base, value: { quantity: 60n } },
    { ...base, type: 'soft', value: { percentage: 0.75 }, gracePeriodMs: 1000 },
    base,
  ];
  const seen = nodeStatus(READINGS, thresholds, {});
  const remembered = (parts: Partial<RememberedThreshold>): RememberedThreshold => ({
    signal: 'memory.available',
    type: 'hard',
    value: { quantity: 60 },
    metSinceMs: 1000,
    inGrace: false,
    ...parts,
  });
  const memory = (...own: readonly RememberedThreshold[]): AgentMemory => ({
    view,
    conditions: ['DiskPressure'],
    thresholds: own,
  });

  it('has the conditions as the agent holds them, the taints that follow, and the agent', () => {
    expect(withAgentMemory(seen, memory())).toEqual({
      ...seen,
      conditions: ['DiskPressure'],
      taints: [{ key: 'node.kubernetes.io/disk-pressure', value: '', effect: 'NoSchedule' }],
      agent: view,
    });
  });
  it('has the time since when thresholds are met, and whether their grace lasts', () => {
    const own = [
      remembered({}),
      remembered({ type: 'soft', value: { percentage: 0.75 }, metSinceMs: 2000, inGrace: false }),
      remembered({ value: { quantity: 10 } }),
    ];
    const [hard, soft, unmet] = seen.thresholds;
    expect(withAgentMemory(seen, memory(...own)).thresholds).toEqual([
      { ...hard, metSinceMs: 1000 },
      { ...soft, metSinceMs: 2000, inGrace: false },
      unmet,
    ]);
  });
  it.each([
    ['another signal', { signal: 'pid.available' }],
    ['another type', { type: 'soft' }],
    ['another amount', { value: { quantity: 61 } }],
    ['a share instead of an amount', { value: { percentage: 60 } }],
    ['a threshold that the agent does not see met', { metSinceMs: null }],
  ] as const)('takes nothing from %s', (_, parts) => {
    expect(withAgentMemory(seen, memory(remembered(parts))).thresholds).toEqual(seen.thresholds);
  });
  it.each([
    ['another share', { percentage: 0.5 }],
    ['an amount instead of a share', { quantity: 0.75 }],
  ] as const)('takes nothing for a share from %s', (_, value) => {
    const own = memory(remembered({ type: 'soft', value }));
    expect(withAgentMemory(seen, own).thresholds).toEqual(seen.thresholds);
  });
});
