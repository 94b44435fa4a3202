import { describe, expect, it } from 'vitest';
import { type FactsChange, toldOf } from '../../../fakes/doctor-facts.ts';

const ALIVE = 'process 812 is a kubelet';

describe('who else writes', () => {
  it.each<[string, string, FactsChange, string]>([
    ['no kubelet', 'kubelet-memory-qos', {}, 'ok: no kubelet lives here'],
    [
      'a kubelet that may not',
      'kubelet-memory-qos',
      { kubelet: { alive: ALIVE, gate: false } },
      'ok: its gate is false: it leaves memory.min, low and high alone',
    ],
    [
      'a kubelet before 1.37',
      'kubelet-memory-qos',
      { kubelet: { alive: ALIVE, version: 'v1.36.9' } },
      'ok: its gate is off, as v1.36.9 has it by default',
    ],
    [
      'a kubelet before 1.37 whose gate is on',
      'kubelet-memory-qos',
      { kubelet: { alive: ALIVE, version: 'v1.36.9', gate: true } },
      'warning: its gate is on, by KubeletConfiguration | it may write the same files each minute, and values are then changed back and forth | set featureGates: {MemoryQoS: false} for the kubelet, or leave Memory QoS to it (memoryQos.enabled: false)',
    ],
    [
      'a kubelet of 1.37',
      'kubelet-memory-qos',
      { kubelet: { alive: ALIVE, version: 'v1.37.0' } },
      'warning: its gate is not said to be false, and from 1.37 on it is on | it may write the same files each minute, and values are then changed back and forth | set featureGates: {MemoryQoS: false} for the kubelet, or leave Memory QoS to it (memoryQos.enabled: false)',
    ],
    [
      'a kubelet of no version',
      'kubelet-memory-qos',
      { kubelet: { alive: ALIVE, version: undefined } },
      'warning: its gate is not said to be false, and from 1.37 on it is on | it may write the same files each minute, and values are then changed back and forth | set featureGates: {MemoryQoS: false} for the kubelet, or leave Memory QoS to it (memoryQos.enabled: false)',
    ],
    [
      'a kubelet of a version that is none',
      'kubelet-memory-qos',
      { kubelet: { alive: ALIVE, version: 'devel' } },
      'warning: its gate is not said to be false, and from 1.37 on it is on | it may write the same files each minute, and values are then changed back and forth | set featureGates: {MemoryQoS: false} for the kubelet, or leave Memory QoS to it (memoryQos.enabled: false)',
    ],
    [
      'a version without a v',
      'kubelet-memory-qos',
      { kubelet: { alive: ALIVE, version: '1.22' } },
      'ok: its gate is off, as 1.22 has it by default',
    ],
    [
      'a kubelet that cannot be seen',
      'kubelet-memory-qos',
      { kubelet: { alive: undefined, version: undefined } },
      'not-known: its gate is not said to be false, and from 1.37 on it is on | it may write the same files each minute, and values are then changed back and forth | set featureGates: {MemoryQoS: false} for the kubelet, or leave Memory QoS to it (memoryQos.enabled: false)',
    ],
    ['no drop-ins', 'unit-drop-ins', {}, 'ok: none sets a memory limit'],
    [
      'drop-ins',
      'unit-drop-ins',
      {
        writers: {
          units: [
            { file: '/etc/a.conf', keys: ['MemoryHigh', 'MemoryMin'] },
            { file: '/run/b.conf', keys: ['MemoryLow'] },
          ],
          hiddenUnits: ['/etc/x'],
        },
      },
      'warning: /etc/a.conf (MemoryHigh, MemoryMin), /run/b.conf (MemoryLow) | systemd writes them at each daemon-reload, over what nodeqos wrote to the file | remove them (systemctl revert UNIT), or leave those limits to systemd',
    ],
    [
      'more drop-ins than are shown',
      'unit-drop-ins',
      { writers: { units: ['/a', '/b', '/c', '/d', '/e'].map((file) => ({ file, keys: ['MemoryLow'] })) } },
      'warning: /a (MemoryLow), /b (MemoryLow), /c (MemoryLow), and 2 more | systemd writes them at each daemon-reload, over what nodeqos wrote to the file | remove them (systemctl revert UNIT), or leave those limits to systemd',
    ],
    [
      'drop-ins that are hidden',
      'unit-drop-ins',
      { writers: { hiddenUnits: ['/etc/x', '/run/y'] } },
      'not-known: /etc/x, /run/y may not be looked into | systemd writes them at each daemon-reload, over what nodeqos wrote to the file | run the doctor as root',
    ],
    [
      'drop-ins of a node elsewhere',
      'unit-drop-ins',
      { writers: { units: undefined } },
      'not-known: only the node itself tells | systemd writes them at each daemon-reload, over what nodeqos wrote to the file | run the doctor on the node',
    ],
    ['no systemd-oomd', 'systemd-oomd', {}, 'ok: does not run'],
    [
      'systemd-oomd',
      'systemd-oomd',
      { writers: { oomd: 'process 7' } },
      'warning: runs (process 7) | it ends whole cgroups by swap and pressure, beside the evictions of nodeqos | keep ManagedOOMSwap and ManagedOOMMemoryPressure off for kubepods.slice, or stop systemd-oomd',
    ],
    [
      'systemd-oomd of a node elsewhere',
      'systemd-oomd',
      { writers: { oomd: undefined } },
      'not-known: the processes of the node are not seen from here | it ends whole cgroups by swap and pressure, beside the evictions of nodeqos | run the doctor as root, in a container with the PIDs of the host (hostPID)',
    ],
    [
      'systemd-oomd that would not be seen',
      'systemd-oomd',
      { root: { kind: 'folder' }, writers: { oomd: undefined } },
      'not-known: only the node itself tells | it ends whole cgroups by swap and pressure, beside the evictions of nodeqos | run the doctor on the node',
    ],
    ['no agents', 'other-agents', {}, 'ok: none that is known by name'],
    [
      'an agent that kills',
      'other-agents',
      { writers: { agents: [{ name: 'earlyoom', does: 'kills', where: 'process 7' }] } },
      'warning: earlyoom (process 7) | it ends processes for want of memory, so two victims go where one was enough | let one of them do it: stop the other, or keep nodeqos in dry-run for its part',
    ],
    [
      'an agent that limits',
      'other-agents',
      { writers: { agents: [{ name: 'koordlet', does: 'limits', where: 'process 8' }] } },
      'warning: koordlet (process 8) | it writes limits of pods, so values are changed back and forth | let one of them do it: stop the other, or keep nodeqos in dry-run for its part',
    ],
    [
      'both',
      'other-agents',
      {
        writers: {
          agents: [
            { name: 'earlyoom', does: 'kills', where: 'process 7' },
            { name: 'koordlet', does: 'limits', where: 'process 8' },
          ],
        },
      },
      'warning: earlyoom (process 7), koordlet (process 8) | it ends processes for want of memory, so two victims go where one was enough; it writes limits of pods, so values are changed back and forth | let one of them do it: stop the other, or keep nodeqos in dry-run for its part',
    ],
    [
      'agents of a node elsewhere',
      'other-agents',
      { writers: { agents: undefined } },
      'not-known: the processes of the node are not seen from here | two agents take two victims, or write the same limits | run the doctor as root, in a container with the PIDs of the host (hostPID)',
    ],
    [
      'agents that would not be seen',
      'other-agents',
      { root: { kind: 'folder' }, writers: { agents: undefined } },
      'not-known: only the node itself tells | two agents take two victims, or write the same limits | run the doctor on the node',
    ],
    ['no other nodeqos', 'other-nodeqos', {}, 'ok: none besides the one that holds the lock'],
    [
      'other nodeqos',
      'other-nodeqos',
      { writers: { otherNodeqos: [3, 4] } },
      'warning: runs without the lock of this state folder (PID 3, 4) | with a state folder of its own it writes and evicts on its own account | stop it, or give both the same stateDir',
    ],
    [
      'nodeqos of a node elsewhere',
      'other-nodeqos',
      { writers: { otherNodeqos: undefined } },
      'not-known: the processes of the node are not seen from here | two agents take two victims | run the doctor as root, in a container with the PIDs of the host (hostPID)',
    ],
    [
      'nodeqos that would not be seen',
      'other-nodeqos',
      { root: { kind: 'folder' }, writers: { otherNodeqos: undefined } },
      'not-known: only the node itself tells | two agents take two victims | run the doctor on the node',
    ],
    ['no values', 'values-of-others', {}, 'ok: every limit is the default'],
    [
      "nodeqos' own values",
      'values-of-others',
      { writers: { values: { found: [], own: 2 } } },
      "ok: none; 2 are nodeqos' own",
    ],
    [
      'values of others',
      'values-of-others',
      { writers: { values: { found: ['a/memory.high 4096'], own: 2 } } },
      'warning: a/memory.high 4096 | somebody else set them: nodeqos takes them over with apply and run, and reset puts them back | see who writes: most likely systemd (daemon-reload and set-property write what the unit says)',
    ],
    [
      'three values',
      'values-of-others',
      {
        cgroup: { kubepods: 'kubepods' },
        systemd: { driver: { found: 'cgroupfs', configured: 'cgroupfs', isStated: true, used: 'cgroupfs' } },
        writers: { values: { found: ['a', 'b', 'c'], own: 0 } },
      },
      'warning: a, b, c | somebody else set them: nodeqos takes them over with apply and run, and reset puts them back | see who writes: most likely the container runtime or another agent',
    ],
    [
      'four values beside a kubelet that may write',
      'values-of-others',
      { kubelet: { alive: ALIVE, gate: true }, writers: { values: { found: ['a', 'b', 'c', 'd'], own: 0 } } },
      'warning: a, b, c, and 1 more | somebody else set them: nodeqos takes them over with apply and run, and reset puts them back | see who writes: most likely the kubelet (its MemoryQoS gate is not false)',
    ],
    [
      'values and no journal',
      'values-of-others',
      { writers: { values: { found: ['a'], own: 0, journalLack: 'the journal stayed on the node' } } },
      'not-known: a; the journal stayed on the node | whether nodeqos or somebody else set them is not known | run the doctor as root on the node',
    ],
    [
      'no values and no journal',
      'values-of-others',
      { writers: { values: { found: [], own: 0, journalLack: 'the journal stayed on the node' } } },
      'ok: every limit is the default',
    ],
    [
      'values that were not read',
      'values-of-others',
      { writers: { values: { own: 0 } } },
      'not-known: the cgroups of pods were not read | somebody else set them: nodeqos takes them over with apply and run, and reset puts them back | have cgroup v2 first',
    ],
  ])('%s', (_sentence, id, change, told) => {
    expect(toldOf(id, change)).toBe(told);
  });
});
