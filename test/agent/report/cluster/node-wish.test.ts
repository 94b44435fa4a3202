import { describe, expect, it } from 'vitest';
import type { TickRecord } from '../../../../agent/model/tick.ts';
import { conditionPatch, taintPatch } from '../../../../agent/report/cluster/node-patches.ts';
import {
  isSameWish,
  NOTHING,
  nodeWish,
  type UnseenSince,
} from '../../../../agent/report/cluster/node-wish.ts';
import type { NodeCondition } from '../../../../config/signal.ts';
import { MEMORY_HARD, NODEFS_SOFT, tickRecord } from '../../../fakes/tick-records.ts';

function record(
  atMs: number,
  met: { readonly memory?: boolean | undefined; readonly disk?: boolean },
  conditions: readonly NodeCondition[] = [],
): TickRecord {
  const base = tickRecord({ atMs });
  const status = (threshold: typeof MEMORY_HARD, is: boolean | undefined) =>
    ({ threshold, met: is, metSinceMs: undefined, inGrace: false }) as const;
  const thresholds = [
    ...('memory' in met ? [status(MEMORY_HARD, met.memory)] : []),
    ...('disk' in met ? [status(NODEFS_SOFT, met.disk)] : []),
  ];
  return { ...base, decision: { ...base.decision, thresholds, conditions } };
}

const NOTHING_UNSEEN: UnseenSince = new Map();

describe('what the Node should say', () => {
  it('is how the conditions stand that thresholds are watched for', () => {
    const { wish } = nodeWish(record(0, { memory: true, disk: false }, ['MemoryPressure']), NOTHING_UNSEEN);
    expect([...wish]).toEqual([
      ['DiskPressure', 'False'],
      ['MemoryPressure', 'True'],
    ]);
  });

  it('is a condition also while only its transition period keeps it', () => {
    const { wish } = nodeWish(record(0, { memory: false }, ['MemoryPressure']), NOTHING_UNSEEN);
    expect([...wish]).toEqual([['MemoryPressure', 'True']]);
  });

  it('is Unknown 30 s after the last number of a condition, and not a moment sooner', () => {
    const first = nodeWish(record(1000, { memory: undefined, disk: false }), NOTHING_UNSEEN);
    expect([...first.unseen]).toEqual([['MemoryPressure', 1000]]);
    const before = nodeWish(record(30_999, { memory: undefined, disk: false }), first.unseen);
    expect(before.wish.get('MemoryPressure')).toBe('False');
    const then = nodeWish(record(31_000, { memory: undefined, disk: false }), before.unseen);
    expect(then.wish.get('MemoryPressure')).toBe('Unknown');
    expect(then.wish.get('DiskPressure')).toBe('False');
    const again = nodeWish(record(32_000, { memory: false, disk: false }), then.unseen);
    expect([...again.unseen]).toEqual([]);
    expect(again.wish.get('MemoryPressure')).toBe('False');
  });

  it('is nothing where evictions are off', () => {
    const one = record(0, { memory: true }, ['MemoryPressure']);
    const off = nodeWish({ ...one, agent: { ...one.agent, evictions: 'off' } }, NOTHING_UNSEEN);
    expect([...off.wish]).toEqual([]);
    expect(isSameWish(off.wish, NOTHING)).toBe(true);
    expect(isSameWish(new Map([['PIDPressure', 'False']]), NOTHING)).toBe(false);
  });
});

describe('what is changed of a Node', () => {
  const taint = { key: 'nodeqos.dev/memory-pressure', effect: 'NoSchedule' };
  const noExecute = { ...taint, effect: 'NoExecute' };

  it('is no taint where nobody can tell how the node stands', () => {
    const unknown = new Map([['MemoryPressure', 'Unknown']] as const);
    expect(taintPatch({ spec: { taints: [taint] } }, unknown)).toBeUndefined();
    expect(taintPatch({}, unknown)).toBeUndefined();
  });

  it('is no taint of the same key with another effect, which somebody else has put there', () => {
    const over = new Map([['MemoryPressure', 'False']] as const);
    expect(taintPatch({ spec: { taints: [noExecute] } }, over)).toBeUndefined();
    expect(
      taintPatch({ metadata: { resourceVersion: '7' }, spec: { taints: [taint, noExecute] } }, over),
    ).toEqual({ metadata: { resourceVersion: '7' }, spec: { taints: [noExecute] } });
  });

  it.each([
    ['has no time', undefined],
    ['has a time that is none', 'soon'],
    ['is of the future', '2026-03-04T06:00:00Z'],
    ['is five minutes old', '2026-03-04T05:00:00Z'],
  ])('is a condition whose last sign of life %s', (_, lastHeartbeatTime) => {
    const now = Date.UTC(2026, 2, 4, 5, 5, 0);
    const wish = new Map([['PIDPressure', 'False']] as const);
    const words = {
      reason: 'NoEvictionThresholdMet',
      message: 'no eviction threshold of process IDs is met',
    };
    const condition = { type: 'nodeqos.dev/PIDPressure', status: 'False', ...words };
    const fresh = { ...condition, lastHeartbeatTime: '2026-03-04T05:00:01Z' };
    expect(conditionPatch({ status: { conditions: [fresh] } }, wish, now)).toBeUndefined();
    const times = lastHeartbeatTime === undefined ? {} : { lastHeartbeatTime };
    const old = { ...condition, ...times, lastTransitionTime: '2026-03-04T04:00:00Z' };
    expect(conditionPatch({ status: { conditions: [old] } }, wish, now)).toEqual({
      status: {
        conditions: [
          {
            ...condition,
            lastHeartbeatTime: '2026-03-04T05:05:00Z',
            lastTransitionTime: '2026-03-04T04:00:00Z',
          },
        ],
      },
    });
  });
});
