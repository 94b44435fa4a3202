import { describe, expect, it } from 'vitest';
import { type FactsChange, toldOf } from '../../../fakes/doctor-facts.ts';

const ROOT = { cgroup: '', role: 'root', isThere: true } as const;
const PODS = { cgroup: 'kubepods', role: 'kubepods', isThere: true } as const;
const TIER = { cgroup: 'kubepods/burstable', role: 'tier', isThere: true } as const;

describe('cgroup v2', () => {
  it.each<[string, string, FactsChange, string]>([
    ['a unified host', 'cgroup-mount', {}, 'ok: /sys/fs/cgroup is a cgroup2 mount'],
    [
      'a hybrid host',
      'cgroup-mount',
      { cgroup: { hierarchy: 'hybrid', fault: 'on the old one' } },
      'missing: a hybrid host: the memory controller is on the old hierarchy, beside a cgroup2 mount without it | memory.high, memory.min and memory.low are files of cgroup v2: nothing can be planned or written | boot with systemd.unified_cgroup_hierarchy=1',
    ],
    [
      'a cgroup v1 host',
      'cgroup-mount',
      { cgroup: { hierarchy: 'v1', fault: 'on the old one' } },
      'missing: a cgroup v1 host: the memory controller is on the old hierarchy, and no cgroup2 is mounted | memory.high, memory.min and memory.low are files of cgroup v2: nothing can be planned or written | boot with systemd.unified_cgroup_hierarchy=1',
    ],
    [
      'a folder that is no mount',
      'cgroup-mount',
      { cgroup: { hierarchy: 'none', fault: '/x is not a cgroup2 mount', rootRead: 'missing' } },
      'missing: /x is not a cgroup2 mount | memory.high, memory.min and memory.low are files of cgroup v2: nothing can be planned or written | mount cgroup2 at /sys/fs/cgroup (boot with systemd.unified_cgroup_hierarchy=1), or name the mount with --cgroup-root',
    ],
    [
      'a mount without the controller is a mount',
      'cgroup-mount',
      { cgroup: { fault: 'does not name memory', levels: [{ ...ROOT, controllers: ['cpu'] }] } },
      'ok: /sys/fs/cgroup is a cgroup2 mount',
    ],
    [
      'a folder without the controller that is no mount',
      'cgroup-mount',
      {
        cgroup: {
          hierarchy: 'none',
          fault: 'does not name memory',
          levels: [{ ...ROOT, controllers: ['cpu'] }],
        },
      },
      'missing: does not name memory | memory.high, memory.min and memory.low are files of cgroup v2: nothing can be planned or written | mount cgroup2 at /sys/fs/cgroup (boot with systemd.unified_cgroup_hierarchy=1), or name the mount with --cgroup-root',
    ],
    [
      'a fault of a mount that has the controller',
      'cgroup-mount',
      { cgroup: { fault: '/x is not a cgroup2 mount' } },
      'missing: /x is not a cgroup2 mount | memory.high, memory.min and memory.low are files of cgroup v2: nothing can be planned or written | mount cgroup2 at /sys/fs/cgroup (boot with systemd.unified_cgroup_hierarchy=1), or name the mount with --cgroup-root',
    ],
    [
      'a mount that may not be looked into',
      'cgroup-mount',
      {
        cgroup: {
          fault: '/x/cgroup.controllers cannot be read (EACCES)',
          rootRead: { code: 'EACCES' },
          levels: [ROOT],
        },
      },
      'not-known: /x/cgroup.controllers cannot be read (EACCES) | memory.high, memory.min and memory.low are files of cgroup v2: nothing can be planned or written | run the doctor as a user who may read it',
    ],
    [
      'a read-only mount',
      'cgroup-mount',
      { cgroup: { options: ['ro', 'nsdelegate'] } },
      'warning: /sys/fs/cgroup is mounted read-only | no limit can be written and no pod can be ended through it from here | in a container, mount /sys/fs/cgroup of the host writable; on a host, mount -o remount,rw /sys/fs/cgroup',
    ],
    [
      'a mount of unknown options',
      'cgroup-mount',
      { cgroup: { options: undefined } },
      'ok: /sys/fs/cgroup is a cgroup2 mount',
    ],
    ['the controller', 'memory-controller', {}, 'ok: available; the root has cpu memory pids'],
    [
      'the controller of a hybrid host',
      'memory-controller',
      { cgroup: { hierarchy: 'hybrid' } },
      'missing: on the old hierarchy | without it no cgroup has a memory file | boot with systemd.unified_cgroup_hierarchy=1',
    ],
    [
      'the controller of a v1 host',
      'memory-controller',
      { cgroup: { hierarchy: 'v1' } },
      'missing: on the old hierarchy | without it no cgroup has a memory file | boot with systemd.unified_cgroup_hierarchy=1',
    ],
    [
      'no controller among others',
      'memory-controller',
      { cgroup: { levels: [{ ...ROOT, controllers: ['cpu', 'io'] }] } },
      'missing: not among those of the root: cpu io | without it no cgroup has a memory file | boot without cgroup_disable=memory, or with cgroup_enable=memory',
    ],
    [
      'no controller at all',
      'memory-controller',
      { cgroup: { levels: [{ ...ROOT, controllers: [] }] } },
      'missing: not among those of the root: it has none | without it no cgroup has a memory file | boot without cgroup_disable=memory, or with cgroup_enable=memory',
    ],
    [
      'controllers that may not be read',
      'memory-controller',
      { cgroup: { levels: [ROOT] } },
      'not-known: there is no cgroup.controllers that can be read | without it no cgroup has a memory file | have a cgroup2 mount that this user may read',
    ],
    [
      'controllers of what is no mount',
      'memory-controller',
      { cgroup: { hierarchy: 'none', levels: [ROOT] } },
      'missing: there is no cgroup.controllers that can be read | without it no cgroup has a memory file | have a cgroup2 mount that this user may read',
    ],
    [
      'controllers of what nobody says is a mount',
      'memory-controller',
      { cgroup: { hierarchy: undefined, levels: [ROOT] } },
      'missing: there is no cgroup.controllers that can be read | without it no cgroup has a memory file | have a cgroup2 mount that this user may read',
    ],
    [
      'handed down',
      'memory-handed-down',
      {},
      'ok: kubepods.slice, kubepods-burstable.slice, kubepods-besteffort.slice',
    ],
    [
      'handed down to kubepods and to a tier',
      'memory-handed-down',
      {
        cgroup: {
          levels: [
            ROOT,
            { ...PODS, controllers: ['memory'] },
            { ...TIER, controllers: ['memory'] },
            { ...TIER, cgroup: 'kubepods/besteffort', isThere: false },
          ],
        },
      },
      'ok: kubepods, burstable',
    ],
    [
      'not handed down to kubepods',
      'memory-handed-down',
      { cgroup: { levels: [ROOT, { ...PODS, controllers: ['cpu'] }] } },
      'missing: kubepods has no memory controller | the cgroups of pods below it have no memory file: nothing can be written there | write +memory to cgroup.subtree_control of the root cgroup, which the kubelet and systemd do by themselves',
    ],
    [
      'not handed down by the root, as the root says',
      'memory-handed-down',
      { cgroup: { levels: [{ ...ROOT, handsDown: ['cpu'] }, PODS] } },
      'missing: kubepods has no memory controller | the cgroups of pods below it have no memory file: nothing can be written there | write +memory to cgroup.subtree_control of the root cgroup, which the kubelet and systemd do by themselves',
    ],
    [
      'not handed down to a tier',
      'memory-handed-down',
      { cgroup: { levels: [ROOT, { ...PODS, controllers: ['memory'], handsDown: [] }, TIER] } },
      'missing: kubepods/burstable has no memory controller | the cgroups of pods below it have no memory file: nothing can be written there | write +memory to cgroup.subtree_control of kubepods, which the kubelet and systemd do by themselves',
    ],
    [
      'not handed down to a nested kubepods',
      'memory-handed-down',
      {
        cgroup: {
          levels: [
            ROOT,
            { cgroup: 'kubelet', role: 'above', isThere: true, controllers: ['memory'], handsDown: ['pids'] },
            { ...PODS, cgroup: 'kubelet/kubepods' },
          ],
        },
      },
      'missing: kubelet/kubepods has no memory controller | the cgroups of pods below it have no memory file: nothing can be written there | write +memory to cgroup.subtree_control of kubelet, which the kubelet and systemd do by themselves',
    ],
    [
      'the root needs nobody above it',
      'memory-handed-down',
      {
        cgroup: {
          levels: [
            { ...ROOT, controllers: [], handsDown: ['memory'] },
            { ...PODS, controllers: ['memory'] },
          ],
        },
      },
      'ok: kubepods',
    ],
    [
      'a tier that is not there lacks nothing',
      'memory-handed-down',
      {
        cgroup: {
          levels: [ROOT, { ...PODS, controllers: ['memory'], handsDown: [] }, { ...TIER, isThere: false }],
        },
      },
      'ok: kubepods',
    ],
    [
      'no kubepods',
      'memory-handed-down',
      { cgroup: { kubepods: 'kubepods', levels: [ROOT, { ...PODS, isThere: false }] } },
      'warning: there is no cgroup kubepods | no pod runs under the cgroup driver and cgroupRoot that are gone by, so there is nothing to write yet | start the kubelet, or give --cgroup-driver and the KubeletConfiguration that it runs with',
    ],
    [
      'handed down as far as known',
      'memory-handed-down',
      { cgroup: { kubepods: 'kubepods', levels: [ROOT, { ...PODS, controllers: ['memory'] }, TIER] } },
      'not-known: cgroup.controllers below kubepods cannot be read | where memory is not handed down, cgroups of pods have no memory file | run the doctor as a user who may read the cgroup tree',
    ],
    [
      'handed down on a hybrid host',
      'memory-handed-down',
      { cgroup: { hierarchy: 'hybrid' } },
      'missing: on the old hierarchy | the cgroups of pods have no memory file of cgroup v2 | boot with systemd.unified_cgroup_hierarchy=1',
    ],
    [
      'recursive protection',
      'memory-recursiveprot',
      {},
      'ok: on: protection that a cgroup does not claim goes to those inside it',
    ],
    [
      'no recursive protection',
      'memory-recursiveprot',
      { cgroup: { options: ['rw'] } },
      'warning: off | without it memory.min and memory.low protect the cgroup that has them and nothing inside it that has none of its own | mount -o remount,memory_recursiveprot /sys/fs/cgroup (kernel 5.7 or newer; systemd does it at boot)',
    ],
    [
      'recursive protection of unknown options',
      'memory-recursiveprot',
      { cgroup: { options: undefined } },
      'not-known: the options of the mount are not known | without it memory.min and memory.low protect the cgroup that has them and nothing inside it that has none of its own | look at the line of cgroup2 in /proc/mounts on the node',
    ],
    [
      'recursive protection of a v1 host',
      'memory-recursiveprot',
      { cgroup: { options: undefined, hierarchy: 'v1' } },
      'missing: no cgroup2 mount is in use | without it memory.min and memory.low protect the cgroup that has them and nothing inside it that has none of its own | boot with systemd.unified_cgroup_hierarchy=1',
    ],
    ['delegation', 'nsdelegate', {}, 'ok: on: a cgroup namespace cannot change the limits of its own root'],
    [
      'no delegation',
      'nsdelegate',
      { cgroup: { options: ['rw'] } },
      'warning: off | without it a container with a writable cgroup mount can change its own limits | mount -o remount,nsdelegate /sys/fs/cgroup (systemd does it at boot)',
    ],
    [
      'delegation of a hybrid host',
      'nsdelegate',
      { cgroup: { options: undefined, hierarchy: 'hybrid' } },
      'missing: no cgroup2 mount is in use | without it a container with a writable cgroup mount can change its own limits | boot with systemd.unified_cgroup_hierarchy=1',
    ],
    ['cgroup.kill', 'cgroup-kill', {}, 'ok: there'],
    [
      'no cgroup.kill',
      'cgroup-kill',
      { cgroup: { files: { 'cgroup.kill': false } } },
      'missing: not there | a pod is ended by signalling each of its processes, and a fork can get away from that | use kernel 5.14 or newer',
    ],
    [
      'cgroup.kill by the version',
      'cgroup-kill',
      { kernel: { release: '5.14.0' }, cgroup: { files: {} } },
      'ok: this kernel has it (from 5.14)',
    ],
    [
      'no cgroup.kill by the version',
      'cgroup-kill',
      { kernel: { release: '5.13.9' }, cgroup: { files: {} } },
      'missing: this kernel does not have it (from 5.14) | a pod is ended by signalling each of its processes, and a fork can get away from that | use kernel 5.14 or newer',
    ],
    [
      'cgroup.kill that nothing tells of',
      'cgroup-kill',
      { kernel: { release: undefined }, cgroup: { files: {} } },
      'not-known: no cgroup tells | a pod is ended by signalling each of its processes, and a fork can get away from that | look at cgroup.kill of any cgroup on the node; kernel 5.14 or newer has it',
    ],
    [
      'no cgroup.freeze',
      'cgroup-freeze',
      { cgroup: { files: { 'cgroup.freeze': false } } },
      'missing: not there | processes are signalled while they run and fork | use kernel 5.2 or newer',
    ],
    [
      'cgroup.freeze by the version',
      'cgroup-freeze',
      { kernel: { release: '5.2.0' }, cgroup: { files: {} } },
      'ok: this kernel has it (from 5.2)',
    ],
    [
      'no memory.reclaim',
      'memory-reclaim',
      { cgroup: { files: { 'memory.reclaim': false } } },
      'missing: not there | nobody can take page cache back from a pod without lowering its limits | use kernel 5.19 or newer',
    ],
    [
      'no memory.reclaim by the version',
      'memory-reclaim',
      { kernel: { release: '5.18.0' }, cgroup: { files: {} } },
      'missing: this kernel does not have it (from 5.19) | nobody can take page cache back from a pod without lowering its limits | use kernel 5.19 or newer',
    ],
    [
      'no memory.peak',
      'memory-peak',
      { cgroup: { files: { 'memory.peak': false } } },
      'missing: not there | the most that a pod ever used is not known | use kernel 5.19 or newer',
    ],
    [
      'memory.peak by the version',
      'memory-peak',
      { kernel: { release: '5.19.0' }, cgroup: { files: {} } },
      'ok: this kernel has it (from 5.19)',
    ],
  ])('%s', (_sentence, id, change, told) => {
    expect(toldOf(id, change)).toBe(told);
  });
});
