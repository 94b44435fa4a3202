import { expect, it } from 'vitest';
import { unlistedSums } from '../../../agent/decide/held-sums.ts';
import { cgroupLayout } from '../../../cgroup/paths.ts';

const LAYOUT = cgroupLayout('cgroupfs', '/');
const TIERED = { memoryReservationPolicy: 'TieredReservation' } as const;

it('holds the sums while pods are not listed, and says so', () => {
  expect(unlistedSums('2 pods are not listed', TIERED, LAYOUT)).toEqual({
    unlisted:
      '2 pods are not listed; meanwhile no memory.min or memory.low of kubepods and its tiers is lowered',
    notLowered: new Set(['kubepods/memory.min', 'kubepods/memory.low', 'kubepods/burstable/memory.low']),
  });
});

it('holds nothing where every pod is listed, and nothing where no value is a sum', () => {
  expect(unlistedSums(undefined, TIERED, LAYOUT)).toEqual({ unlisted: undefined });
  expect(unlistedSums('one', { memoryReservationPolicy: 'None' }, LAYOUT)).toEqual({ unlisted: 'one' });
});
