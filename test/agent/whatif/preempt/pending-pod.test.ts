import { describe, expect, it } from 'vitest';
import { planPodPreemption } from '../../../../agent/whatif/preempt/plan-pod.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import {
  budgetFor,
  nodeNamed,
  planFor,
  podGroupNamed,
  podNamed,
  snapshotOf,
  victimsByNode,
} from '../../../fakes/cluster.ts';

function refusal(...objects: readonly PlainRecord[]): string {
  const plan = planPodPreemption(snapshotOf(...objects), { namespace: 'default', name: 'p' }, '1.37');
  if (plan.ok) throw new Error(`it is planned: ${plan.value.reason}`);
  return plan.message;
}

describe('the pod that is asked about', () => {
  it.each<readonly [string, readonly PlainRecord[], string]>([
    [
      'is not there',
      [podNamed('q'), nodeNamed('n')],
      'the snapshot holds no pod default/p; name one that is pending',
    ],
    [
      'is of another namespace',
      [podNamed('p', { namespace: 'other' }), nodeNamed('n')],
      'the snapshot holds no pod default/p; name one that is pending',
    ],
    [
      'has a node',
      [podNamed('p', { node: 'n' }), nodeNamed('n')],
      'pod default/p is not pending: it is on node n; name one that is',
    ],
    [
      'has ended',
      [podNamed('p', { status: { phase: 'Failed' } }), nodeNamed('n')],
      'pod default/p is not pending: its phase is Failed; name one that is',
    ],
    [
      'is on its way out',
      [podNamed('p', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }), nodeNamed('n')],
      'pod default/p is not pending: it is being deleted; name one that is',
    ],
    [
      'has no nodes to go to',
      [podNamed('p')],
      'the snapshot holds no Node, so nothing can be said; add what this prints: kubectl get nodes -o yaml',
    ],
  ])('is refused where it %s', (_, objects, sentence) => {
    expect(refusal(...objects)).toBe(sentence);
  });

  it('may have no status at all', () => {
    expect(planFor(snapshotOf(podNamed('p', { status: { phase: null } }), nodeNamed('n'))).outcome).toBe(
      'not-needed',
    );
  });
});

describe('what a plan says beside the victims', () => {
  const required = (more: PlainRecord = {}): PlainRecord => ({
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', ...more }],
  });
  const uses = (spec: PlainRecord): readonly string[] =>
    planFor(snapshotOf(podNamed('p', { spec }), nodeNamed('n'))).notModelled;

  it.each<readonly [string, PlainRecord, readonly string[]]>([
    ['required affinity to pods', { affinity: { podAffinity: required() } }, ['inter-pod affinity']],
    ['required anti-affinity', { affinity: { podAntiAffinity: required() } }, ['inter-pod anti-affinity']],
    [
      'preferences are of no account',
      { affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 }] } } },
      [],
    ],
    [
      'spread, which is hard by default',
      { topologySpreadConstraints: [{ maxSkew: 1 }] },
      ['topology spread constraints'],
    ],
    ['not soft spread', { topologySpreadConstraints: [{ whenUnsatisfiable: 'ScheduleAnyway' }] }, []],
    [
      'volumes that have a place',
      { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
      ['volumes'],
    ],
    ['not volumes that any node has', { volumes: [{ name: 'v', emptyDir: {} }] }, []],
    ['devices', { resourceClaims: [{ name: 'gpu' }] }, ['resource claims']],
    ['another scheduler', { schedulerName: 'mine' }, ['another scheduler']],
    ['not the default one', { schedulerName: 'default-scheduler' }, []],
    [
      'several, each once',
      {
        schedulerName: 'mine',
        resourceClaims: [{ name: 'a' }, { name: 'b' }],
        affinity: { podAntiAffinity: required(), podAffinity: required() },
      },
      ['inter-pod affinity', 'inter-pod anti-affinity', 'resource claims', 'another scheduler'],
    ],
  ])('names what it does not look at: %s', (_, spec, expected) => {
    expect(uses(spec)).toEqual(expected);
  });

  it('warns of tolerations that match nothing, and of nodes that say too little', () => {
    const spec = { tolerations: [{ key: 'a', operator: 'In' }] };
    const { warnings } = planFor(
      snapshotOf(podNamed('p', { spec }), nodeNamed('n'), { kind: 'Node', metadata: { name: 'm' } }),
    );
    expect(warnings.map(({ code }) => code)).toEqual(['unknown-toleration-operator', 'allocatable-unknown']);
  });
});

describe('a pod of a node that the snapshot does not hold', () => {
  const group = podGroupNamed('job', { disruptionMode: { all: {} }, priority: 100 });
  const member = (name: string, node: string): PlainRecord =>
    podNamed(name, {
      node,
      priority: 'mid',
      requests: 'L',
      labels: { app: 'job' },
      spec: { schedulingGroup: { podGroupName: 'job' } },
    });

  it('goes with its group, and counts in sums and budgets', () => {
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'high', requests: 'L' }),
        nodeNamed('n'),
        group,
        member('a', 'n'),
        member('b', 'elsewhere'),
        budgetFor('job', { app: 'job' }, 1),
      ),
    );
    expect(victimsByNode(plan)).toEqual({ n: ['a', 'b'] });
    expect(plan.candidates[0]).toMatchObject({ pdbViolations: 1, prioritySum: 200, victimCount: 2 });
    expect(plan.victims.map(({ node, violatesPdb }) => [node, violatesPdb])).toEqual([
      ['n', false],
      ['elsewhere', true],
    ]);
  });
});
