import { describe, expect, it } from 'vitest';
import { groupVerdict } from '../../../../agent/whatif/group/group-verdict.ts';

describe('what a cycle comes to for a group', () => {
  it.each([
    [
      'vF1: while enough children are still to be tried it waits, whatever one cannot be helped',
      [2, 0, 2, 0],
      'wait',
    ],
    ['vF2: where nothing could help enough children there is no preemption', [2, 1, 0, 0], 'unresolvable'],
    ['vF3: where the end of others might help enough of them there is', [2, 0, 1, 1], 'unschedulable'],
    ['vF4: enough are scheduled', [2, 2, 0, 0], 'success'],
    ['more than enough are scheduled', [2, 3, 1, 1], 'success'],
    ['one is scheduled and one still to be tried', [2, 1, 1, 0], 'wait'],
    ['one is scheduled and one might be helped', [2, 1, 0, 1], 'unschedulable'],
    ['nothing is there', [1, 0, 0, 0], 'unresolvable'],
    ['all three kinds together are one too few', [4, 1, 1, 1], 'unresolvable'],
    ['all three kinds together are just enough', [3, 1, 1, 1], 'unschedulable'],
  ])('%s', (_, [minimum = 0, scheduled = 0, remaining = 0, unschedulable = 0], verdict) => {
    expect(groupVerdict({ minimum, scheduled, remaining, unschedulable })).toBe(verdict);
  });
});
