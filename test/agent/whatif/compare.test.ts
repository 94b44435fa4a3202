import { describe, expect, it } from 'vitest';
import { isDiskShort, isSameLook, NOTHING_COMPARED, withLooks } from '../../../agent/whatif/compare.ts';
import type { ReplayedEviction, ReplayedLook } from '../../../agent/whatif/replay.ts';

const WEB: ReplayedEviction = {
  namespace: 'shop',
  name: 'web',
  uid: 'u1',
  signal: 'memory.available',
  type: 'hard',
  gracePeriodSeconds: 1,
};
const MET = { signal: 'memory.available', type: 'hard', value: { quantity: 5n } } as const;

function look(parts: Partial<ReplayedLook> = {}): ReplayedLook {
  return { atMs: 1, conditions: ['MemoryPressure'], thresholdsMet: [MET], evict: WEB, ...parts };
}

describe('two looks', () => {
  it('that lead to the same are the same, at whatever time', () => {
    expect(isSameLook(look(), look({ atMs: 2, evict: { ...WEB }, thresholdsMet: [{ ...MET }] }))).toBe(true);
    expect(isSameLook(look({ evict: null }), look({ evict: null }))).toBe(true);
  });

  it.each<[string, Partial<ReplayedLook>]>([
    ['a condition more', { conditions: ['DiskPressure', 'MemoryPressure'] }],
    ['another condition', { conditions: ['DiskPressure'] }],
    ['no condition', { conditions: [] }],
    ['a threshold more', { thresholdsMet: [MET, MET] }],
    ['no threshold', { thresholdsMet: [] }],
    ['another signal', { thresholdsMet: [{ ...MET, signal: 'pid.available' }] }],
    ['another type', { thresholdsMet: [{ ...MET, type: 'soft' }] }],
    ['another amount', { thresholdsMet: [{ ...MET, value: { quantity: 6n } }] }],
    ['a share for an amount', { thresholdsMet: [{ ...MET, value: { percentage: 0.1 } }] }],
    ['no eviction', { evict: null }],
    ['an eviction more', { alsoEvict: [WEB] }],
    ['an eviction of another namespace', { evict: { ...WEB, namespace: 'x' } }],
    ['an eviction of another name', { evict: { ...WEB, name: 'x' } }],
    ['an eviction of another UID', { evict: { ...WEB, uid: null } }],
    ['an eviction for another signal', { evict: { ...WEB, signal: 'pid.available' } }],
    ['an eviction of another type', { evict: { ...WEB, type: 'soft' } }],
    ['an eviction with another grace', { evict: { ...WEB, gracePeriodSeconds: 2 } }],
  ])('are not the same with %s', (_, parts) => {
    expect(isSameLook(look(), look(parts))).toBe(false);
    expect(isSameLook(look(parts), look())).toBe(false);
  });

  it.each([
    [0.1, 0.1, true],
    [0.1, 0.2, false],
  ])('with shares %d and %d', (a, b, same) => {
    const of = (percentage: number): ReplayedLook =>
      look({ thresholdsMet: [{ ...MET, value: { percentage } }] });
    expect(isSameLook(of(a), of(b))).toBe(same);
  });
});

it('counts observations, where they part, and evictions on both sides', () => {
  const none = look({ evict: null });
  const three = look({ alsoEvict: [WEB, WEB] });
  const summary = [[look(), look()] as const, [none, three] as const, [look(), none] as const].reduce(
    (before, [a, b]) => withLooks(before, a, b),
    NOTHING_COMPARED,
  );
  expect(summary).toEqual({ observations: 3, differing: 2, evictionsA: 2, evictionsB: 4 });
});

it.each([
  ['memory.available', false],
  ['pid.available', false],
  ['nodefs.available', true],
  ['imagefs.inodesFree', true],
] as const)('%s is a disk: %s', (signal, isDisk) => {
  expect(isDiskShort(look({ thresholdsMet: [MET, { ...MET, signal }] }))).toBe(isDisk);
});
