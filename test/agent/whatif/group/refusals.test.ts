import { describe, expect, it } from 'vitest';
import { planGroupPreemption } from '../../../../agent/whatif/group/plan-group.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import { compositeNamed, podGroupNamed, snapshotOf } from '../../../fakes/cluster.ts';
import { counted, gang, groupPlanFor, job, placed, roomy } from '../../../fakes/group-cluster.ts';

const JOB = { namespace: 'default', name: 'job' };
const below = (parent: string) => ({ parentCompositePodGroupName: parent });

function refusal(
  objects: readonly PlainRecord[],
  question: { release?: '1.36' | '1.37'; placement?: ReadonlyMap<string, string> } = {},
): string {
  const plan = planGroupPreemption(snapshotOf(...objects), { group: JOB, release: '1.37', ...question });
  return plan.ok ? `it was planned: ${plan.value.reason}` : plan.message;
}

describe('what is refused of a question about a group', () => {
  const node = roomy('n1', 1);

  it.each([
    [
      'a group that nobody names',
      [node],
      'the snapshot holds no PodGroup or CompositePodGroup default/job; name one that it holds',
    ],
    [
      'a group that only pods name',
      [node, counted('m', { group: 'job' })],
      'the snapshot holds no PodGroup default/job, though pods name it; add what this prints: kubectl get podgroups -A -o yaml',
    ],
    [
      'a name of two groups',
      [node, podGroupNamed('job'), compositeNamed('job')],
      'both a PodGroup and a CompositePodGroup are called default/job; leave the one that is not meant out of the snapshot',
    ],
    [
      'a group that nobody of waits',
      [node, podGroupNamed('job'), counted('m', { group: 'job', node: 'n1' })],
      'no pod of PodGroup default/job is pending; name a group that waits for nodes',
    ],
    [
      'a snapshot without nodes',
      job(1, 'high'),
      'the snapshot holds no Node, so nothing can be said; add what this prints: kubectl get nodes -o yaml',
    ],
    [
      'groups that are above each other',
      [
        node,
        podGroupNamed('job', below('a')),
        compositeNamed('a', below('b')),
        compositeNamed('b', below('a')),
      ],
      'the parents of PodGroup default/job go round in a circle; correct parentCompositePodGroupName',
    ],
    [
      'more levels than there may be',
      [
        node,
        podGroupNamed('job', below('a')),
        compositeNamed('a', below('b')),
        compositeNamed('b', below('c')),
        compositeNamed('c', below('d')),
        compositeNamed('d'),
      ],
      'the parents of PodGroup default/job go up more than the 4 levels that there may be; correct parentCompositePodGroupName',
    ],
    [
      'more levels below than there may be',
      [
        node,
        compositeNamed('job'),
        compositeNamed('a', below('job')),
        compositeNamed('b', below('a')),
        compositeNamed('c', below('b')),
        podGroupNamed('leaf', below('c')),
        counted('m', { group: 'leaf' }),
      ],
      'the groups below CompositePodGroup default/job go down more than the 4 levels that there may be, PodGroup default/leaf being too deep; correct parentCompositePodGroupName',
    ],
  ])('%s', (_, objects, message) => {
    expect(refusal(objects)).toBe(message);
  });

  it('not as many levels below as there may be', () => {
    const objects = [
      node,
      compositeNamed('job', { priority: 5 }),
      compositeNamed('a', below('job')),
      compositeNamed('b', below('a')),
      podGroupNamed('leaf', below('b')),
      counted('m', { group: 'leaf' }),
    ];
    expect(refusal(objects)).toContain('1 of 1 member that waits fits without preemption');
  });

  it('a composite group in 1.36', () => {
    expect(refusal([node, compositeNamed('job')], { release: '1.36' })).toBe(
      'default/job is a CompositePodGroup, and 1.36 has none; ask with --compat 1.37',
    );
  });

  it.each([
    [
      'a pod that is no member',
      { x: 'n1' },
      'the placement names pod default/x, which is no member that looks for a node',
    ],
    [
      'a pod of another namespace',
      { 'other/m1': 'n1' },
      'the placement names pod other/m1, which is no member that looks for a node',
    ],
    [
      'a pod twice, with its namespace and without',
      { m1: 'n1', 'default/m1': 'n1' },
      'the placement names pod default/m1 twice; give each pod one node',
    ],
    [
      'a node that is not there',
      { m1: 'n9' },
      'the placement puts default/m1 on node n9, which the snapshot does not hold',
    ],
  ])('a placement of %s', (_, places, message) => {
    expect(refusal([node, ...job(1, 'high')], { placement: placed(places) })).toBe(message);
  });
});

describe('what a plan for a group says besides', () => {
  const full = [roomy('n1', 1), counted('low', { node: 'n1' })];
  const codes = (...objects: readonly PlainRecord[]) =>
    groupPlanFor(snapshotOf(...objects, ...full)).warnings.map(({ code, message }) => [code, message]);

  it('nothing where there is nothing to be said', () => {
    expect(codes(...job(2, 'high'))).toEqual([]);
  });

  it('a parent that the snapshot does not hold', () => {
    expect(codes(...job(1, 'high', { spec: below('above') }))).toEqual([
      [
        'parent-not-in-snapshot',
        'PodGroup default/job: its parent above is not in the snapshot, so it is taken to be the root',
      ],
    ]);
  });

  it('a group without a policy', () => {
    expect(codes(podGroupNamed('job', { priority: 5 }), counted('m', { group: 'job', priority: 5 }))).toEqual(
      [
        [
          'policy-unknown',
          'PodGroup default/job: it states no scheduling policy, so each of its members is taken for itself, as with basic',
        ],
      ],
    );
  });

  it.each([
    [1, 'its pod m1 is'],
    [2, '2 of its pods are'],
  ])('%i pods of another priority than the group', (count, who) => {
    expect(codes(...job(count, 'high', { pod: { priority: 1 } }))).toEqual([
      [
        'member-priority-differs',
        `PodGroup default/job: ${who} of another priority than its 1000, for which a 1.37 scheduler may fail the group; the plan goes by that of the group`,
      ],
    ]);
  });

  it('pods with the policy Never are no matter where the group has it too', () => {
    const preemptionPolicy = 'Never';
    expect(
      codes(...job(1, 'high', { spec: { preemptionPolicy }, pod: { spec: { preemptionPolicy } } })),
    ).toEqual([]);
  });

  it('a topology that a group asks for, and what its pods use', () => {
    const plan = groupPlanFor(
      snapshotOf(
        podGroupNamed('job', { ...gang(1), schedulingConstraints: { topology: [{ key: 'rack' }] } }),
        counted('m', { group: 'job', spec: { resourceClaims: [{ name: 'gpu' }] } }),
        ...full,
      ),
    );
    expect(plan.notModelled).toEqual(['resource claims', 'topology constraints of groups']);
  });
});
