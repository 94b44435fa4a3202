import { describe, expect, it } from 'vitest';
import { nodeStatus } from '../../../agent/decide/node-status.ts';
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
