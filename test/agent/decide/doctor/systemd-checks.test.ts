import { describe, expect, it } from 'vitest';
import { type FactsChange, settings, toldOf } from '../../../fakes/doctor-facts.ts';

describe('the driver and systemd', () => {
  it.each<[string, string, FactsChange, string]>([
    ['the same driver everywhere', 'cgroup-driver', {}, 'ok: systemd, by the tree and KubeletConfiguration'],
    [
      'a driver that only the tree tells',
      'cgroup-driver',
      { systemd: { driver: { found: 'systemd', configured: 'cgroupfs', isStated: false, used: 'systemd' } } },
      'ok: systemd, by the tree',
    ],
    [
      'two drivers',
      'cgroup-driver',
      { systemd: { driver: { found: 'cgroupfs', configured: 'systemd', isStated: true, used: 'cgroupfs' } } },
      'warning: the tree is laid out by cgroupfs, KubeletConfiguration says systemd | nodeqos goes by cgroupfs; pods of the other one are not seen | set cgroupDriver of the kubelet and of the runtime to the same, or give --cgroup-driver',
    ],
    [
      'no pods, and a configuration',
      'cgroup-driver',
      { systemd: { driver: { configured: 'systemd', isStated: true, used: 'systemd' } } },
      'not-known: systemd by KubeletConfiguration; the tree has no pods to tell | under another driver the cgroups of pods have other names, and none would be found | start the kubelet, or give --cgroup-driver',
    ],
    [
      'no pods, and nothing stated',
      'cgroup-driver',
      { systemd: { driver: { configured: 'cgroupfs', isStated: false, used: 'cgroupfs' } } },
      'not-known: cgroupfs by default; the tree has no pods to tell | under another driver the cgroups of pods have other names, and none would be found | start the kubelet, or give --cgroup-driver',
    ],
    ['systemd answers', 'systemd-bus', {}, 'ok: systemd 252.39 answers'],
    [
      'systemd does not answer',
      'systemd-bus',
      { systemd: { bus: { lack: 'systemd does not answer' } } },
      'warning: systemd does not answer | limits are written to files, and systemd takes them back at each daemon-reload | let nodeqos reach /run/dbus/system_bus_socket, or set memoryQos.writer: cgroupfs',
    ],
    [
      'systemd does not answer, and is the writer',
      'systemd-bus',
      {
        systemd: { bus: { lack: 'systemd does not answer' } },
        own: { settings: settings('memoryQos: {writer: systemd}') },
      },
      'missing: systemd does not answer | memoryQos.writer is systemd, so no limit of a unit can be written | let nodeqos reach /run/dbus/system_bus_socket, or set memoryQos.writer: cgroupfs',
    ],
    [
      'systemd was not asked',
      'systemd-bus',
      { systemd: { bus: undefined } },
      'warning: it was not asked | limits are written to files, and systemd takes them back at each daemon-reload | let nodeqos reach /run/dbus/system_bus_socket, or set memoryQos.writer: cgroupfs',
    ],
    [
      'systemd has none of the pods',
      'systemd-bus',
      { systemd: { bus: { lack: 'systemd does not answer' } }, cgroup: { kubepods: 'kubepods' } },
      'ok: not needed: kubepods is no unit of systemd',
    ],
    [
      'systemd has none of the pods, and is the writer',
      'systemd-bus',
      {
        systemd: { bus: undefined },
        cgroup: { kubepods: 'kubepods' },
        own: { settings: settings('memoryQos: {writer: systemd}') },
      },
      'ok: not needed: kubepods is no unit of systemd',
    ],
    [
      'systemd of a node elsewhere',
      'systemd-bus',
      { root: { kind: 'capture' }, systemd: { bus: undefined }, cgroup: { kubepods: 'kubepods' } },
      'not-known: only the node itself tells | whether limits can be set through systemd is not known | run the doctor on the node',
    ],
  ])('%s', (_sentence, id, change, told) => {
    expect(toldOf(id, change)).toBe(told);
  });
});
