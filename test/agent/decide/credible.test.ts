import { describe, expect, it } from 'vitest';
import { credibleReadings } from '../../../agent/decide/credible.ts';
import type { Readings } from '../../../agent/model/node.ts';
import type { Signal } from '../../../config/signal.ts';

const GI = 1n << 30n;
const readings = (...signals: readonly [Signal, bigint, bigint][]): Readings =>
  new Map(
    signals.map(([signal, available, capacity]) => [signal, { available, capacity, source: 'a test' }]),
  );

describe('readings that can be right', () => {
  it.each<[string, bigint]>([
    ['nothing is in use', 2n * GI],
    ['all is in use', 0n],
    ['more than there is is in use', -GI],
    ['just twice the capacity is in use', -2n * GI],
  ])('are all of them where %s', (_, available) => {
    const seen = readings(['memory.available', available, 2n * GI]);
    expect(credibleReadings(seen)).toEqual({ readings: seen, lacks: [] });
  });

  it('are not those by which more than twice the capacity is in use', () => {
    const seen = readings(
      ['memory.available', -2n * GI - 1n, 2n * GI],
      ['nodefs.available', GI, 2n * GI],
      ['pid.available', -101n, 100n],
    );
    const { readings: left, lacks } = credibleReadings(seen);
    expect([...left]).toEqual([...readings(['nodefs.available', GI, 2n * GI])]);
    expect(lacks).toEqual([
      'memory.available is not observed: more than twice its capacity of 2Gi would be in use, which cannot be right',
      'pid.available is not observed: more than twice its capacity of 100 would be in use, which cannot be right',
    ]);
  });
});
