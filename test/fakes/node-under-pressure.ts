import { type Files, NodeFolder } from './node-folder.ts';

const MI = 1024 * 1024;

function memory(cgroup: string, current: number, inactiveFile: number): Files {
  return {
    [`${cgroup}/memory.current`]: `${current * MI}\n`,
    [`${cgroup}/memory.stat`]: `anon ${(current - inactiveFile) * MI}\nfile ${inactiveFile * MI}\ninactive_file ${inactiveFile * MI}\n`,
    [`${cgroup}/memory.min`]: '0\n',
    [`${cgroup}/memory.low`]: '0\n',
    [`${cgroup}/memory.high`]: 'max\n',
    [`${cgroup}/memory.max`]: 'max\n',
  };
}

function pod(name: string, resources: object, more: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'shop', name, uid: `uid-${name}` },
    spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'i', resources }], ...more },
    status: { phase: 'Running' },
  };
}

const PODS = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    pod('api', { requests: { memory: '100Mi' }, limits: { memory: '1Gi' } }),
    pod('cache', {}, { priority: -5, tolerations: [{ key: 'b', operator: 'Exists' }] }),
    pod('new', {}),
    pod('vital', { requests: { memory: '50Mi' } }, { priority: 2_000_000_000 }),
  ],
};

const NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1' },
  spec: { taints: [{ key: 'b', effect: 'NoSchedule' }] },
  status: { capacity: { memory: '2Gi' } },
};

const LOW_MEMORY = {
  'memory.stat': `anon ${1900 * MI}\nfile ${200 * MI}\ninactive_file ${100 * MI}\n`,
  ...memory('kubepods', 1000, 40),
  'kubepods/memory.max': `${1024 * MI}\n`,
  ...memory('kubepods/burstable', 900, 30),
  ...memory('kubepods/burstable/poduid-api', 520, 20),
  'kubepods/burstable/poduid-api/pids.current': '7\n',
  ...memory('kubepods/burstable/poduid-vital', 350, 0),
  ...memory('kubepods/besteffort', 70, 10),
  ...memory('kubepods/besteffort/poduid-cache', 70, 10),
  'kubepods/besteffort/poduid-cache/cgroup.procs': '4\n5\n',
};

const KUBELET = [
  'apiVersion: kubelet.config.k8s.io/v1beta1',
  'kind: KubeletConfiguration',
  'cgroupDriver: cgroupfs',
  'featureGates: {MemoryQoS: false}',
  'evictionHard: {memory.available: 100Mi, nodefs.available: 10%}',
  'evictionSoft: {allocatableMemory.available: 10%}',
  'evictionSoftGracePeriod: {allocatableMemory.available: 1m}',
  '',
].join('\n');

/** A node of 2Gi with 48Mi left, under cgroupfs, and four pods: one over its request, one of low priority, one without a cgroup, one critical. */
export function nodeUnderPressure(files: Files = {}): NodeFolder {
  return new NodeFolder(LOW_MEMORY, {
    'proc/meminfo': 'MemTotal: 2097152 kB\nMemAvailable: 1048576 kB\n',
    'proc/loadavg': '1.00 1.00 1.00 2/300 99\n',
    'proc/sys/kernel/pid_max': '1000\n',
    'proc/pressure/memory': 'some avg10=1.00 avg60=0.50 avg300=0.00 total=77\n',
    'var/lib/kubelet/config.yaml': KUBELET,
    'pods.json': JSON.stringify(PODS),
    'node.json': JSON.stringify(NODE),
    ...files,
  });
}
