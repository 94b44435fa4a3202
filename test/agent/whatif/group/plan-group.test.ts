import { describe, expect, it } from 'vitest';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import {
  budgetFor,
  compositeNamed,
  namesOf,
  podGroupNamed,
  snapshotOf,
  timeText,
} from '../../../fakes/cluster.ts';
import {
  ALL,
  counted,
  groupPlanFor,
  job,
  placed,
  placesOf,
  roomy,
  SINGLE,
} from '../../../fakes/group-cluster.ts';

const victims = (...objects: readonly PlainRecord[]) => namesOf(groupPlanFor(snapshotOf(...objects)).victims);
const APP = { app: 'a' };

describe('the victims of a group', () => {
  const three = [roomy('n1', 1), roomy('n2', 1), roomy('n3', 1)];

  it('vW1: of equal priority a pod without a group goes before pods of groups', () => {
    const plan = groupPlanFor(
      snapshotOf(
        ...job(1, 'high'),
        ...three,
        counted('p1', { node: 'n1' }),
        counted('p2', { node: 'n2', group: 'pg1' }),
        counted('p3', { node: 'n3', group: 'pg2' }),
        podGroupNamed('pg1'),
        podGroupNamed('pg2'),
      ),
    );
    expect(plan.victims).toEqual([
      { namespace: 'default', name: 'p1', node: 'n1', priority: 0, violatesPdb: false },
    ]);
    expect(plan.nominatedNode).toBeNull();
    expect(plan.placement).toEqual([{ namespace: 'default', name: 'm1', node: 'n1' }]);
    expect(plan.reason).toBe(
      'room is made for 1 member of PodGroup default/job, and 1 pod goes; placement assumed: first fit in name order of nodes',
    );
  });

  it('vW2: of two pods of a group that goes one by one the younger one goes', () => {
    expect(
      victims(
        ...job(1, 'high'),
        ...three,
        podGroupNamed('pg1', SINGLE),
        counted('p1', { node: 'n1', group: 'pg1', startedAt: 1 }),
        counted('p2', { node: 'n2', group: 'pg1', startedAt: 0 }),
        counted('p3', { node: 'n3', priority: 'mid' }),
      ),
    ).toEqual(['p1']);
  });

  it('vW3: as many pods go as the group has members, those of the lowest priority', () => {
    expect(
      [
        ...victims(
          ...job(3, 'high'),
          ...three,
          roomy('n4', 1),
          roomy('n5', 1),
          podGroupNamed('pg1'),
          podGroupNamed('pg2'),
          counted('p1', { node: 'n1', group: 'pg1', startedAt: 2 }),
          counted('p2', { node: 'n2', group: 'pg1', startedAt: 1 }),
          counted('p3', { node: 'n3', group: 'pg2', startedAt: 0 }),
          counted('p4', { node: 'n4', priority: 'mid' }),
          counted('p5', { node: 'n5', priority: 'high' }),
        ),
      ].sort(),
    ).toEqual(['p1', 'p2', 'p3']);
  });

  it('vW4: a pod whose end would break a budget is spared before one without a budget', () => {
    expect(
      victims(
        ...job(1, 'high'),
        roomy('n1', 2),
        counted('victim-pdb', { node: 'n1', labels: APP }),
        counted('victim-no-pdb', { node: 'n1' }),
        budgetFor('a', APP, 0),
      ),
    ).toEqual(['victim-no-pdb']);
  });

  it('vW8: a group that goes whole is spared for its budget before pods of higher priority', () => {
    const plan = groupPlanFor(
      snapshotOf(
        ...job(2, 'mid'),
        roomy('n1', 2),
        roomy('n2', 2),
        podGroupNamed('pgP', { ...ALL, priority: 10 }),
        counted('p1', { node: 'n1', group: 'pgP', priority: 10, labels: APP }),
        counted('p2', { node: 'n2', group: 'pgP', priority: 10 }),
        counted('q1', { node: 'n1', priority: 50 }),
        counted('q2', { node: 'n2', priority: 50 }),
        budgetFor('a', APP, 0),
      ),
      { placement: placed({ m1: 'n1', m2: 'n2' }) },
    );
    expect(namesOf(plan.victims)).toEqual(['q1', 'q2']);
    expect(
      plan.candidates.map(({ node, victims, spared }) => [node, namesOf(victims), namesOf(spared)]),
    ).toEqual([
      ['n1', ['q1'], ['p1']],
      ['n2', ['q2'], ['p2']],
    ]);
    expect(plan.reason).toMatch(/; placement assumed: as it was given$/);
  });

  const two = (mode: PlainRecord) => [
    roomy('n1', 4),
    roomy('n2', 4),
    podGroupNamed('pgA', { ...mode, priority: 10 }),
    counted('a1', { node: 'n1', group: 'pgA', priority: 10, cpu: 2 }),
    counted('a2', { node: 'n2', group: 'pgA', priority: 10, cpu: 2 }),
    counted('b1', { node: 'n1', priority: 10, cpu: 2 }),
    counted('b2', { node: 'n2', priority: 10, cpu: 2 }),
  ];

  it.each([
    ['vW12: where a single pod is enough, a group that goes whole stays', 2, ALL, ['b1']],
    [
      'vW13: where it is not, the group goes on every node, also where no member goes',
      4,
      ALL,
      ['a1', 'a2', 'b1'],
    ],
    ['vW14: of a group that goes one by one only the pod that is in the way goes', 4, SINGLE, ['a1', 'b1']],
  ])('%s', (_, cpu, mode, expected) => {
    expect(victims(...job(1, 'mid', { cpu }), ...two(mode))).toEqual(expected);
  });

  it('says of each node who goes there, who leaves and who stays', () => {
    expect(
      groupPlanFor(snapshotOf(...job(1, 'mid', { cpu: 4 }), ...two(ALL), roomy('n3', 1))).candidates,
    ).toEqual([
      {
        node: 'n1',
        feasible: true,
        reason: 'it takes m1; 2 pods would go',
        victims: [
          { namespace: 'default', name: 'a1', node: 'n1', priority: 10, violatesPdb: false },
          { namespace: 'default', name: 'b1', node: 'n1', priority: 10, violatesPdb: false },
        ],
        spared: [],
        pdbViolations: 0,
        highestVictimPriority: 10,
        prioritySum: 20,
        victimCount: 2,
        latestStartTime: null,
      },
      {
        node: 'n2',
        feasible: false,
        reason: 'no member goes there; pods go that belong to groups which go whole',
        victims: [{ namespace: 'default', name: 'a2', node: 'n2', priority: 10, violatesPdb: false }],
        spared: [],
        pdbViolations: 0,
        highestVictimPriority: 10,
        prioritySum: 10,
        victimCount: 1,
        latestStartTime: null,
      },
      {
        node: 'n3',
        feasible: false,
        reason: 'no member goes there: cpu: 4 wanted, 1 free even if it were empty',
        victims: [],
        spared: [],
        pdbViolations: 0,
        highestVictimPriority: null,
        prioritySum: 0,
        victimCount: 0,
        latestStartTime: null,
      },
    ]);
  });

  it('vW15: of two groups that go whole the smaller one goes, though it is older', () => {
    const big = ['b1', 'b2', 'b3'].map((name) =>
      counted(name, { node: 'n1', group: 'pgBig', startedAt: 500 }),
    );
    const small = ['s1', 's2'].map((name) => counted(name, { node: 'n1', group: 'pgSmall', startedAt: 1 }));
    expect(
      victims(
        ...job(1, 'mid'),
        roomy('n1', 5),
        podGroupNamed('pgBig', ALL),
        podGroupNamed('pgSmall', ALL),
        ...big,
        ...small,
      ),
    ).toEqual(['s1', 's2']);
  });

  const composite = (priority: number, count: number) => [
    compositeNamed('cpg', { ...ALL, priority }),
    podGroupNamed('leaf', { parentCompositePodGroupName: 'cpg', priority }),
    ...Array.from({ length: count }, (_, at) =>
      counted(`c${at + 1}`, { node: 'n1', group: 'leaf', priority, startedAt: 900 }),
    ),
  ];

  it('vW16: a PodGroup goes before a CompositePodGroup, whatever their sizes and ages', () => {
    expect(
      victims(
        ...job(1, 'mid'),
        roomy('n1', 4),
        ...composite(0, 1),
        podGroupNamed('pg', ALL),
        ...['g1', 'g2', 'g3'].map((name) => counted(name, { node: 'n1', group: 'pg', startedAt: 1 })),
      ),
    ).toEqual(['g1', 'g2', 'g3']);
  });

  it('vW17: priority comes before the kind of a unit', () => {
    expect(
      victims(
        ...job(1, 'mid', { cpu: 3 }),
        roomy('n1', 4),
        ...composite(5, 3),
        counted('pod', { node: 'n1', priority: 10 }),
      ),
    ).toEqual(['c1', 'c2', 'c3']);
  });

  it('vW18: where all that runs is of equal priority there are no victims', () => {
    const plan = groupPlanFor(
      snapshotOf(
        ...job(1, 10),
        roomy('n1', 1),
        podGroupNamed('pg', { ...ALL, priority: 10 }),
        counted('a', { node: 'n1', group: 'pg', priority: 1 }),
      ),
    );
    expect([plan.outcome, plan.reason, plan.victims, plan.candidates]).toEqual([
      'no-candidate',
      'no pod of the cluster is of lower priority; placement assumed: first fit in name order of nodes',
      [],
      [],
    ]);
  });

  it('vW19: on a node that the group does not need the pod stays', () => {
    const plan = groupPlanFor(
      snapshotOf(
        ...job(2, 'high'),
        ...three,
        counted('v1', { node: 'n1' }),
        counted('v2', { node: 'n2' }),
        counted('v3', { node: 'n3' }),
      ),
    );
    expect([namesOf(plan.victims), placesOf(plan)]).toEqual([
      ['v1', 'v2'],
      ['m1=n1', 'm2=n2'],
    ]);
    expect(plan.candidates[2]?.reason).toBe('no member goes there, and its pods may stay');
  });

  it('takes the mode of groups in the words of 1.36 too', () => {
    const old = (name: string, disruptionMode: string) => ({
      ...podGroupNamed(name, { disruptionMode }),
      apiVersion: 'scheduling.k8s.io/v1alpha2',
    });
    const inGroup = (mode: string) =>
      victims(
        ...job(1, 'mid'),
        roomy('n1', 1),
        roomy('n2', 1),
        old('pg', mode),
        counted('a1', { node: 'n1', group: 'pg' }),
        counted('a2', { node: 'n2', group: 'pg' }),
      );
    expect([inGroup('Pod'), inGroup('PodGroup')]).toEqual([['a1'], ['a1', 'a2']]);
  });
});

