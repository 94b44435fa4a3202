import { describe, expect, it } from 'vitest';
import { alwaysMetWarnings } from '../../../agent/decide/always-met.ts';
import type { Amount, Signal, Threshold } from '../../../config/signal.ts';

const GI = 1n << 30n;
const CAPACITIES = new Map<Signal, bigint>([
  ['memory.available', 2n * GI],
  ['pid.available', 1000n],
]);

function threshold(signal: Signal, type: 'hard' | 'soft', value: Amount): Threshold {
  const id = `${signal} ${type}`;
  return { id, signal, type, value, gracePeriodMs: 0, minReclaim: null, derived: false };
}

const warned = (...thresholds: readonly Threshold[]): readonly unknown[] =>
  alwaysMetWarnings(thresholds, (signal) => CAPACITIES.get(signal));

describe('thresholds that are always met', () => {
  it.each<[string, Signal, Amount]>([
    ['a quantity just below the capacity', 'memory.available', { quantity: 2n * GI - 1n }],
    ['a share, which is below 100% always', 'memory.available', { percentage: 0.9999 }],
    ['a quantity of a signal whose capacity is not known', 'nodefs.available', { quantity: 1n << 60n }],
  ])('are not those with %s', (_, signal, value) => {
    expect(warned(threshold(signal, 'hard', value))).toEqual([]);
  });

  it('are those with a quantity of just the capacity and more, each by its type', () => {
    const ending = 'it is always met, and every pod that may be evicted would go; write a smaller one';
    expect(
      warned(
        threshold('memory.available', 'hard', { quantity: 2n * GI }),
        threshold('memory.available', 'soft', { quantity: 64n * GI }),
        threshold('pid.available', 'hard', { quantity: 1001n }),
      ),
    ).toEqual(
      [
        `the hard threshold of memory.available is 2Gi, and its capacity is 2Gi: ${ending}`,
        `the soft threshold of memory.available is 64Gi, and its capacity is 2Gi: ${ending}`,
        `the hard threshold of pid.available is 1001, and its capacity is 1000: ${ending}`,
      ].map((message) => ({ code: 'threshold-always-met', message, cgroup: null, pod: null })),
    );
  });
});
