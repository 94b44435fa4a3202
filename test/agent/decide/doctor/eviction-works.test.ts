import { describe, expect, it } from 'vitest';
import { type FactsChange, settings, toldOf } from '../../../fakes/doctor-facts.ts';

const V1 = { cgroup: { hierarchy: 'v1' } } as const;
const ALIVE = 'process 812 is a kubelet';
const ACT = 'eviction: {alongsideKubelet: act, thresholds: {hard: {memory.available: 200Mi}}, evictor: cri}';

describe('what of evictions will work', () => {
  it.each<[string, string, FactsChange, string]>([
    ['signals', 'eviction-signals', {}, 'yes: observed: memory.available, pid.available'],
    [
      'no signals on a v1 host',
      'eviction-signals',
      V1,
      'no: cgroup v2: a cgroup v1 host: the memory controller is on the old hierarchy, and no cgroup2 is mounted',
    ],
    [
      'no signals at all',
      'eviction-signals',
      { own: { signals: { wanted: ['memory.available'], observed: [] } } },
      'no: none can be observed',
    ],
    [
      'some signals',
      'eviction-signals',
      {
        own: {
          signals: {
            wanted: ['imagefs.available', 'memory.available', 'nodefs.available'],
            observed: ['memory.available'],
          },
        },
      },
      'partly: observed: memory.available; with a threshold and not observed: imagefs.available, nodefs.available',
    ],
    [
      'signals without memory',
      'eviction-signals',
      { own: { signals: { wanted: ['memory.available'], observed: ['pid.available'] } } },
      'no: memory.available has a threshold and cannot be observed; observed: pid.available',
    ],
    [
      'a trigger',
      'wake-up',
      { pressure: { trigger: { windowSeconds: 2 } } },
      'yes: a trigger with a window of 2 s can be set on /proc/pressure/memory',
    ],
    [
      'a refused trigger',
      'wake-up',
      { pressure: { trigger: { code: 'EINVAL' } } },
      'no: the kernel refused a trigger (EINVAL)',
    ],
    [
      'no PSI',
      'wake-up',
      { pressure: { memory: 'missing', trigger: undefined } },
      'no: there is no PSI that can be read',
    ],
    [
      'no native part',
      'wake-up',
      { pressure: { trigger: undefined }, own: { nativeLack: 'koffi is not there' } },
      'no: there is no native part',
    ],
    [
      'a trigger that nobody tried',
      'wake-up',
      { pressure: { trigger: undefined } },
      'partly: whether a trigger can be set only the node itself tells',
    ],
    [
      'a trigger of a node elsewhere',
      'wake-up',
      {
        root: { kind: 'folder' },
        pressure: { trigger: undefined },
        own: { nativeLack: 'koffi is not there' },
      },
      'partly: whether a trigger can be set only the node itself tells',
    ],
    [
      'by cgroups',
      'evictor-cgroup',
      {},
      'yes: processes are signalled, and after the grace cgroup.kill ends the rest',
    ],
    [
      'by cgroups of a v1 host',
      'evictor-cgroup',
      V1,
      'no: cgroup v2: a cgroup v1 host: the memory controller is on the old hierarchy, and no cgroup2 is mounted',
    ],
    [
      'by cgroups that may not be written',
      'evictor-cgroup',
      { cgroup: { limitWrite: { code: 'EACCES' } } },
      'no: this user may not write to cgroups (EACCES); another one may, such as root',
    ],
    [
      'by cgroups without CAP_KILL',
      'evictor-cgroup',
      { own: { user: { uid: 998, capabilities: ['CAP_DAC_OVERRIDE'] } } },
      'no: this user may not signal the processes of pods (CAP_KILL); another one may, such as root',
    ],
    [
      'by cgroups of a capture',
      'evictor-cgroup',
      { root: { kind: 'capture' }, own: { user: undefined } },
      'partly: who may end pods only the node itself tells',
    ],
    [
      'by cgroups without cgroup.kill',
      'evictor-cgroup',
      { cgroup: { files: { 'cgroup.kill': false } } },
      'partly: without cgroup.kill each process is signalled',
    ],
    [
      'by cgroups without both',
      'evictor-cgroup',
      { cgroup: { files: { 'cgroup.kill': false } }, kernel: { pidfd: { code: 'ENOSYS' } } },
      'partly: without cgroup.kill each process is signalled; without pidfd processes are signalled by PID',
    ],
    [
      'by cgroups without pidfds',
      'evictor-cgroup',
      { kernel: { pidfd: undefined } },
      'partly: without pidfd processes are signalled by PID',
    ],
    [
      'by cgroups of a folder',
      'evictor-cgroup',
      { root: { kind: 'folder' }, kernel: { pidfd: undefined }, own: { user: undefined } },
      'yes: processes are signalled, and after the grace cgroup.kill ends the rest',
    ],
    ['by the runtime', 'evictor-cri', {}, 'yes: containerd is asked at /run/containerd/containerd.sock'],
    [
      'by a runtime that may not be asked',
      'evictor-cri',
      { runtime: { sockets: [{ path: '/s', runtime: 'x', from: 'usual-place', state: 'denied' }] } },
      'no: this user may not open /s',
    ],
    [
      'by a runtime that is not there',
      'evictor-cri',
      { runtime: { sockets: [{ path: '/s', runtime: 'x', from: 'nodeqos.yaml', state: 'missing' }] } },
      'no: /s is no socket of a runtime',
    ],
    [
      'by what is no runtime',
      'evictor-cri',
      { runtime: { sockets: [{ path: '/s', runtime: 'x', from: 'nodeqos.yaml', state: 'no-socket' }] } },
      'no: /s is no socket of a runtime',
    ],
    ['by no runtime', 'evictor-cri', { runtime: { sockets: [] } }, 'no: no socket of a runtime is there'],
    [
      'by a runtime elsewhere',
      'evictor-cri',
      { runtime: { sockets: undefined } },
      'partly: which runtime is there only the node itself tells',
    ],
    [
      'by no API',
      'evictor-api',
      {},
      'no: there are no credentials: no api.kubeconfig and no service account',
    ],
    [
      'by the API',
      'evictor-api',
      {
        kubelet: {
          credentials: [
            { of: 'kubelet', path: '/t', state: 'missing' },
            { of: 'api', path: '/k', state: 'readable' },
          ],
        },
      },
      'partly: /k is there; whether the API server takes it was not asked',
    ],
    [
      'by an API without its file',
      'evictor-api',
      { kubelet: { credentials: [{ of: 'api', path: '/k', state: 'missing' }] } },
      'no: there are no credentials: /k',
    ],
    [
      'by an API whose file may not be read',
      'evictor-api',
      { kubelet: { credentials: [{ of: 'api', path: '/k', state: { code: 'EACCES' } }] } },
      'no: /k cannot be read (EACCES)',
    ],
    [
      'by the API of a capture',
      'evictor-api',
      { root: { kind: 'capture' } },
      'partly: credentials are in no capture',
    ],
    ['alone', 'beside-kubelet', {}, 'yes: there is none: nodeqos evicts'],
    [
      'beside a kubelet',
      'beside-kubelet',
      { kubelet: { alive: ALIVE } },
      'partly: Memory QoS goes on and evictions stay dry: process 812 is a kubelet, which evicts by itself (eviction.alongsideKubelet: observe)',
    ],
    [
      'beside a kubelet, and acting',
      'beside-kubelet',
      { kubelet: { alive: ALIVE }, own: { settings: settings(ACT) } },
      'yes: process 812 is a kubelet, and both evict',
    ],
    [
      'beside a kubelet, acting, with nobody to ask',
      'beside-kubelet',
      { kubelet: { alive: ALIVE }, own: { settings: settings(ACT) }, runtime: { sockets: [] } },
      'partly: Memory QoS goes on and evictions stay dry: the evictor cri has nobody to ask (no socket of a runtime is there), so evictions stay dry; eviction.evictor: cgroup works on cgroups alone',
    ],
    [
      'beside a kubelet, acting behind its back',
      'beside-kubelet',
      {
        kubelet: { alive: ALIVE },
        own: { settings: settings(ACT.replace(', evictor: cri', '')), podsSource: 'dir:/manifests' },
      },
      'no: process 812 is a kubelet, and eviction.alongsideKubelet is act: that needs an evictor other than cgroup, since the kubelet starts again what is killed behind its back',
    ],
    [
      'alone with pods of an API without credentials',
      'beside-kubelet',
      { own: { podsSource: 'api' } },
      'partly: Memory QoS goes on and evictions stay dry: the evictor api for pods from api has nobody to ask (there are no credentials: no api.kubeconfig and no service account), so evictions stay dry; eviction.evictor: cgroup works on cgroups alone',
    ],
    [
      'without evictions',
      'beside-kubelet',
      { own: { settings: settings('eviction: {enabled: false}') } },
      'partly: Memory QoS alone: eviction.enabled is false',
    ],
    [
      'nobody evicts on a v1 host, beside a kubelet or not',
      'beside-kubelet',
      V1,
      'no: cgroup v2: a cgroup v1 host: the memory controller is on the old hierarchy, and no cgroup2 is mounted',
    ],
    [
      'beside what is not known',
      'beside-kubelet',
      { kubelet: { alive: undefined } },
      'partly: whether a kubelet lives here is not known; beside one evictions stay dry by default',
    ],
  ])('%s', (_sentence, id, change, told) => {
    expect(toldOf(id, change)).toBe(told);
  });
});
