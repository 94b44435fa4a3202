import { describe, expect, it } from 'vitest';
import {
  budgetFor,
  CPU,
  namesOf,
  nodeNamed,
  planFor,
  podGroupNamed,
  podNamed,
  snapshotOf,
  timeText,
  victimsByNode,
} from '../../../fakes/cluster.ts';

const FOO = { app: 'foo' };
/** A condition as the scheduler leaves it on a pod that it preempted. */
const PREEMPTED = { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' };

describe('the victims of one node', () => {
  it('vD1: on each of two nodes the one pod of lower priority goes, and the nodes are equal', () => {
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'high', requests: 'L' }),
        nodeNamed('node1'),
        nodeNamed('node2'),
        podNamed('p1', { priority: 'mid', requests: 'L', node: 'node1' }),
        podNamed('p2', { priority: 'mid', requests: 'L', node: 'node2' }),
      ),
    );
    expect(victimsByNode(plan)).toEqual({ node1: ['p1'], node2: ['p2'] });
    expect(plan.tiedNodes).toEqual(['node1', 'node2']);
    expect(plan.nominatedNode).toBe('node1');
    expect(plan.reason).toBe(
      'node1 is made free: nothing tells them apart; node1, node2 are equal, and the scheduler takes any of them',
    );
  });

  it('vD2: no pod is of lower priority, so there is no candidate', () => {
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'low', requests: 'L' }),
        nodeNamed('node1'),
        podNamed('p1', { priority: 'mid', requests: 'L', node: 'node1' }),
      ),
    );
    expect(plan).toEqual({
      outcome: 'no-candidate',
      reason:
        'no node can be made free: none of 1 node would take it even without all pods of lower priority',
      nominatedNode: null,
      tiedNodes: [],
      victims: [],
      candidates: [
        {
          node: 'node1',
          feasible: false,
          reason: 'cpu: 300m wanted, 200m free, and no pod here is of lower priority',
          victims: [],
          spared: [],
          pdbViolations: 0,
          highestVictimPriority: null,
          prioritySum: 0,
          victimCount: 0,
          latestStartTime: null,
        },
      ],
      notModelled: [],
      warnings: [],
    });
  });

  it('vD3: the smaller and less important pod stays where the other one is enough', () => {
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'high', requests: 'L' }),
        nodeNamed('node1'),
        podNamed('p1.1', { priority: 'low', requests: 'S', node: 'node1' }),
        podNamed('p1.2', { priority: 'mid', requests: 'L', node: 'node1', startedAt: 7 }),
      ),
    );
    expect(plan.outcome).toBe('planned');
    expect(plan.reason).toBe('node1 is made free: no other node can be made free');
    expect(plan.victims).toEqual([
      { namespace: 'default', name: 'p1.2', node: 'node1', priority: 100, violatesPdb: false },
    ]);
    expect(plan.candidates).toEqual([
      {
        node: 'node1',
        feasible: true,
        reason: '1 pod would go',
        victims: plan.victims,
        spared: [{ namespace: 'default', name: 'p1.1', node: 'node1', priority: 0, violatesPdb: false }],
        pdbViolations: 0,
        highestVictimPriority: 100,
        prioritySum: 100,
        victimCount: 1,
        latestStartTime: timeText(7),
      },
    ]);
  });

  const four = (starts: readonly (number | undefined)[], middle: 'low' | 'mid') =>
    [
      ['1.1', middle, 'S'],
      ['1.2', 'low', 'S'],
      ['1.3', 'mid', 'M'],
      ['1.4', 'high', 'S'],
    ].map(([name, priority, requests], at) =>
      podNamed(`p${name}`, {
        priority: priority as 'low',
        requests: requests as 'S',
        node: 'node1',
        ...(starts[at] === undefined ? {} : { startedAt: starts[at] }),
      }),
    );

  it('vD4: pods of equal or higher priority stay, and a node that they fill is no candidate', () => {
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'high', requests: 'L' }),
        nodeNamed('node1'),
        nodeNamed('node2'),
        ...four([], 'mid'),
        podNamed('p2', { priority: 'high', requests: 'L', node: 'node2' }),
      ),
    );
    expect(victimsByNode(plan)).toEqual({ node1: ['p1.3', 'p1.2'] });
  });

  it('vD5: of two pods of equal priority the younger one goes', () => {
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'high', requests: 'L' }),
        nodeNamed('node1'),
        ...four([5, 4, 3, 2], 'low'),
      ),
    );
    expect(victimsByNode(plan)).toEqual({ node1: ['p1.3', 'p1.1'] });
  });

  it('vD6, not modelled: anti-affinity of a pod that runs makes nobody go, and the plan says so', () => {
    const term = { labelSelector: { matchLabels: FOO }, topologyKey: 'kubernetes.io/hostname' };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'high', requests: 'S', labels: FOO }),
        nodeNamed('node1'),
        podNamed('p1.1', { priority: 'low', requests: 'S', node: 'node1', spec: { affinity } }),
        podNamed('p1.2', { priority: 'mid', requests: 'S', node: 'node1' }),
        podNamed('p1.3', { priority: 'high', requests: 'S', node: 'node1' }),
      ),
    );
    expect(plan.outcome).toBe('not-needed');
    expect(plan.notModelled).toEqual(['inter-pod anti-affinity of pods that run']);
  });

  it('vD19: a small pod of low priority does not come before a larger one of higher priority', () => {
    const milli = (cpu: number) => ({ cpu: `${cpu}m` });
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 1000, requests: milli(400) }),
        nodeNamed('node1', { allocatable: { cpu: '1' } }),
        podNamed('a', { priority: 500, requests: milli(600), node: 'node1' }),
        podNamed('b', { priority: 400, requests: milli(300), node: 'node1' }),
        podNamed('c', { priority: 300, requests: milli(100), node: 'node1' }),
      ),
    );
    expect(victimsByNode(plan)).toEqual({ node1: ['b', 'c'] });
  });

  it('vD26: pods of the same priority are no victims', () => {
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'mid', requests: 'L' }),
        nodeNamed('node1'),
        podNamed('same', { priority: 'mid', requests: 'S', node: 'node1' }),
        podNamed('lower', { priority: 99, requests: 'M', node: 'node1' }),
      ),
    );
    expect(victimsByNode(plan)).toEqual({ node1: ['lower'] });
  });

  it('is empty-handed where the pod does not fit even without all lower ones', () => {
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'mid', requests: 'L' }),
        nodeNamed('node1'),
        podNamed('higher', { priority: 'high', requests: 'L', node: 'node1' }),
        podNamed('lower', { priority: 'low', requests: 'S', node: 'node1' }),
      ),
    );
    expect(plan.outcome).toBe('no-candidate');
    expect(plan.candidates[0]?.reason).toBe(
      'cpu: 300m wanted, 100m free, and still too little without all pods of lower priority',
    );
  });

  it('says so where every node keeps the pod away whatever pods end', () => {
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'high', requests: 'S', spec: { nodeSelector: { zone: 'a' } } }),
        nodeNamed('node1'),
        nodeNamed('node2'),
        podNamed('lower', { priority: 'low', requests: 'XL', node: 'node1' }),
      ),
    );
    expect([plan.outcome, plan.reason]).toEqual([
      'no-candidate',
      'no node can be made free: none of 2 nodes would take it, whatever pods end there',
    ]);
  });

  it.each([
    ['one port', [80], 'host port 80/TCP is taken, and the port would still be taken'],
    [
      'two ports',
      [80, 81],
      'host port 80/TCP is taken; host port 81/TCP is taken, and ports would still be taken',
    ],
  ])('calls %s that a more important pod has taken, not too little', (_, hostPorts, reason) => {
    const ports = hostPorts.map((hostPort) => ({ containerPort: hostPort, hostPort }));
    const spec = { containers: [{ name: 'c', ports }] };
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'mid', spec }),
        nodeNamed('node1'),
        podNamed('higher', { priority: 'high', node: 'node1', spec }),
        podNamed('lower', { priority: 'low', node: 'node1' }),
      ),
    );
    expect(plan.candidates[0]?.reason).toBe(`${reason} without all pods of lower priority`);
  });
});

