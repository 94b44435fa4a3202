import { describe, expect, it } from 'vitest';
import type { SchedulingPod } from '../../../../agent/model/cluster.ts';
import type { NodeObject } from '../../../../agent/model/node.ts';
import type { Pod } from '../../../../agent/model/pod.ts';
import { readNodeObject } from '../../../../agent/observe/node-object.ts';
import { readSnapshotTexts } from '../../../../agent/observe/snapshot/read-snapshot.ts';
import { kubeletAdmission } from '../../../../agent/whatif/kubelet/admission.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import { container, podDocument, podOf } from '../../../fakes/pods.ts';

function node(spec: PlainRecord = {}, status: PlainRecord = {}): NodeObject {
  const reading = readNodeObject({
    kind: 'Node',
    metadata: { name: 'n1', labels: { disk: 'ssd' } },
    spec,
    status: { allocatable: { cpu: '1', memory: '1000', pods: 3 }, ...status },
  });
  if (!reading.ok) throw new Error(reading.message);
  return reading.value;
}
const under = (...types: readonly string[]): NodeObject =>
  node({}, { conditions: [...types, 'Ready'].map((type) => ({ type, status: 'True' })) });

const NEW = { name: 'new', requests: { memory: '500' } };
function pod(
  spec: PlainRecord = {},
  requests: PlainRecord = NEW.requests,
  more: Partial<Pod> = {},
): SchedulingPod {
  const document = podDocument({ name: NEW.name, spec: { containers: [container('c', requests)], ...spec } });
  const [read] = readSnapshotTexts([{ file: 'pod.json', text: JSON.stringify(document) }]).snapshot.pods;
  if (read === undefined) throw new Error('no pod was read');
  return { ...read, ...more };
}
const other = (name: string, requests: PlainRecord, more: Partial<Pod> = {}): Pod => ({
  ...podOf({ name, metadata: { uid: `uid-${name}` }, spec: { containers: [container('c', requests)] } }),
  ...more,
});
const CRITICAL: PlainRecord = { priority: 2_000_000_000 };
const NO_EXECUTE = { taints: [{ key: 'a', value: 'x', effect: 'NoExecute' }] };

const ADMITTED = { admit: true, reason: null, message: null, preempts: [] };
const refused = (reason: string, message: string) => ({ admit: false, reason, message, preempts: [] });
const EVICTED = (conditions: string) => refused('Evicted', `The node had condition: [${conditions}].`);
const TAINTED = refused(
  'TaintToleration',
  "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
);
const UNWANTED = refused(
  'NodeAffinity',
  "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
);

