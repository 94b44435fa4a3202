import { expect, it } from 'vitest';
import { unitNameOf } from '../../../cgroup/units/unit-name.ts';

const POD = 'kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1_2.slice';

it.each([
  ['a slice', 'kubepods.slice', 'kubepods.slice'],
  ['a slice below others', POD, 'kubepods-burstable-pod1_2.slice'],
  ['a scope', `${POD}/cri-containerd-0a.scope`, 'cri-containerd-0a.scope'],
  ['a service', 'system.slice/kubelet.service', 'kubelet.service'],
  ['an instance of a service', 'system.slice/user@0.service', 'user@0.service'],
  ['a socket', 'system.slice/a.socket', 'a.socket'],
  ['a mount with an escaped path', 'system.slice/dev-disk\\x2dby.mount', 'dev-disk\\x2dby.mount'],
  ['a swap', 'system.slice/a.swap', 'a.swap'],
  ['a name with an underscore that keeps it from being a file of cgroupfs', '_memory.slice', 'memory.slice'],
  ['a name of 255 characters', `${'a'.repeat(249)}.slice`, `${'a'.repeat(249)}.slice`],
])('%s is a unit', (_, cgroup, unit) => {
  expect(unitNameOf(cgroup)).toBe(unit);
});

it.each([
  ['a cgroup of the cgroupfs driver', 'kubepods/burstable/pod1'],
  ['a container below a slice, without a unit of its own', `${POD}/0a`],
  ['a device, which has no cgroup', 'system.slice/a.device'],
  ['a kind in the middle', 'a.slice.d'],
  ['a kind without a name', '.slice'],
  ['a name with a blank', 'a b.slice'],
  ['a name of 256 characters', `${'a'.repeat(250)}.slice`],
  ['the root', ''],
])('%s is none', (_, cgroup) => {
  expect(unitNameOf(cgroup)).toBeUndefined();
});
