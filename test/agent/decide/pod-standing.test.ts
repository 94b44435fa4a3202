import { describe, expect, it } from 'vitest';
import { GroupTree } from '../../../agent/decide/group-tree.ts';
import {
  rankingPriority,
  standingThatCounts,
  standingWarnings,
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
  const told = (pods: readonly Pod[], rules: Parameters<typeof standingWarnings>[1] = COUNT) =>
    standingWarnings(pods, rules).map(({ code, message }) => [code, message]);
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

describe('hierarchies without a root', () => {
  const chain = (levels: number, top?: string): GroupTree => {
    const names = Array.from({ length: levels - 1 }, (_, level) => `c${level}`);
    const composite = (name: string, level: number): CompositePodGroup => {
      const parent = names[level + 1] ?? top;
      return {
        kind: 'CompositePodGroup',
        namespace: 'ml',
        name,
        priority: 10 * (level + 1),
        hasTopologyConstraint: false,
        ...(parent === undefined ? {} : { parent }),
      };
    };
    const leaf: PodGroup = { ...WORKERS, parent: 'c0' };
    return new GroupTree({ podGroups: [leaf], compositePodGroups: names.map(composite) });
  };
  const told = (tree: GroupTree) => {
    const pods = [withStanding(member('workers'), tree), withStanding(member('workers'), tree)];
    return standingWarnings(pods, { groups: 'count', compat: 'nodeqos' });
  };

  it('are none with as many levels as there may be', () => {
    expect(withStanding(member('workers'), chain(4)).group).toEqual({
      name: 'ml/workers',
      root: 'ml/c2',
      priority: 30,
    });
    expect(told(chain(4))).toEqual([]);
  });

  it('are those of more levels: the walk ends at the last that there may be', () => {
    expect(withStanding(member('workers'), chain(5)).group).toEqual({
      name: 'ml/workers',
      root: 'ml/c2',
      priority: 30,
      broken: 'too-deep',
    });
    expect(told(chain(5)).map(({ code, message }) => [code, message])).toEqual([
      [
        'group-hierarchy-broken',
        'the groups above PodGroup ml/workers go up more than the 4 levels that there may be, so the walk up ends at ml/c2, whose priority 30 counts; correct parentCompositePodGroupName',
      ],
    ]);
  });

  it.each([
    ['that is short', chain(3, 'c0'), 'ml/c1', 20],
    ['beyond the levels that there may be', chain(9, 'c5'), 'ml/c2', 30],
  ])('are those that go round in a circle %s', (_what, tree, root, priority) => {
    expect(told(tree)[0]?.message).toBe(
      `the groups above PodGroup ml/workers go round in a circle, so the walk up ends at ${root}, whose priority ${priority} counts; correct parentCompositePodGroupName`,
    );
  });

  it('are too deep where a walk would not end in reasonable time', () => {
    expect(withStanding(member('workers'), chain(200, 'c100')).group?.broken).toBe('too-deep');
  });

  it('are told of only where groups count', () => {
    const pods = [withStanding(member('workers'), chain(5))];
    expect(standingWarnings(pods, { groups: 'ignore', compat: 'nodeqos' })).toEqual([]);
    expect(standingWarnings(pods, { groups: 'count', compat: 'kubelet' })).toEqual([]);
  });
});