describe('disruption budgets', () => {
  const three = (names: readonly string[], requests: keyof typeof CPU = 'M') =>
    names.map((name) =>
      podNamed(name, {
        priority: 'mid',
        requests,
        node: 'node1',
        labels: FOO,
        startedAt: Number(name.slice(-1)),
      }),
    );
  const violations = (names: readonly string[], disruptedPods: readonly string[]) => {
    const candidate = planFor(
      snapshotOf(
        podNamed('p', { priority: 'high', requests: 'XL' }),
        nodeNamed('node1', { allocatable: { cpu: names.length === 3 ? '600m' : CPU.XL } }),
        ...three(names),
        budgetFor('foo', FOO, 1, { disruptedPods }),
      ),
    ).candidates[0];
    return { victims: namesOf(candidate?.victims ?? []), pdbViolations: candidate?.pdbViolations };
  };
  const ALL_THREE = ['p1.1', 'p1.2', 'p1.3'];

  it.each([
    ['vD7: the second pod of a budget that allows one breaks it', ['p1.1', 'p1.2'], [], 1],
    ['vD8: a pod that is disrupted already and no victim changes nothing', ['p1.1', 'p1.2'], ['p2'], 1],
    ['vD9: a pod that is disrupted already uses nothing of its budget', ['p1.1', 'p1.2'], ['p1.2'], 0],
    ['vD10: two more pods than the disrupted one break it once', ALL_THREE, ['p1.3'], 1],
  ])('%s', (_, names, disrupted, pdbViolations) => {
    expect(violations(names, disrupted)).toEqual({ victims: names, pdbViolations });
  });

  it('vD20: a pod whose end would break a budget is spared before a more important one', () => {
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'high', requests: 'L' }),
        nodeNamed('node1'),
        podNamed('hi', { priority: 'mid', requests: 'M', node: 'node1' }),
        podNamed('lo', { priority: 'low', requests: 'M', node: 'node1', labels: FOO }),
        budgetFor('foo', FOO, 0),
      ),
    );
    expect(victimsByNode(plan)).toEqual({ node1: ['hi'] });
    expect(plan.candidates[0]?.pdbViolations).toBe(0);
    expect(plan.candidates[0]?.spared).toEqual([
      { namespace: 'default', name: 'lo', node: 'node1', priority: 0, violatesPdb: true },
    ]);
  });

  it('victims are most important first, also where those against a budget were looked at before others', () => {
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'high', requests: 'XL' }),
        nodeNamed('node1'),
        podNamed('hi', { priority: 'mid', requests: 'M', node: 'node1' }),
        podNamed('lo', { priority: 'low', requests: 'M', node: 'node1', labels: FOO }),
        budgetFor('foo', FOO, 0),
      ),
    );
    expect(plan.victims.map(({ name, violatesPdb }) => [name, violatesPdb])).toEqual([
      ['hi', false],
      ['lo', true],
    ]);
    expect(plan.candidates[0]?.reason).toBe('2 pods would go, 1 of them against a disruption budget');
  });
});

