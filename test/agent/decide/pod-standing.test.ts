import { describe, expect, it } from 'vitest';
import { GroupTree } from '../../../agent/decide/group-tree.ts';
import {
  missingGroups,
  rankingPriority,
  standingThatCounts,
  withStanding,
} from '../../../agent/decide/pod-standing.ts';
import type { CompositePodGroup, PodGroup } from '../../../agent/model/cluster.ts';
import type { Pod } from '../../../agent/model/pod.ts';
import { podOf } from '../../fakes/pods.ts';
import { memoryPod, rankOf } from '../../fakes/ranking.ts';

const WORKERS: PodGroup = {
  kind: 'PodGroup',
  namespace: 'ml',
  name: 'workers',
  parent: 'job',
  priority: 5,
  hasTopologyConstraint: false,
};
const LONE: PodGroup = { ...WORKERS, name: 'lone', parent: 'gone', priority: 6 };
const NUMBERLESS: PodGroup = {
  kind: 'PodGroup',
  namespace: 'ml',
  name: 'numberless',
  hasTopologyConstraint: false,
};
const JOB: CompositePodGroup = {
  kind: 'CompositePodGroup',
  namespace: 'ml',
  name: 'job',
  priority: 100,
  hasTopologyConstraint: false,
};
const TREE = new GroupTree({ podGroups: [WORKERS, LONE, NUMBERLESS], compositePodGroups: [JOB] });

function member(podGroupName: string | undefined, priority?: number, namespace = 'ml'): Pod {
  const pod = podOf({ name: 'a', metadata: { namespace, uid: 'a' } });
  return {
    ...pod,
    ...(podGroupName === undefined ? {} : { podGroupName }),
    ...(priority === undefined ? {} : { priority }),
  };
}

describe('what its groups make of a pod', () => {
  it.each<[string, Pod, Pod['group']]>([
    [
      'vW5: the priority of the root, with the names of both',
      member('workers', 1),
      { name: 'ml/workers', root: 'ml/job', priority: 100 },
    ],
    [
      'its own group is the root where the one above is missing',
      member('lone', 1),
      { name: 'ml/lone', root: 'ml/lone', priority: 6 },
    ],
    [
      'a group without a number is of 0',
      member('numberless', 9),
      { name: 'ml/numberless', root: 'ml/numberless', priority: 0 },
    ],
    ['nothing in no group', member(undefined, 3), undefined],
    ['nothing in a group that is missing', member('other', 3), undefined],
    ['nothing in a group of another namespace', member('workers', 3, 'web'), undefined],
  ])('is %s', (_what, pod, group) => {
    const standing = withStanding(pod, TREE);
    expect(standing.group).toEqual(group);
    expect(standing === pod).toBe(group === undefined);
  });
});

describe('the priority that a ranking goes by', () => {
  const pod = withStanding(member('workers', 1), TREE);
  it.each([
    ['count', 'nodeqos', 100],
    ['count', 'kubelet', 1],
    ['ignore', 'nodeqos', 1],
    ['ignore', 'kubelet', 1],
  ] as const)('of a pod in a group, groups %s, rules of %s', (groups, compat, priority) => {
    expect(rankingPriority(pod, { groups, compat })).toBe(priority);
    expect(standingThatCounts(pod, { groups, compat }) !== undefined).toBe(priority === 100);
  });
  it('is its own in none, and 0 where it has none', () => {
    expect(rankingPriority(member(undefined, 4), { groups: 'count', compat: 'nodeqos' })).toBe(4);
    expect(rankingPriority(member(undefined), { groups: 'count', compat: 'nodeqos' })).toBe(0);
  });
});

describe('groups that are missing', () => {
  const COUNT = { groups: 'count', compat: 'nodeqos' } as const;
  const told = (pods: readonly Pod[], rules: Parameters<typeof missingGroups>[1] = COUNT) =>
    missingGroups(pods, rules).map(({ code, message }) => [code, message]);
  it('are told of, each once', () => {
    expect(told([member('x')])).toEqual([
      [
        'group-not-known',
        '1 pod is in groups that are not among the objects beside the pods (ml/x), so that their own priority counts; add the PodGroup objects',
      ],
    ]);
    expect(told([member('b'), member('a'), member('b')])[0]?.[1]).toContain(
      '3 pods are in groups that are not among the objects beside the pods (ml/a, ml/b), so',
    );
  });
  it('are named up to five', () => {
    const pods = ['g', 'f', 'e', 'd', 'c', 'b', 'a'].map((name) => member(name));
    expect(told(pods)[0]?.[1]).toContain('(ml/a, ml/b, ml/c, ml/d, ml/e and 2 more)');
    expect(told(pods.slice(2))[0]?.[1]).toContain('(ml/a, ml/b, ml/c, ml/d, ml/e)');
  });
  it('are not told of where none is missing, or groups do not count', () => {
    expect(told([withStanding(member('workers'), TREE), member(undefined)])).toEqual([]);
    expect(told([member('x')], { ...COUNT, groups: 'ignore' })).toEqual([]);
    expect(told([member('x')], { ...COUNT, compat: 'kubelet' })).toEqual([]);
  });
});

describe('a ranking of pods in groups', () => {
  const group = { name: 'ml/workers', root: 'ml/job', priority: 100 };
  const pods = [
    memoryPod('low', 50, { priority: 1, group }),
    memoryPod('mid', 40, { priority: 50 }),
    memoryPod('high', 30, { priority: 200, group: { ...group, root: 'ml/workers', priority: 10 } }),
  ];
  const order = (groups: 'ignore' | 'count', compat: 'nodeqos' | 'kubelet' = 'nodeqos') =>
    rankOf(pods, 'memory.available', { groups, compat });
  it('goes by the priority of the group where groups count, and names group and own priority', () => {
    expect(
      order('count').map(({ name, priority, group, ownPriority }) => [name, priority, group, ownPriority]),
    ).toEqual([
      ['high', 10, 'ml/workers', 200],
      ['mid', 50, undefined, undefined],
      ['low', 100, 'ml/workers', 1],
    ]);
    expect(order('count').map(({ why }) => why)).toEqual([
      'uses 30Mi, all of it over, since it requests none; priority 10 of its group ml/workers (its own is 200); first to go',
      'uses 40Mi, all of it over, since it requests none; priority 50; second to go',
      'uses 50Mi, all of it over, since it requests none; priority 100 of its group ml/job (its own is 1); third to go',
    ]);
  });
  it.each([
    ['ignore', 'nodeqos'],
    ['count', 'kubelet'],
  ] as const)(
    'goes by their own where groups %s, rules of %s, and says nothing of groups',
    (groups, compat) => {
      expect(order(groups, compat).map(({ name }) => name)).toEqual(['low', 'mid', 'high']);
      expect(order(groups, compat).some((entry) => 'group' in entry || 'ownPriority' in entry)).toBe(false);
    },
  );
});