describe('who may preempt as a group', () => {
  const full = [roomy('n1', 1), counted('p1', { node: 'n1' })];

  it('vW5: a group with the policy Never does not', () => {
    const plan = groupPlanFor(
      snapshotOf(...job(1, 'high', { spec: { preemptionPolicy: 'Never' } }), ...full),
    );
    expect([plan.outcome, plan.reason, plan.victims]).toEqual([
      'not-eligible',
      'its preemption policy is Never',
      [],
    ]);
  });

  const neverPod = job(1, 'high', {
    spec: { preemptionPolicy: 'PreemptLowerPriority' },
    pod: { spec: { preemptionPolicy: 'Never' } },
  });

  it('vW6: the policy of the group counts, not that of its pods, and a warning says so', () => {
    const plan = groupPlanFor(snapshotOf(...neverPod, ...full));
    expect(namesOf(plan.victims)).toEqual(['p1']);
    expect(plan.warnings.map(({ code, message }) => [code, message])).toEqual([
      [
        'member-policy-ignored',
        'PodGroup default/job: its pod m1 is of the preemption policy Never, and that of the group counts; without the gate PodGroupPreemptionPolicy the group would not preempt',
      ],
    ]);
  });

  it('in 1.36 the policy of any pod that waits counts', () => {
    const plan = groupPlanFor(snapshotOf(...neverPod, ...full), { release: '1.36' });
    expect([plan.outcome, plan.reason, plan.warnings]).toEqual([
      'not-eligible',
      'the preemption policy of its pod default/m1 is Never',
      [],
    ]);
  });

  const ending = (node: string, parts: { priority?: 'low' | 'high'; group?: string } = {}) =>
    counted('ending', {
      node,
      ...parts,
      metadata: { deletionTimestamp: timeText(9) },
      status: {
        conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }],
      },
    });
  const nominated = { pod: { status: { nominatedNodeName: 'n1' } } };
  const lower = podGroupNamed('lower', { priority: 0 });
  const higher = podGroupNamed('higher', { priority: 1000 });

  it('vW7: not while a pod that was preempted is still ending on the nominated node of a member', () => {
    const plan = groupPlanFor(snapshotOf(...job(1, 'high', nominated), roomy('n1', 1), ending('n1')));
    expect([plan.outcome, plan.reason]).toEqual([
      'not-eligible',
      'n1 is being made free for its pod m1: pod default/ending was preempted and is still ending',
    ]);
  });

  it('vW9: on a node that is not nominated such a pod does not make the group wait', () => {
    const plan = groupPlanFor(
      snapshotOf(
        ...job(1, 'high', nominated),
        roomy('n1', 1),
        counted('p1', { node: 'n1' }),
        roomy('n2', 1),
        ending('n2'),
      ),
    );
    expect([plan.outcome, namesOf(plan.victims)]).toEqual(['planned', ['p1']]);
  });

  it('vW10: it makes the group wait by the priority of its own group, also where its own is higher', () => {
    const snapshot = snapshotOf(
      ...job(1, 'high', nominated),
      roomy('n1', 1),
      lower,
      ending('n1', { priority: 'high', group: 'lower' }),
    );
    expect(groupPlanFor(snapshot).outcome).toBe('not-eligible');
  });

  it('vW11: nor does it where its group is of higher priority, though the pod itself is not', () => {
    const snapshot = snapshotOf(
      ...job(1, 'mid', nominated),
      roomy('n1', 2),
      higher,
      ending('n1', { priority: 'low', group: 'higher' }),
      counted('p1', { node: 'n1' }),
    );
    const plan = groupPlanFor(snapshot);
    expect([plan.outcome, namesOf(plan.victims)]).toEqual(['planned', ['p1']]);
  });

  it('vF5: a group with fewer pods than its minimum is not tried', () => {
    const plan = groupPlanFor(
      snapshotOf(...job(4, 'high', { spec: { schedulingPolicy: { gang: { minCount: 5 } } } }), ...full),
    );
    expect([plan.outcome, plan.reason]).toEqual([
      'not-eligible',
      'it has too few members for its minimum, whatever room is made',
    ]);
  });
});
