import { describe, expect, it } from 'vitest';
import type { SchedulingPod } from '../../../../agent/model/cluster.ts';
import type { NodeObject } from '../../../../agent/model/node.ts';
import type { Pod } from '../../../../agent/model/pod.ts';
import { readNodeObject } from '../../../../agent/observe/node-object.ts';
import { readSnapshotTexts } from '../../../../agent/observe/snapshot/read-snapshot.ts';
import { kubeletAdmission } from '../../../../agent/whatif/kubelet/admission.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import { container, podDocument, podOf } from '../../../fakes/pods.ts';

function node(labels: PlainRecord = {}, status: PlainRecord = {}, spec: PlainRecord = {}): NodeObject {
  const reading = readNodeObject({
    kind: 'Node',
    metadata: { name: 'n1', labels },
    spec,
    status: { allocatable: { cpu: '1', memory: '8Ei', pods: 9 }, ...status },
  });
  if (!reading.ok) throw new Error(reading.message);
  return reading.value;
}

function incoming(spec: PlainRecord, metadata: PlainRecord = {}): SchedulingPod {
  const document = podDocument({ name: 'new', spec, metadata });
  const [pod] = readSnapshotTexts([{ file: 'pod.json', text: JSON.stringify(document) }]).snapshot.pods;
  if (pod === undefined) throw new Error('no pod was read');
  return pod;
}

const OS_LABEL = 'kubernetes.io/os';
const WINDOWS = { os: { name: 'windows' } };
const BY_LABEL = [
  'PodOSSelectorNodeLabelDoesNotMatch',
  "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
];
const BY_SYSTEM = ['PodOSNotSupported', "Failed to admit pod as the OS field doesn't match node OS"];
const BY_POLICY = [
  'SupplementalGroupsPolicyNotSupported',
  'SupplementalGroupsPolicy=Strict is not supported in this node',
];
const BY_PORTS = [
  'NodePorts',
  "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
];
const IN = [null, null];

const answerTo = (pod: SchedulingPod, at: NodeObject, others: readonly Pod[] = []) => {
  const { reason, message } = kubeletAdmission(pod, at, others);
  return [reason, message];
};

describe('the operating system', () => {
  it.each<[string, NodeObject, SchedulingPod, readonly (string | null)[]]>([
    ['windows on a node that says nothing', node(), incoming(WINDOWS), BY_SYSTEM],
    ['linux on a node that says nothing', node(), incoming({ os: { name: 'linux' } }), IN],
    ['linux where the label says so', node({ [OS_LABEL]: 'linux' }), incoming({ os: { name: 'linux' } }), IN],
    ['windows where the label says so', node({ [OS_LABEL]: 'windows' }), incoming(WINDOWS), IN],
    [
      'what the kubelet reports wins over the label',
      node({ [OS_LABEL]: 'windows' }, { nodeInfo: { operatingSystem: 'linux' } }),
      incoming(WINDOWS),
      BY_SYSTEM,
    ],
    [
      'a label of the pod that is another',
      node({ [OS_LABEL]: 'linux' }),
      incoming({}, { labels: { [OS_LABEL]: 'windows' } }),
      BY_LABEL,
    ],
    ['a label of the pod that is the same', node(), incoming({}, { labels: { [OS_LABEL]: 'linux' } }), IN],
    [
      'the label before the field',
      node(),
      incoming(WINDOWS, { labels: { [OS_LABEL]: 'windows' } }),
      BY_LABEL,
    ],
    ['a selector for what the kubelet is', node(), incoming({ nodeSelector: { [OS_LABEL]: 'linux' } }), IN],
  ])('%s', (_, at, pod, answer) => {
    expect(answerTo(pod, at)).toEqual(answer);
  });

  it('comes after pressure and before resources, also for critical pods', () => {
    const full = { ...WINDOWS, priority: 2_000_000_000, containers: [container('c', { cpu: '2' })] };
    expect(answerTo(incoming(full), node())).toEqual(BY_SYSTEM);
    const pressed = node({}, { conditions: [{ type: 'DiskPressure', status: 'True' }] });
    expect(answerTo(incoming(WINDOWS), pressed)[0]).toBe('Evicted');
  });
});

describe('the policy for supplemental groups', () => {
  const strict = incoming({ securityContext: { supplementalGroupsPolicy: 'Strict' } });
  it.each<[string, NodeObject, SchedulingPod, readonly (string | null)[]]>([
    ['Strict where the node does not say that it knows it', node(), strict, BY_POLICY],
    [
      'Strict where it says that it does not',
      node({}, { features: { supplementalGroupsPolicy: false } }),
      strict,
      BY_POLICY,
    ],
    ['Strict where it does', node({}, { features: { supplementalGroupsPolicy: true } }), strict, IN],
    ['Merge', node(), incoming({ securityContext: { supplementalGroupsPolicy: 'Merge' } }), IN],
    [
      'after the operating system',
      node(),
      incoming({ securityContext: { supplementalGroupsPolicy: 'Strict' }, ...WINDOWS }),
      BY_SYSTEM,
    ],
  ])('%s', (_, at, pod, answer) => {
    expect(answerTo(pod, at)).toEqual(answer);
  });
});

