import { describe, expect, it } from 'vitest';
import { readSnapshotTexts } from '../../../../agent/observe/snapshot/read-snapshot.ts';
import { planKubeletPreemption } from '../../../../agent/whatif/kubelet/plan-preemption.ts';

const pod = (name: string, requests: object, spec: object = {}, more: object = {}) => ({
  kind: 'Pod',
  metadata: { namespace: 'ns', name, labels: { app: name } },
  spec: { nodeName: 'n1', containers: [{ name: 'c', resources: { requests } }], ...spec },
  ...more,
});
const CRITICAL = { priority: 2_000_000_000, nodeName: null };
const incoming = (requests: object, spec: object = CRITICAL, more: object = {}) =>
  pod('new', requests, spec, more);
const node = (status: object = { allocatable: { cpu: '1', memory: '1Gi', pods: 9 } }) => ({
  kind: 'Node',
  metadata: { name: 'n1' },
  status,
});
const budget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { namespace: 'ns', name: 'b' },
  spec: { selector: { matchLabels: { app: 'low' } } },
};

const PODS = [
  pod('low', { memory: '400Mi' }, { priority: 1 }, { status: { startTime: '2026-03-01T10:00:00Z' } }),
  pod('high', { memory: '400Mi', cpu: '600m' }, { priority: 9 }),
  pod('elsewhere', { memory: '1Gi' }, { nodeName: 'n2' }),
];
function plan(objects: readonly object[], name = 'new', nodeName = 'n1') {
  const items = objects.some((one) => 'kind' in one && one.kind === 'Node') ? objects : [node(), ...objects];
  const { snapshot } = readSnapshotTexts([{ file: 's.json', text: JSON.stringify({ kind: 'List', items }) }]);
  return planKubeletPreemption(snapshot, { namespace: 'ns', name }, nodeName);
}
const NOTHING = {
  nominatedNode: null,
  tiedNodes: [],
  victims: [],
  candidates: [],
  notModelled: [],
  warnings: [],
};
const infeasible = (reason: string) => ({
  node: 'n1',
  feasible: false,
  reason,
  victims: [],
  spared: [],
  pdbViolations: 0,
  highestVictimPriority: null,
  prioritySum: 0,
  victimCount: 0,
  latestStartTime: null,
});

describe('the plan of the kubelet', () => {
  it('is nothing where the pod fits', () => {
    expect(plan([incoming({ memory: '200Mi' }), ...PODS])).toEqual({
      ok: true,
      value: { ...NOTHING, outcome: 'not-needed', reason: 'it fits on n1 as it is' },
    });
  });
  it('is nothing for a pod that is not critical', () => {
    expect(
      plan([incoming({ memory: '225Mi', cpu: '500m' }, { nodeName: 'n1', priority: 5 }), ...PODS]),
    ).toEqual({
      ok: true,
      value: {
        ...NOTHING,
        outcome: 'not-eligible',
        reason:
          'it is not critical, and the kubelet ends others for critical pods alone; n1 lacks 100m of cpu, 1Mi of memory',
      },
    });
  });
  it('names who goes by priority, and which budgets that breaks', () => {
    const low = { namespace: 'ns', name: 'low', node: 'n1', priority: 1, violatesPdb: true };
    const high = { namespace: 'ns', name: 'high', node: 'n1', priority: 9, violatesPdb: false };
    expect(plan([incoming({ memory: '1000Mi', cpu: '1' }), ...PODS, budget])).toEqual({
      ok: true,
      value: {
        ...NOTHING,
        outcome: 'planned',
        reason: 'the kubelet of n1 ends them, each within its own grace period, whatever budgets say',
        victims: [high, low],
        candidates: [
          {
            node: 'n1',
            feasible: true,
            reason: '2 pods would go, 1 of them against a disruption budget',
            victims: [high, low],
            spared: [],
            pdbViolations: 1,
            highestVictimPriority: 9,
            prioritySum: 10,
            victimCount: 2,
            latestStartTime: null,
          },
        ],
      },
    });
  });
  it('of equal priority the kubelet’s own order is kept', () => {
    const others = [
      pod('a', { memory: '100Mi' }),
      pod('b', { memory: '300Mi' }),
      pod('c', { memory: '600Mi' }, { priority: 2_000_000_000 }),
    ];
    const answer = plan([incoming({ memory: '400Mi' }), ...others]);
    expect(answer.ok && answer.value.victims.map(({ name }) => name)).toEqual(['b', 'a']);
  });
  it('is no candidate where all together are not enough', () => {
    const reason = 'even if all went who may, n1 would lack 1Gi of memory, 1 of x.io/a';
    const one = node({ allocatable: { memory: '1Gi', 'x.io/a': '0' } });
    const answer = plan([one, incoming({ memory: '2Gi', 'x.io/a': 1 }), ...PODS]);
    expect(answer.ok && { ...answer.value, warnings: [] }).toEqual({
      ...NOTHING,
      outcome: 'no-candidate',
      reason,
      candidates: [infeasible(reason)],
    });
  });
  it('is no candidate where the node does not say what it has', () => {
    const reason = 'node n1 does not say what pods may request of it';
    const answer = plan([node({}), incoming({ memory: '1' })]);
    expect(answer).toMatchObject({
      ok: true,
      value: {
        outcome: 'no-candidate',
        reason,
        candidates: [infeasible(reason)],
        warnings: [{ code: 'allocatable-unknown' }],
      },
    });
  });
  it.each<[string, readonly object[], string, string, string]>([
    [
      'a node that is not there',
      [incoming({})],
      'new',
      'n9',
      'the snapshot holds no node n9; name one that it holds',
    ],
    [
      'a pod that is not there',
      [],
      'new',
      'n1',
      'the snapshot holds no pod ns/new; name one that is to be let in',
    ],
    [
      'a pod of another node',
      [incoming({}, { nodeName: 'n2' })],
      'new',
      'n1',
      'pod ns/new is not to be let in on node n1: it is on node n2; name one that is',
    ],
    [
      'a pod that runs',
      [incoming({}, CRITICAL, { status: { phase: 'Running' } })],
      'new',
      'n1',
      'pod ns/new is not to be let in on node n1: its phase is Running; name one that is',
    ],
    [
      'a pod that goes',
      [
        {
          ...incoming({}),
          metadata: { namespace: 'ns', name: 'new', deletionTimestamp: '2026-03-01T10:00:00Z' },
        },
      ],
      'new',
      'n1',
      'pod ns/new is not to be let in on node n1: it is being deleted; name one that is',
    ],
  ])('%s is refused', (...row) => {
    const [, objects, name, nodeName, message] = row;
    expect(plan(objects, name, nodeName)).toEqual({ ok: false, message });
  });
  it('a pod that is bound and waits may be asked for', () => {
    const bound = incoming({ memory: '1' }, { nodeName: 'n1' }, { status: { phase: 'Pending' } });
    expect(plan([bound])).toMatchObject({ ok: true, value: { outcome: 'not-needed' } });
  });
});
