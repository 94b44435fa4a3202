import { describe, expect, it } from 'vitest';
import { effectivePriority, GroupTree } from '../../../../agent/decide/group-tree.ts';
import type { SchedulingPod } from '../../../../agent/model/cluster.ts';
import { BY_IMPORTANCE } from '../../../../agent/whatif/preempt/importance.ts';
import { type PreemptionUnit, preemptionUnits } from '../../../../agent/whatif/preempt/units.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import {
  compositeNamed,
  nodeNamed,
  planFor,
  podGroupNamed,
  podNamed,
  snapshotOf,
} from '../../../fakes/cluster.ts';

const POD: SchedulingPod = snapshotOf(podNamed('pod')).pods[0] as SchedulingPod;

interface UnitParts {
  readonly rank?: 1 | 2 | 3;
  readonly priority?: number;
  readonly size?: number;
  readonly startMs?: number;
  readonly name?: string;
  readonly namespace?: string;
}

const startedAt = (ms: number) =>
  ms === Number.POSITIVE_INFINITY ? {} : { startedAt: BigInt(ms) * 1_000_000n };

function unit({ rank = 1, priority = 10, size = 1, startMs = 0, ...names }: UnitParts): PreemptionUnit {
  const pods = Array.from({ length: size }, () => POD);
  return { namespace: 'default', name: 'same', ...names, rank, priority, pods, ...startedAt(startMs) };
}

const PODS = { rank: 1 } as const;
const GROUP = { rank: 2 } as const;
const COMPOSITE = { rank: 3 } as const;

describe('importance', () => {
  it.each<readonly [string, UnitParts, UnitParts]>([
    [
      'vI1: higher priority, whatever they are',
      { ...PODS, priority: 20 },
      { ...COMPOSITE, priority: 10, size: 9 },
    ],
    ['vI2: a group before a pod', GROUP, PODS],
    ['vI3: a pod that started earlier', { startMs: 500 }, { startMs: 1000 }],
    ['vI4: a larger group', { ...GROUP, size: 2 }, { ...GROUP, size: 1 }],
    [
      'vI5: of equal groups the one that started earlier',
      { ...GROUP, startMs: 500 },
      { ...GROUP, startMs: 1000 },
    ],
    ['vI6: a composite group before a pod', COMPOSITE, PODS],
    ['vI6: a composite group before a group', COMPOSITE, GROUP],
    ['vI7: a composite group of one before a group of two', { ...COMPOSITE, size: 1 }, { ...GROUP, size: 2 }],
    ['vI8: a composite group that is newer', { ...COMPOSITE, startMs: 9 }, { ...GROUP, startMs: 1 }],
    ['vI9: a group of higher priority before a composite one', { ...GROUP, priority: 20 }, COMPOSITE],
    ['vI10: a larger composite group', { ...COMPOSITE, size: 2 }, { ...COMPOSITE, size: 1 }],
    ['vI10: an older composite group', { ...COMPOSITE, startMs: 1 }, { ...COMPOSITE, startMs: 2 }],
    ['one that has started before one that has not', { startMs: 9 }, { startMs: Number.POSITIVE_INFINITY }],
    ['of equals the first by namespace', { namespace: 'a', name: 'z' }, { namespace: 'b', name: 'a' }],
    ['and then by name', { name: 'a' }, { name: 'b' }],
  ])('%s', (_, more, less) => {
    const sorted = [unit(less), unit(more)].toSorted(BY_IMPORTANCE);
    expect(sorted).toEqual([unit(more), unit(less)]);
    expect(BY_IMPORTANCE(unit(more), unit(less))).toBeLessThan(0);
  });

  it('vI11: a pod of a group that is disrupted pod by pod comes before a bare one that is older', () => {
    const snapshot = snapshotOf(
      podGroupNamed('job', { disruptionMode: { single: {} }, priority: 0 }),
      member('grouped', 'job', { startedAt: 9 }),
      podNamed('bare', { node: 'n1', startedAt: 1 }),
    );
    const units = preemptionUnits(snapshot.pods, new GroupTree(snapshot), '1.37').toSorted(BY_IMPORTANCE);
    expect(units.map(({ name, rank }) => [name, rank])).toEqual([
      ['grouped', 2],
      ['bare', 1],
    ]);
  });
});

