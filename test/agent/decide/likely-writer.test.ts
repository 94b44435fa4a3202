import { expect, it } from 'vitest';
import { likelyWriter } from '../../../agent/decide/likely-writer.ts';

it.each([
  {
    name: 'a kubelet that may write comes first',
    cgroup: 'kubepods.slice',
    kubeletWrites: true,
    driver: 'systemd',
    writer: 'the kubelet (its MemoryQoS gate is not false)',
  },
  {
    name: 'a slice under systemd',
    cgroup: 'kubepods.slice',
    kubeletWrites: false,
    driver: 'systemd',
    writer: 'systemd (daemon-reload and set-property write what the unit says)',
  },
  {
    name: 'a scope under systemd',
    cgroup: 'kubepods.slice/cri-containerd-1.scope',
    kubeletWrites: false,
    driver: 'systemd',
    writer: 'systemd (daemon-reload and set-property write what the unit says)',
  },
  {
    name: 'a cgroup that is no unit',
    cgroup: 'kubepods.slice/inner',
    kubeletWrites: false,
    driver: 'systemd',
    writer: 'the container runtime or another agent',
  },
  {
    name: 'a name that only looks like a unit under cgroupfs',
    cgroup: 'kubepods.slice',
    kubeletWrites: false,
    driver: 'cgroupfs',
    writer: 'the container runtime or another agent',
  },
] as const)('$name', ({ cgroup, kubeletWrites, driver, writer }) => {
  expect(likelyWriter(cgroup, { kubeletWrites, driver })).toBe(writer);
});
