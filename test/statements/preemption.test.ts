import { describe, expect, it } from 'vitest';
import { planPodPreemption } from '../../agent/whatif/preempt/plan-pod.ts';
import type { PlainRecord } from '../../config/text/plain-value.ts';
import {
  budgetFor,
  compositeNamed,
  nodeNamed,
  planFor,
  podGroupNamed,
  podNamed,
  snapshotOf,
  victimsByNode,
} from '../fakes/cluster.ts';

/** What is commonly said of preemption, by the number of the statement. */
describe('pod priority and preemption', () => {
  const incoming = podNamed('p', { priority: 'mid', requests: 'L' });

  it('P10: pods without any priority count as 0', () => {
    const old = podNamed('old', { requests: 'L', node: 'n', spec: { priority: null } });
    const pending = podNamed('p', { priority: 1, requests: 'L' });
    expect(planFor(snapshotOf(pending, nodeNamed('n'), old)).victims).toMatchObject([
      { name: 'old', priority: 0 },
    ]);
    const equal = podNamed('p', { priority: 0, requests: 'L' });
    expect(planFor(snapshotOf(equal, nodeNamed('n'), old)).outcome).toBe('no-candidate');
  });

  it('P16: a pod that preempts nobody can be preempted', () => {
    const patient = podNamed('patient', { requests: 'L', node: 'n', spec: { preemptionPolicy: 'Never' } });
    expect(victimsByNode(planFor(snapshotOf(incoming, nodeNamed('n'), patient)))).toEqual({ n: ['patient'] });
  });

  it('P28: budgets are kept where that is possible, and broken where it is not', () => {
    const guarded = podNamed('guarded', { requests: 'L', node: 'n', labels: { app: 'a' } });
    const budget = budgetFor('a', { app: 'a' }, 0);
    const only = planFor(snapshotOf(incoming, nodeNamed('n'), guarded, budget));
    expect(only.victims).toMatchObject([{ name: 'guarded', violatesPdb: true }]);
    const free = podNamed('free', { priority: 50, requests: 'L', node: 'm' });
    const both = planFor(snapshotOf(incoming, nodeNamed('n'), guarded, budget, nodeNamed('m'), free));
    expect(both.nominatedNode).toBe('m');
  });

  it('P31: pods of two nodes are never victims of one', () => {
    const half = (name: string, node: string, priority: 'low' | 'high') =>
      podNamed(name, { node, priority, requests: 'L' });
    const big = podNamed('p', { priority: 'mid', requests: 'XL' });
    const plan = planFor(
      snapshotOf(
        big,
        nodeNamed('m'),
        nodeNamed('n'),
        half('a', 'm', 'low'),
        podNamed('stays', { node: 'm', priority: 'high', requests: 'S' }),
        half('b', 'n', 'low'),
        podNamed('too', { node: 'n', priority: 'high', requests: 'S' }),
      ),
    );
    expect([plan.outcome, plan.victims]).toEqual(['no-candidate', []]);
  });

  it('P32: a pod that names no class gets the global default, and 0 only without one', () => {
    const pending: PlainRecord = {
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'main', resources: { requests: { cpu: '300m' } } }] },
    };
    const usual = (globalDefault: boolean): PlainRecord => ({
      kind: 'PriorityClass',
      metadata: { name: 'usual' },
      value: 10,
      globalDefault,
    });
    const lower = podNamed('lower', { requests: 'L', node: 'n' });
    const outcome = (globalDefault: boolean) =>
      planFor(snapshotOf(pending, nodeNamed('n'), lower, usual(globalDefault))).outcome;
    expect([outcome(true), outcome(false)]).toEqual(['planned', 'no-candidate']);
  });

  it('P38, P39: the QoS class of a pod counts for nothing', () => {
    const guaranteed = podNamed('guaranteed', {
      priority: 1,
      node: 'n',
      spec: {
        containers: [{ name: 'main', resources: { limits: { cpu: '200m', memory: '1Mi' } } }],
      },
    });
    const burstable = podNamed('burstable', { priority: 2, requests: 'M', node: 'n' });
    const plan = planFor(
      snapshotOf(incoming, nodeNamed('n', { allocatable: { memory: '1Gi' } }), guaranteed, burstable),
    );
    expect(victimsByNode(plan)).toEqual({ n: ['guaranteed'] });
  });

  it('P22, P29: nobody goes where the pod fits, and a node helps only if it would without all lower pods', () => {
    const lower = podNamed('lower', { requests: 'L', node: 'n' });
    const free = planFor(snapshotOf(incoming, nodeNamed('n'), lower, nodeNamed('m')));
    expect([free.outcome, free.victims]).toEqual(['not-needed', []]);
    const equal = podNamed('equal', { priority: 'mid', requests: 'L', node: 'n' });
    const small = podNamed('small', { requests: 'S', node: 'n' });
    expect(planFor(snapshotOf(incoming, nodeNamed('n'), equal, small))).toMatchObject({
      outcome: 'no-candidate',
      candidates: [{ feasible: false, victims: [] }],
    });
  });

  it('P29: not all that could go do go', () => {
    const pods = ['a', 'b'].map((name) => podNamed(name, { requests: 'M', node: 'n' }));
    const plan = planFor(snapshotOf(incoming, nodeNamed('n'), ...pods));
    expect(plan.victims.map(({ name }) => name)).toEqual(['b']);
  });

  it('P23, P34: only pods of lower priority go, none of equal or higher', () => {
    const outcome = (priority: number) =>
      planFor(snapshotOf(incoming, nodeNamed('n'), podNamed('a', { priority, requests: 'L', node: 'n' })))
        .outcome;
    expect([99, 100, 101].map(outcome)).toEqual(['planned', 'no-candidate', 'no-candidate']);
  });

  it('P24: the node that is made free is named', () => {
    const plan = planFor(snapshotOf(incoming, nodeNamed('n'), podNamed('a', { requests: 'L', node: 'n' })));
    expect(plan.nominatedNode).toBe('n');
  });

  it('P25: a pod that a node is nominated for goes to another one that is free', () => {
    const pending = podNamed('p', { priority: 'mid', requests: 'L', status: { nominatedNodeName: 'n' } });
    const full = podNamed('a', { requests: 'L', node: 'n' });
    const plan = planFor(snapshotOf(pending, nodeNamed('n'), full, nodeNamed('m')));
    expect([plan.outcome, plan.reason]).toEqual([
      'not-needed',
      'it fits on m without preemption (on 1 of 2 nodes)',
    ]);
  });

  it('P26, P36: a pod of higher priority may have the node that is nominated for another', () => {
    const waiting = podNamed('w', { priority: 'low', requests: 'L', status: { nominatedNodeName: 'n' } });
    expect(planFor(snapshotOf(incoming, nodeNamed('n'), waiting)).outcome).toBe('not-needed');
    const higher = podNamed('w', { priority: 'high', requests: 'L', status: { nominatedNodeName: 'n' } });
    expect(planFor(snapshotOf(incoming, nodeNamed('n'), higher)).outcome).toBe('no-candidate');
  });

  it('P30: affinity to pods that would go is not looked at, which the plan says', () => {
    const term = { labelSelector: { matchLabels: { app: 'a' } }, topologyKey: 'kubernetes.io/hostname' };
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    const near = podNamed('p', { priority: 'mid', requests: 'L', spec: { affinity } });
    const lower = podNamed('lower', { requests: 'L', node: 'n', labels: { app: 'a' } });
    expect(planFor(snapshotOf(near, nodeNamed('n'), lower)).notModelled).toEqual(['inter-pod affinity']);
  });

  it('P34: nobody goes for a pod that runs', () => {
    const running = podNamed('p', { priority: 'mid', requests: 'L', node: 'n' });
    const plan = planPodPreemption(
      snapshotOf(running, nodeNamed('n')),
      { namespace: 'default', name: 'p' },
      '1.37',
    );
    expect(plan.ok).toBe(false);
  });

  it('vR1 (alpha, doubtful, not modelled): nobody goes for a pod that waits for more than it has, which is refused in a sentence', () => {
    const sized = (name: string, cpu: string, allocated: string, priority: number): PlainRecord =>
      podNamed(name, {
        priority,
        requests: { cpu },
        node: 'n',
        status: {
          conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Deferred' }],
          containerStatuses: [{ name: 'main', allocatedResources: { cpu: allocated } }],
        },
      });
    const others = ['b', 'c', 'd'].map((name) => sized(name, '200m', '50m', 0));
    const plan = planPodPreemption(
      snapshotOf(sized('p', '200m', '50m', 100), nodeNamed('n', { allocatable: { cpu: '200m' } }), ...others),
      { namespace: 'default', name: 'p' },
      '1.37',
    );
    expect(plan).toEqual({
      ok: false,
      message: 'pod default/p is not pending: it is on node n; name one that is',
    });
  });

  it('P37: the node of the least important victims is taken, unless budgets or a lack of room say otherwise', () => {
    const on = (node: string, priority: number, labels = {}): readonly PlainRecord[] => [
      nodeNamed(node),
      podNamed(`on-${node}`, { priority, requests: 'L', node, labels }),
    ];
    const low = on('m', 1, { app: 'a' });
    const high = on('n', 99);
    expect(planFor(snapshotOf(incoming, ...low, ...high)).nominatedNode).toBe('m');
    const budget = budgetFor('a', { app: 'a' }, 0);
    expect(planFor(snapshotOf(incoming, ...low, ...high, budget)).nominatedNode).toBe('n');
    const stays = podNamed('stays', { priority: 'high', requests: 'L', node: 'm' });
    expect(planFor(snapshotOf(incoming, nodeNamed('m'), stays, ...high)).nominatedNode).toBe('n');
  });

  it('P21: a pod is tried whatever else waits, whose turn it would be', () => {
    const first = podNamed('first', { priority: 'vhigh', requests: 'XL' });
    const lower = podNamed('lower', { requests: 'L', node: 'n' });
    expect(planFor(snapshotOf(incoming, first, nodeNamed('n'), lower)).outcome).toBe('planned');
  });
});