/** A pod of a PodGroup; it runs on n1 unless it says otherwise. */
function member(name: string, podGroupName: string, parts: Parameters<typeof podNamed>[1] = {}): PlainRecord {
  return podNamed(name, { node: 'n1', ...parts, spec: { schedulingGroup: { podGroupName } } });
}

describe('the priority that counts', () => {
  const priorityIn = (pod: PlainRecord, ...groups: readonly PlainRecord[]): number => {
    const snapshot = snapshotOf(pod, ...groups);
    const [first] = snapshot.pods;
    if (first === undefined) throw new Error('the snapshot holds no pod');
    return effectivePriority(first, new GroupTree(snapshot).groupsOf(first));
  };
  const inGroup = (priority: number) => member('p', 'job', { priority });
  const child = (priority?: number) =>
    podGroupNamed('job', {
      parentCompositePodGroupName: 'parent',
      ...(priority === undefined ? {} : { priority }),
    });

  it.each<readonly [string, readonly [PlainRecord, ...PlainRecord[]], number]>([
    ['vG1: that of the group, not of the pod', [inGroup(10), podGroupNamed('job', { priority: 50 })], 50],
    ['vG3: that of the pod where the group is missing', [inGroup(30)], 30],
    ['vG4: 0 for a pod without any', [podNamed('p', { spec: { priority: null } })], 0],
    [
      'vG5: that of the parent, where the group has none',
      [inGroup(10), child(), compositeNamed('parent', { priority: 150 })],
      150,
    ],
    [
      'vG6: that of the root, where those below have none',
      [
        inGroup(10),
        child(),
        compositeNamed('parent', { parentCompositePodGroupName: 'grandparent' }),
        compositeNamed('grandparent', { priority: 250 }),
      ],
      250,
    ],
    ['vG7: that of the group where its parent is missing', [inGroup(10), child(50)], 50],
    [
      '0 where the root has none, whatever the group has',
      [inGroup(10), child(50), compositeNamed('parent')],
      0,
    ],
    [
      'that of the last group of a circle, which ends the walk',
      [
        inGroup(10),
        child(),
        compositeNamed('parent', { parentCompositePodGroupName: 'other', priority: 1 }),
        compositeNamed('other', { parentCompositePodGroupName: 'parent', priority: 2 }),
      ],
      2,
    ],
    [
      'that of the fourth level, deeper than which no hierarchy is',
      [
        inGroup(10),
        child(),
        ...['parent', 'c', 'd', 'e'].map((name, at, names) =>
          compositeNamed(name, { parentCompositePodGroupName: names[at + 1] ?? 'none', priority: at + 1 }),
        ),
      ],
      3,
    ],
  ])('%s', (_, [pod, ...groups], expected) => {
    expect(priorityIn(pod, ...groups)).toBe(expected);
  });

  it('vG2: that of the pod where groups do not count, as in 1.36', () => {
    const snapshot = snapshotOf(member('p', 'job', { priority: 20 }), podGroupNamed('job', { priority: 50 }));
    const units = preemptionUnits(snapshot.pods, new GroupTree(snapshot), '1.36');
    expect(units.map(({ priority, rank }) => [priority, rank])).toEqual([[20, 1]]);
  });
});