describe('host ports', () => {
  const portOf = (port: PlainRecord): PlainRecord => ({ containers: [{ name: 'c', ports: [port] }] });
  const wants = (port: PlainRecord): SchedulingPod => incoming(portOf({ containerPort: 1, ...port }));
  const taker = (port: PlainRecord): Pod =>
    podOf({ name: 'old', metadata: { uid: 'old' }, spec: portOf({ containerPort: 1, ...port }) });
  it.each<[string, PlainRecord, PlainRecord, readonly (string | null)[]]>([
    ['the same', { hostPort: 80 }, { hostPort: 80 }, BY_PORTS],
    ['another', { hostPort: 80 }, { hostPort: 81 }, IN],
    ['the same of another protocol', { hostPort: 80 }, { hostPort: 80, protocol: 'UDP' }, IN],
    ['on one address of all', { hostPort: 80 }, { hostPort: 80, hostIP: '10.0.0.1' }, BY_PORTS],
    [
      'on all addresses of which one is taken',
      { hostPort: 80, hostIP: '10.0.0.1' },
      { hostPort: 80 },
      BY_PORTS,
    ],
    ['on another address', { hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80, hostIP: '10.0.0.2' }, IN],
  ])('%s', (_, taken, wanted, answer) => {
    expect(answerTo(wants(wanted), node(), [taker(taken)])).toEqual(answer);
  });

  it('of pods that have ended are free', () => {
    expect(
      answerTo(wants({ hostPort: 80 }), node(), [{ ...taker({ hostPort: 80 }), phase: 'Failed' }]),
    ).toEqual(IN);
  });

  it('come after resources and the node’s name and before taints', () => {
    const tainted = node({}, {}, { taints: [{ key: 'a', effect: 'NoExecute' }] });
    const others = [taker({ hostPort: 80 })];
    const spec = portOf({ containerPort: 1, hostPort: 80 });
    expect(answerTo(incoming(spec), tainted, others)).toEqual(BY_PORTS);
    expect(answerTo(incoming({ ...spec, nodeName: 'n2' }), tainted, others)[0]).toBe('NodeName');
    const large = { containers: [{ ...portOf({}), name: 'c', resources: { requests: { cpu: '2' } } }] };
    expect(answerTo(incoming(large), tainted, others)[0]).toBe('OutOfcpu');
  });

  it('keep a critical pod out, and nobody is ended for it', () => {
    const spec = {
      containers: [
        { name: 'c', ports: [{ containerPort: 1, hostPort: 80 }], resources: { requests: { cpu: '2' } } },
      ],
    };
    const answer = kubeletAdmission(incoming({ ...spec, priority: 2_000_000_000 }), node(), [
      taker({ hostPort: 80 }),
    ]);
    expect([answer.reason, answer.preempts]).toEqual(['NodePorts', []]);
  });
});

describe('the pod among those that are there', () => {
  const spec = { containers: [container('c', { cpu: '600m' })] };
  const there = (metadata: PlainRecord): Pod => podOf({ name: 'new', metadata, spec });
  it.each<[string, PlainRecord, PlainRecord, boolean]>([
    ['is itself by its UID', { uid: 'a' }, { uid: 'a' }, true],
    ['is another one by its UID, whatever its name', { uid: 'a' }, { uid: 'b' }, false],
    ['is itself by its name where it has no UID yet', {}, { uid: 'b' }, true],
    ['is another one by its namespace', {}, { namespace: 'other', uid: 'b' }, false],
    [
      'is the mirror of a static one',
      { uid: 'h', annotations: { 'kubernetes.io/config.source': 'file' } },
      {
        uid: 'm',
        annotations: { 'kubernetes.io/config.mirror': 'h', 'kubernetes.io/config.hash': 'h' },
      },
      true,
    ],
  ])('%s', (_, own, other, isItself) => {
    const answer = kubeletAdmission(incoming(spec, own), node(), [there(other)]);
    expect(answer.admit).toBe(isItself);
  });
});

describe('sums of amounts', () => {
  it('end where 64 bits do', () => {
    const large = (name: string): Pod =>
      podOf({ name, metadata: { uid: name }, spec: { containers: [container('c', { memory: '7Ei' })] } });
    const pod = incoming({ containers: [container('c', { memory: '1' })] });
    expect(answerTo(pod, node(), [large('a'), large('b')])[1]).toBe(
      "Node didn't have enough resource: memory, requested: 1, used: 9223372036854775807, capacity: 9223372036854775807",
    );
  });
});