describe('groups that are in the way of one pod', () => {
  const member = (name: string, group: string, node: string, priority: number): PlainRecord =>
    podNamed(name, { priority, requests: 'L', node, spec: { schedulingGroup: { podGroupName: group } } });
  const cluster = (parent: PlainRecord): readonly PlainRecord[] => [
    podNamed('p', { priority: 'mid', requests: 'L' }),
    nodeNamed('n'),
    podGroupNamed('job', { parentCompositePodGroupName: 'root', priority: 7 }),
    compositeNamed('root', parent),
    member('a', 'job', 'n', 7),
    member('b', 'job', 'elsewhere', 7),
  ];

  it('W10: the priority of the group counts, from 1.37 on', () => {
    const high = cluster({ priority: 1000 });
    expect(planFor(snapshotOf(...high), '1.37').outcome).toBe('no-candidate');
    expect(planFor(snapshotOf(...high), '1.36').victims.map(({ name }) => name)).toEqual(['a']);
  });

  it('W15: a composite group goes as its mode says', () => {
    const plan = (mode: PlainRecord) =>
      planFor(snapshotOf(...cluster({ priority: 7, disruptionMode: mode })));
    expect(plan({ all: {} }).victims.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(plan({ single: {} }).victims.map(({ name }) => name)).toEqual(['a']);
  });
});