describe('the answer of the kubelet', () => {
  it('is yes to a pod that fits', () => {
    expect(kubeletAdmission(pod(), node(), [other('a', { memory: '500' })])).toEqual(ADMITTED);
  });

  it.each<[string, NodeObject, SchedulingPod, object]>([
    ['memory: a BestEffort pod is refused', under('MemoryPressure'), pod({}, {}), EVICTED('MemoryPressure')],
    ['memory: a Burstable one comes in', under('MemoryPressure'), pod(), ADMITTED],
    [
      'memory: one whose status says BestEffort is refused',
      under('MemoryPressure'),
      pod({}, NEW.requests, { reportedQosClass: 'BestEffort' }),
      EVICTED('MemoryPressure'),
    ],
    [
      'memory: a BestEffort one that tolerates its taint comes in',
      under('MemoryPressure'),
      pod(
        {
          tolerations: [
            { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
          ],
        },
        {},
      ),
      ADMITTED,
    ],
    [
      'memory: a toleration of its taint with NoExecute does not help',
      under('MemoryPressure'),
      pod(
        {
          tolerations: [
            { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoExecute' },
          ],
        },
        {},
      ),
      EVICTED('MemoryPressure'),
    ],
    [
      'disk: every pod is refused',
      under('DiskPressure'),
      pod({ tolerations: [{ operator: 'Exists' }] }),
      EVICTED('DiskPressure'),
    ],
    ['process IDs: every pod is refused', under('PIDPressure'), pod(), EVICTED('PIDPressure')],
    [
      'memory and another: every pod is refused',
      under('PIDPressure', 'MemoryPressure', 'DiskPressure'),
      pod(),
      EVICTED('DiskPressure MemoryPressure PIDPressure'),
    ],
    [
      'a critical pod comes in under all',
      under('DiskPressure', 'MemoryPressure'),
      pod(CRITICAL, {}),
      ADMITTED,
    ],
    ['a static pod comes in', under('DiskPressure'), pod({}, {}, { isStatic: true }), ADMITTED],
    ['other conditions are no pressure', under('NetworkUnavailable'), pod(), ADMITTED],
    [
      'a status of Unknown is none',
      node({}, { conditions: [{ type: 'DiskPressure', status: 'Unknown' }] }),
      pod(),
      ADMITTED,
    ],
  ])('under pressure: %s', (_what, one, incoming, answer) => {
    expect(kubeletAdmission(incoming, one, [])).toEqual(answer);
  });

  it.each<[string, NodeObject, SchedulingPod, object]>([
    [
      'memory',
      node(),
      pod({}, { memory: '501' }),
      refused(
        'OutOfmemory',
        "Node didn't have enough resource: memory, requested: 501, used: 500, capacity: 1000",
      ),
    ],
    [
      'cpu before memory, by name',
      node(),
      pod({}, { memory: '501', cpu: '1001m' }),
      refused('OutOfcpu', "Node didn't have enough resource: cpu, requested: 1001, used: 0, capacity: 1000"),
    ],
    [
      'memory before a place, by name',
      node({}, { allocatable: { memory: '1000', pods: 1 } }),
      pod({}, { memory: '501' }),
      refused(
        'OutOfmemory',
        "Node didn't have enough resource: memory, requested: 501, used: 500, capacity: 1000",
      ),
    ],
    [
      'a place',
      node({}, { allocatable: { memory: '1000', pods: 1 } }),
      pod(),
      refused('OutOfpods', "Node didn't have enough resource: pods, requested: 1, used: 1, capacity: 1"),
    ],
    [
      'an extended resource',
      node({}, { allocatable: { memory: '1000', 'x.com/gpu': 1 } }),
      pod({}, { 'x.com/gpu': 2 }),
      refused(
        'OutOfx.com/gpu',
        "Node didn't have enough resource: x.com/gpu, requested: 2, used: 0, capacity: 1",
      ),
    ],
    [
      'resources before taints',
      node(NO_EXECUTE),
      pod({}, { memory: '501' }),
      refused(
        'OutOfmemory',
        "Node didn't have enough resource: memory, requested: 501, used: 500, capacity: 1000",
      ),
    ],
    [
      'the capacity counts where nothing else is stated',
      node({}, { allocatable: null, capacity: { memory: '900' } }),
      pod(),
      refused(
        'OutOfmemory',
        "Node didn't have enough resource: memory, requested: 500, used: 500, capacity: 900",
      ),
    ],
    [
      'a node that states nothing has nothing',
      node({}, { allocatable: null }),
      pod({}, {}),
      refused('OutOfpods', "Node didn't have enough resource: pods, requested: 1, used: 1, capacity: 0"),
    ],
    [
      'nor has one that states an empty list',
      node({}, { allocatable: {} }),
      pod({}, { memory: '1Ti' }),
      refused(
        'OutOfmemory',
        "Node didn't have enough resource: memory, requested: 1099511627776, used: 500, capacity: 0",
      ),
    ],
    [
      'any number of pods fits where their number is not stated',
      node({}, { allocatable: { memory: '1000' } }),
      pod(),
      ADMITTED,
    ],
  ])('for resources: %s', (_what, one, incoming, answer) => {
    expect(kubeletAdmission(incoming, one, [other('a', { memory: '500' })])).toEqual(answer);
  });

  it.each<[string, NodeObject, SchedulingPod, object]>([
    [
      'vZ10: a NoExecute taint refuses a pod that does not tolerate it',
      node(NO_EXECUTE),
      pod({ nodeName: 'n1' }),
      TAINTED,
    ],
    ['vZ10: but no static pod', node(NO_EXECUTE), pod({}, NEW.requests, { isStatic: true }), ADMITTED],
    [
      'one that tolerates it comes in',
      node(NO_EXECUTE),
      pod({ tolerations: [{ key: 'a', value: 'x' }] }),
      ADMITTED,
    ],
    [
      'a NoSchedule taint and a cordon are the scheduler’s',
      node({
        unschedulable: true,
        taints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'b', effect: 'PreferNoSchedule' },
        ],
      }),
      pod(),
      ADMITTED,
    ],
    ['a node selector that the node meets', node(), pod({ nodeSelector: { disk: 'ssd' } }), ADMITTED],
    [
      'a node selector that it does not meet',
      node(NO_EXECUTE),
      pod({ nodeSelector: { disk: 'hdd' } }),
      UNWANTED,
    ],
    [
      'a required affinity that it does not meet',
      node(),
      pod({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'disk', operator: 'NotIn', values: ['ssd'] }] },
              ],
            },
          },
        },
      }),
      UNWANTED,
    ],
    [
      'another node’s name',
      node(NO_EXECUTE),
      pod({ nodeName: 'n2' }),
      refused('NodeName', "Predicate NodeName failed: node(s) didn't match the requested node name"),
    ],
  ])('for the node: %s', (_what, one, incoming, answer) => {
    expect(kubeletAdmission(incoming, one, [])).toEqual(answer);
  });

  describe('to a critical pod that lacks resources', () => {
    const a = other('a', { memory: '500' }, { priority: 7 });
    it('is yes, and others are ended', () => {
      expect(kubeletAdmission(pod(CRITICAL, { memory: '600' }), node(), [a])).toEqual({
        ...ADMITTED,
        preempts: [{ namespace: 'default', name: 'a', uid: 'uid-a', qosClass: 'Burstable', priority: 7 }],
      });
    });
    it('names those without UID and priority too', () => {
      const nameless = podOf({ name: 'b' });
      const full = node({}, { allocatable: { memory: '1000', pods: 1 } });
      expect(kubeletAdmission(pod(CRITICAL), full, [nameless]).preempts).toEqual([
        { namespace: 'default', name: 'b', uid: null, qosClass: 'BestEffort', priority: 0 },
      ]);
    });
    it('is no for what is wrong besides, and nobody is ended', () => {
      expect(kubeletAdmission(pod(CRITICAL, { memory: '600' }), node(NO_EXECUTE), [a])).toEqual(TAINTED);
    });
    it('vZ5: is no where nobody’s end is enough', () => {
      const held = { ...a, priority: 2_000_000_000 };
      expect(kubeletAdmission(pod(CRITICAL, { memory: '600', cpu: '2' }), node(), [held])).toEqual(
        refused(
          'UnexpectedAdmissionError',
          'Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 1000), (res: memory, q: 100), ]',
        ),
      );
    });
  });
});
