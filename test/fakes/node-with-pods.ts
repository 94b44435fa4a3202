import { type Files, NodeFolder } from './node-folder.ts';

const UID = {
  burstable: '11111111-0000-4000-8000-000000000001',
  guaranteed: '22222222-0000-4000-8000-000000000002',
};

function dashless(uid: string): string {
  return uid.replaceAll('-', '_');
}

const KUBEPODS = 'kubepods.slice';
export const BURSTABLE = `${KUBEPODS}/kubepods-burstable.slice`;
export const BURSTABLE_POD = `${BURSTABLE}/kubepods-burstable-pod${dashless(UID.burstable)}.slice`;
export const BURSTABLE_CONTAINER = `${BURSTABLE_POD}/cri-containerd-${'b'.repeat(64)}.scope`;
export const GUARANTEED_POD = `${KUBEPODS}/kubepods-pod${dashless(UID.guaranteed)}.slice`;
export const GUARANTEED_CONTAINER = `${GUARANTEED_POD}/cri-containerd-${'a'.repeat(64)}.scope`;
export const SANDBOX = `${BURSTABLE_POD}/cri-containerd-${'5'.repeat(64)}.scope`;

function limits(cgroup: string): Files {
  return {
    [`${cgroup}/memory.min`]: '0\n',
    [`${cgroup}/memory.low`]: '0\n',
    [`${cgroup}/memory.high`]: 'max\n',
    [`${cgroup}/memory.max`]: 'max\n',
    [`${cgroup}/memory.current`]: '8388608\n',
  };
}

const CGROUPS = [
  KUBEPODS,
  BURSTABLE,
  `${KUBEPODS}/kubepods-besteffort.slice`,
  BURSTABLE_POD,
  BURSTABLE_CONTAINER,
  SANDBOX,
  GUARANTEED_POD,
  GUARANTEED_CONTAINER,
  'system.slice',
  'system.slice/ssh.service',
];

const KUBELET = [
  'apiVersion: kubelet.config.k8s.io/v1beta1',
  'kind: KubeletConfiguration',
  'cgroupDriver: systemd',
  'featureGates:',
  '  MemoryQoS: true',
  'memoryThrottlingFactor: 0.9',
  'memoryReservationPolicy: TieredReservation',
  '',
].join('\n');

function pod(name: string, uid: string, id: string, resources: object): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'shop', name, uid },
    spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'i', resources }] },
    status: { phase: 'Running', containerStatuses: [{ name: 'main', containerID: `containerd://${id}` }] },
  };
}

const PODS = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    pod('cart', UID.burstable, 'b'.repeat(64), { requests: { memory: '256Mi' }, limits: { memory: '1Gi' } }),
    pod('till', UID.guaranteed, 'a'.repeat(64), {
      requests: { memory: '512Mi', cpu: '1' },
      limits: { memory: '512Mi', cpu: '1' },
    }),
  ],
};

/** What an unchanged node's plan writes, as `cgroup/file` to value, in the order of writing. */
export const PLANNED: readonly (readonly [string, string])[] = [
  [`${KUBEPODS}/memory.min`, '805306368'],
  [`${KUBEPODS}/memory.low`, '268435456'],
  [`${BURSTABLE}/memory.low`, '268435456'],
  [`${GUARANTEED_POD}/memory.min`, '536870912'],
  [`${BURSTABLE_POD}/memory.low`, '268435456'],
  [`${GUARANTEED_CONTAINER}/memory.min`, '536870912'],
  [`${BURSTABLE_CONTAINER}/memory.low`, '268435456'],
  [`${BURSTABLE_CONTAINER}/memory.high`, '993210368'],
];

/** A node under the systemd driver with a Burstable and a Guaranteed pod, a sandbox, and a slice that is nobody's business. */
export function nodeWithPods(cgroupFiles: Files = {}): NodeFolder {
  const node = new NodeFolder(Object.assign({}, ...CGROUPS.map(limits), cgroupFiles) as Files, {
    'var/lib/kubelet/config.yaml': KUBELET,
    'pods.json': JSON.stringify(PODS),
  });
  return node;
}

/** The arguments that `plan` and `apply` need for such a node. */
export function argumentsFor(node: NodeFolder): readonly string[] {
  return ['--root', node.root, '--pods', node.path('pods.json')];
}
