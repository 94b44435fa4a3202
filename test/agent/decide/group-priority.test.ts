import { expect, it } from 'vitest';
import { resolvedGroup } from '../../../agent/decide/group-priority.ts';
import type { PodGroup } from '../../../agent/model/cluster.ts';

const group = (stated: Partial<PodGroup>): PodGroup => ({
  kind: 'PodGroup',
  namespace: 'shop',
  name: 'job',
  hasTopologyConstraint: false,
  ...stated,
});
const CLASSES = [
  { name: 'usual', value: 100, globalDefault: true },
  { name: 'high', value: 5, globalDefault: false },
];
const told = (stated: Partial<PodGroup>, classes = CLASSES) => {
  const { value, warnings } = resolvedGroup(group(stated), classes);
  return [value.priority, value.priorityClassName, warnings.map(({ code, message }) => [code, message])];
};

it('a group that states no priority has that of the global default, which is said', () => {
  expect(told({})).toEqual([
    100,
    'usual',
    [
      [
        'priority-by-default',
        'PodGroup shop/job: it states no priority, so that of the global default counts (100, PriorityClass usual), as admission gives it',
      ],
    ],
  ]);
});

it.each<readonly [string, Partial<PodGroup>, typeof CLASSES, readonly unknown[]]>([
  ['of its class', { priorityClassName: 'high' }, CLASSES, [5, 'high', []]],
  ['as it states it', { priority: 7 }, CLASSES, [7, undefined, []]],
  ['of 0 where there is no global default', {}, CLASSES.slice(1), [0, undefined, []]],
  ['of the most that there is', { priority: 1_000_000_000 }, [], [1_000_000_000, undefined, []]],
])('the priority %s needs no word', (_, stated, classes, expected) => {
  expect(told(stated, classes)).toEqual(expected);
});

it('a priority that the API takes for no group counts, which is said', () => {
  expect(told({ priority: 1_000_000_001 })).toEqual([
    1_000_000_001,
    undefined,
    [
      [
        'group-priority-too-high',
        'PodGroup shop/job: its priority is 1000000001, and the API takes no more than 1000000000 for a group; it counts as it is stated',
      ],
    ],
  ]);
});

it('a class that is not there is said', () => {
  expect(told({ priorityClassName: 'low' })).toEqual([
    undefined,
    'low',
    [
      [
        'priority-not-admitted',
        'PodGroup shop/job: the API would not admit it, for there is no PriorityClass low; the plan goes by what it states',
      ],
    ],
  ]);
});