describe('who may preempt', () => {
  const full = (requests: keyof typeof CPU = 'L') => [
    nodeNamed('node1'),
    podNamed('lower', { priority: 'low', requests, node: 'node1' }),
  ];

  it('nobody where the pod fits somewhere', () => {
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'high', requests: 'L' }),
        nodeNamed('node2'),
        nodeNamed('node3'),
        ...full(),
      ),
    );
    expect(plan).toEqual({
      outcome: 'not-needed',
      reason: 'it fits on node2 without preemption (on 2 of 3 nodes)',
      nominatedNode: null,
      tiedNodes: [],
      victims: [],
      candidates: [],
      notModelled: [],
      warnings: [],
    });
  });

  it('vD14: a pod with the policy Never does not', () => {
    const spec = { preemptionPolicy: 'Never' };
    const plan = planFor(snapshotOf(podNamed('p', { priority: 'high', requests: 'L', spec }), ...full()));
    expect([plan.outcome, plan.reason]).toEqual(['not-eligible', 'its preemption policy is Never']);
  });

  it('a pod with the policy Never that fits needs none', () => {
    const spec = { preemptionPolicy: 'Never' };
    const plan = planFor(snapshotOf(podNamed('p', { priority: 'high', requests: 'S', spec }), ...full()));
    expect(plan.outcome).toBe('not-needed');
  });

  const nominated = (
    condition: object | undefined,
    more: { priority?: 'low' | 'high'; node?: object } = {},
  ) =>
    planFor(
      snapshotOf(
        podNamed('p', { priority: 'mid', requests: 'L', status: { nominatedNodeName: 'node1' } }),
        nodeNamed('node1', more.node === undefined ? {} : { spec: { ...more.node } }),
        podNamed('other', { priority: 'low', requests: 'S', node: 'node1' }),
        podNamed('ending', {
          priority: more.priority ?? 'low',
          requests: 'L',
          node: 'node1',
          metadata: { deletionTimestamp: timeText(9) },
          status: condition === undefined ? {} : { conditions: [{ ...condition }] },
        }),
      ),
    );

  it('vD15: not while a pod that was preempted for it is still ending', () => {
    const plan = nominated(PREEMPTED);
    expect([plan.outcome, plan.reason]).toEqual([
      'not-eligible',
      'node1 is being made free for it: pod default/ending was preempted and is still ending',
    ]);
  });

  it.each([
    ['vD16: a pod that ends for another reason does not make it wait', undefined],
    ['vD17: nor does a condition that is False', { ...PREEMPTED, status: 'False' }],
    ['vD17: nor does a condition of another reason', { ...PREEMPTED, reason: 'EvictionByEvictionAPI' }],
    ['nor does another condition', { ...PREEMPTED, type: 'Ready' }],
  ])('%s', (_, condition) => {
    const plan = nominated(condition);
    expect([plan.outcome, namesOf(plan.victims)]).toEqual(['planned', ['ending']]);
  });

  it('nor does a pod that is of higher priority', () => {
    expect(nominated(PREEMPTED, { priority: 'high' }).outcome).toBe('no-candidate');
  });

  it('vD18: not where the nominated node has become impossible since', () => {
    const taints = [{ key: 'k', value: 'v', effect: 'NoSchedule' }];
    const plan = nominated(PREEMPTED, { node: { taints } });
    expect(plan.outcome).toBe('no-candidate');
    expect(plan.candidates[0]?.reason).toBe(
      'its taint k=v:NoSchedule is not tolerated: the end of other pods would not help',
    );
  });

  it('vD25: a node with a taint that is not tolerated is never a candidate', () => {
    const taints = [{ key: 'k', effect: 'NoExecute' }];
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'high', requests: 'L' }),
        ...full(),
        nodeNamed('tainted', { spec: { taints } }),
        podNamed('cheap', { priority: 'neg', requests: 'L', node: 'tainted' }),
      ),
    );
    expect(victimsByNode(plan)).toEqual({ node1: ['lower'] });
  });

  it.each(['1.36', '1.37'] as const)('a member of a group does not preempt alone (%s)', (release) => {
    const spec = { schedulingGroup: { podGroupName: 'job' } };
    const plan = planFor(
      snapshotOf(podNamed('p', { priority: 'high', requests: 'L', spec }), podGroupNamed('job'), ...full()),
      release,
    );
    expect([plan.outcome, plan.reason]).toEqual([
      'not-eligible',
      'it belongs to the PodGroup default/job, which preempts as a whole; ask with --group default/job',
    ]);
  });

  it('a pod with scheduling gates waits for these', () => {
    const spec = { schedulingGates: [{ name: 'quota' }] };
    const plan = planFor(snapshotOf(podNamed('p', { priority: 'high', requests: 'L', spec }), ...full()));
    expect([plan.outcome, plan.reason, plan.notModelled]).toEqual([
      'not-eligible',
      'its scheduling gates hold it back, and the scheduler does not look at it',
      [],
    ]);
  });
});