describe('units', () => {
  const unitsOf = (...objects: readonly PlainRecord[]) => {
    const snapshot = snapshotOf(...objects);
    return preemptionUnits(snapshot.pods, new GroupTree(snapshot), '1.37').map(
      ({ name, rank, priority, pods, startedAt }) => ({
        name,
        rank,
        priority,
        pods: pods.map((pod) => pod.name),
        startMs: startedAt === undefined ? Number.POSITIVE_INFINITY : Number(startedAt / 1_000_000n),
      }),
    );
  };
  const members = [
    member('b', 'job', { startedAt: 5, node: 'n2' }),
    member('a', 'job', { startedAt: 7 }),
    member('done', 'job', { status: { phase: 'Succeeded' } }),
  ];
  const job = (mode: string) =>
    podGroupNamed('job', {
      parentCompositePodGroupName: 'root',
      disruptionMode: { [mode]: {} },
      priority: 5,
    });
  const root = (mode: string) => compositeNamed('root', { disruptionMode: { [mode]: {} }, priority: 9 });

  it('vU1: of a root that is disrupted child by child the child goes as a whole, with the priority of the root', () => {
    expect(unitsOf(...members, job('all'), root('single'))).toEqual([
      { name: 'job', rank: 2, priority: 9, pods: ['a', 'b'], startMs: 5000 },
    ]);
  });

  it('vU2: a root that is disrupted as a whole goes as a whole', () => {
    expect(unitsOf(...members, job('all'), root('all'))).toEqual([
      { name: 'root', rank: 3, priority: 9, pods: ['a', 'b'], startMs: 5000 },
    ]);
  });

  it.each([
    ['vU3: pods of a group that is disrupted pod by pod are units of their own', { single: {} }],
    ['vU3: so are those of a group without a mode', undefined],
    ['so are those of a group with the mode of 1.36', 'Pod'],
  ])('%s', (_, disruptionMode) => {
    const spec = disruptionMode === undefined ? {} : { disruptionMode };
    expect(unitsOf(...members, podGroupNamed('job', spec))).toEqual([
      { name: 'b', rank: 2, priority: 0, pods: ['b'], startMs: 5000 },
      { name: 'a', rank: 2, priority: 0, pods: ['a'], startMs: 7000 },
    ]);
  });

  it('the mode PodGroup of 1.36 is all', () => {
    expect(unitsOf(...members, podGroupNamed('job', { disruptionMode: 'PodGroup' }))[0]?.pods).toEqual([
      'a',
      'b',
    ]);
  });

  it('pods of other namespaces with a group of that name are not in it', () => {
    const other = member('a', 'job', { namespace: 'other' });
    expect(unitsOf(other, podGroupNamed('job', { disruptionMode: { all: {} }, priority: 3 }))).toEqual([
      { name: 'a', rank: 2, priority: 0, pods: ['a'], startMs: Number.POSITIVE_INFINITY },
    ]);
  });
});

describe('a pod that meets a group', () => {
  const cluster = snapshotOf(
    podNamed('p', { priority: 'high', requests: 'L' }),
    nodeNamed('n1'),
    nodeNamed('n2', { spec: { unschedulable: true } }),
    podGroupNamed('job', { disruptionMode: { all: {} }, priority: 100 }),
    member('a1', 'job', { priority: 'mid', requests: 'L', startedAt: 1 }),
    member('a2', 'job', { priority: 'mid', requests: 'L', node: 'n2', startedAt: 2 }),
  );

  it('vW20: in 1.36 it drives away the one pod that is in its way', () => {
    expect(planFor(cluster, '1.36').victims).toEqual([
      { namespace: 'default', name: 'a1', node: 'n1', priority: 100, violatesPdb: false },
    ]);
  });

  it('vW21: in 1.37 the whole group goes, on every node', () => {
    const plan = planFor(cluster, '1.37');
    expect(plan.victims).toEqual([
      { namespace: 'default', name: 'a1', node: 'n1', priority: 100, violatesPdb: false },
      { namespace: 'default', name: 'a2', node: 'n2', priority: 100, violatesPdb: false },
    ]);
    expect(plan.candidates[0]).toMatchObject({
      prioritySum: 200,
      victimCount: 2,
      latestStartTime: '1970-01-01T00:00:01Z',
    });
  });
});
