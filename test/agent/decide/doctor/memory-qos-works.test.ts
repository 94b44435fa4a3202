import { describe, expect, it } from 'vitest';
import { type FactsChange, settings, toldOf } from '../../../fakes/doctor-facts.ts';

const V1 = { cgroup: { hierarchy: 'v1' } } as const;

describe('what of Memory QoS will work', () => {
  it.each<[string, string, FactsChange, string]>([
    ['a plan', 'memory-qos-plan', {}, 'yes: cgroup tree, capacity and configuration are there'],
    [
      'no plan on a v1 host',
      'memory-qos-plan',
      V1,
      'no: cgroup v2: a cgroup v1 host: the memory controller is on the old hierarchy, and no cgroup2 is mounted',
    ],
    [
      'no plan without a capacity',
      'memory-qos-plan',
      { kernel: { memoryCapacityBytes: undefined } },
      'no: Memory: the capacity is not known: proc/meminfo has no MemTotal that can be read',
    ],
    [
      'no plan on an old kernel',
      'memory-qos-plan',
      { kernel: { release: '4.4.0' } },
      'no: Kernel: 4.4.0 is too old',
    ],
    [
      'a plan on a kernel with the livelock',
      'memory-qos-plan',
      { kernel: { release: '5.4.0' } },
      'yes: cgroup tree, capacity and configuration are there',
    ],
    [
      'no plan without the controller',
      'memory-qos-plan',
      { cgroup: { levels: [{ cgroup: '', role: 'root', isThere: true, controllers: [] }] } },
      'no: Memory controller: not among those of the root: it has none',
    ],
    [
      'no plan where memory is not handed down',
      'memory-qos-plan',
      {
        cgroup: {
          levels: [
            { cgroup: '', role: 'root', isThere: true, controllers: ['memory'], handsDown: [] },
            { cgroup: 'kubepods', role: 'kubepods', isThere: true },
          ],
        },
      },
      'no: Handed down to pods: kubepods has no memory controller',
    ],
    [
      'no plan under a refused KubeletConfiguration',
      'memory-qos-plan',
      { kubelet: { configuration: { kind: 'refused', message: 'k:1:1: no', more: 0 } } },
      'no: KubeletConfiguration: k:1:1: no',
    ],
    [
      'no plan under a refused configuration',
      'memory-qos-plan',
      { own: { configuration: { kind: 'refused', message: 'n:1:1: no', more: 0 } } },
      'no: nodeqos.yaml: n:1:1: no',
    ],
    [
      'a plan without a state folder',
      'memory-qos-plan',
      { own: { stateFolder: { path: '/s', state: 'no-folder' } } },
      'yes: cgroup tree, capacity and configuration are there',
    ],
    [
      'writes through systemd',
      'memory-qos-writes',
      {},
      'yes: through systemd 252.39, as properties of its units',
    ],
    [
      'writes without systemd',
      'memory-qos-writes',
      { systemd: { bus: { lack: 'systemd does not answer' } } },
      'partly: to files, which systemd takes back at each daemon-reload: systemd does not answer',
    ],
    [
      'writes without having asked systemd',
      'memory-qos-writes',
      { systemd: { bus: undefined } },
      'partly: to files, which systemd takes back at each daemon-reload: systemd was not asked',
    ],
    [
      'no writes through a systemd that does not answer',
      'memory-qos-writes',
      {
        systemd: { bus: { lack: 'systemd does not answer' } },
        own: { settings: settings('memoryQos: {writer: systemd}') },
      },
      'no: systemd does not answer, and memoryQos.writer is systemd',
    ],
    [
      'writes to files of units',
      'memory-qos-writes',
      { own: { settings: settings('memoryQos: {writer: cgroupfs}') } },
      'partly: to files (memoryQos.writer: cgroupfs); systemd takes them back at each daemon-reload',
    ],
    [
      'writes to files of no units',
      'memory-qos-writes',
      { cgroup: { kubepods: 'kubepods' }, own: { settings: settings('memoryQos: {writer: cgroupfs}') } },
      'yes: to files',
    ],
    ['writes of no units', 'memory-qos-writes', { cgroup: { kubepods: 'kubepods' } }, 'yes: to files'],
    ['writes in a folder', 'memory-qos-writes', { root: { kind: 'folder' } }, 'yes: to files'],
    [
      'writes in a folder to files',
      'memory-qos-writes',
      { root: { kind: 'folder' }, own: { settings: settings('memoryQos: {writer: cgroupfs}') } },
      'yes: to files',
    ],
    [
      'writes in a capture',
      'memory-qos-writes',
      { root: { kind: 'capture' } },
      'partly: a capture is not written to; what the node allows stayed there',
    ],
    [
      'no writes on a v1 host',
      'memory-qos-writes',
      V1,
      'no: cgroup v2: a cgroup v1 host: the memory controller is on the old hierarchy, and no cgroup2 is mounted',
    ],
    [
      'no writes on a read-only mount',
      'memory-qos-writes',
      { cgroup: { options: ['ro'] } },
      'no: /sys/fs/cgroup is mounted read-only',
    ],
    [
      'no writes where they are off',
      'memory-qos-writes',
      { own: { settings: settings('memoryQos: {enabled: false}') } },
      'no: memoryQos.enabled is false',
    ],
    [
      'no writes by this user',
      'memory-qos-writes',
      { cgroup: { limitWrite: { code: 'EACCES' } } },
      'no: this user may not write limits (EACCES); another one may, such as root',
    ],
    [
      'no writes without a state folder',
      'memory-qos-writes',
      { own: { stateFolder: { path: '/s', state: { code: 'EROFS' } } } },
      'no: /s may not be written (EROFS), and nothing is written without its journal',
    ],
    [
      'no writes with a file for a state folder',
      'memory-qos-writes',
      { own: { stateFolder: { path: '/s', state: 'no-folder' } } },
      'no: /s is no folder, and nothing is written without its journal',
    ],
    [
      'writes with a state folder to be made',
      'memory-qos-writes',
      { own: { stateFolder: { path: '/s', state: 'to-be-made' } } },
      'yes: through systemd 252.39, as properties of its units',
    ],
    [
      'writes before there are pods',
      'memory-qos-writes',
      { cgroup: { limitWrite: undefined } },
      'partly: there is no cgroup kubepods.slice to write to yet',
    ],
    [
      'throttling',
      'throttling',
      {},
      'yes: without swap it takes page cache, and holds back a process that has none',
    ],
    [
      'throttling with swap',
      'throttling',
      { kernel: { swapTotalBytes: 4096n } },
      'yes: memory.high takes memory back before memory.max is reached',
    ],
    [
      'throttling that is not asked for',
      'throttling',
      { own: { policy: { throttles: false, protects: true } } },
      'no: memoryThrottlingFactor is not set, so no memory.high is planned',
    ],
    [
      'throttling on an older kernel',
      'throttling',
      { kernel: { release: '5.8.1' } },
      'partly: before kernel 5.9 a process over memory.high can be held back for ever',
    ],
    [
      'throttling on a kernel that is not known',
      'throttling',
      { kernel: { release: undefined } },
      'yes: without swap it takes page cache, and holds back a process that has none',
    ],
    [
      'no throttling without writes',
      'throttling',
      V1,
      'no: cgroup v2: a cgroup v1 host: the memory controller is on the old hierarchy, and no cgroup2 is mounted',
    ],
    [
      'protection',
      'protection',
      {},
      'yes: all parents are given what their pods need; what a pod leaves unused goes to others (nodeqos plan shows it)',
    ],
    [
      'protection that is not asked for',
      'protection',
      { own: { policy: { throttles: true, protects: false } } },
      'no: memoryReservationPolicy is None, so none is planned',
    ],
    [
      'no protection without writes',
      'protection',
      V1,
      'no: cgroup v2: a cgroup v1 host: the memory controller is on the old hierarchy, and no cgroup2 is mounted',
    ],
    [
      'no protection below a folder without',
      'protection',
      {
        cgroup: {
          ancestors: [
            { cgroup: 'a', min: 4096n, low: 0n },
            { cgroup: 'a/b', min: 0n, low: 0n },
          ],
        },
      },
      'no: a/b above the pods has memory.min and memory.low 0, which takes it from all below',
    ],
    [
      'protection below folders that have some',
      'protection',
      {
        cgroup: {
          ancestors: [
            { cgroup: 'a', min: 0n, low: 'max' },
            { cgroup: 'b', min: 1n, low: 0n },
            { cgroup: 'c' },
          ],
        },
      },
      'yes: all parents are given what their pods need; what a pod leaves unused goes to others (nodeqos plan shows it)',
    ],
    [
      'protection without the option',
      'protection',
      { cgroup: { options: ['rw'] } },
      'partly: without memory_recursiveprot it does not reach cgroups inside a container',
    ],
    [
      'protection of unknown options',
      'protection',
      { cgroup: { options: undefined } },
      'partly: whether the mount has memory_recursiveprot is not known',
    ],
    [
      'drift repair',
      'drift-repair',
      {},
      'yes: nodeqos run reads each value again, and writes what somebody changed',
    ],
    [
      'no drift repair without writes',
      'drift-repair',
      V1,
      'no: cgroup v2: a cgroup v1 host: the memory controller is on the old hierarchy, and no cgroup2 is mounted',
    ],
    [
      'drift repair beside a kubelet that may write',
      'drift-repair',
      { kubelet: { alive: 'process 1 is a kubelet', gate: true } },
      'partly: the kubelet may write the same values; one that is fought over is left alone for a while',
    ],
    [
      'drift repair beside nobody who is seen',
      'drift-repair',
      { kubelet: { alive: undefined, gate: true } },
      'yes: nodeqos run reads each value again, and writes what somebody changed',
    ],
    [
      'drift repair beside others',
      'drift-repair',
      {
        writers: {
          units: [{ file: '/a', keys: ['MemoryLow'] }],
          agents: [
            { name: 'earlyoom', does: 'kills', where: 'x' },
            { name: 'koordlet', does: 'limits', where: 'x' },
          ],
        },
      },
      'partly: systemd and koordlet may write the same values; one that is fought over is left alone for a while',
    ],
    [
      'drift repair of a node elsewhere',
      'drift-repair',
      { writers: { units: undefined, agents: undefined } },
      'yes: nodeqos run reads each value again, and writes what somebody changed',
    ],
  ])('%s', (_sentence, id, change, told) => {
    expect(toldOf(id, change)).toBe(told);
  });
});
