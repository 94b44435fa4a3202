import { describe, expect, it } from 'vitest';
import { cgroupLayout, parsePodCgroup } from '../../cgroup/paths.ts';

const UID = '6a4f2e3b-1c9d-4a5e-8f7b-2d3e4f5a6b7c';
const STATIC_UID = '0123456789abcdef0123456789abcdef';
const ID = 'ab'.repeat(32);

describe('cgroupLayout', () => {
  it('names the tiers under systemd', () => {
    const { driver, kubepods, burstable, besteffort, ancestors } = cgroupLayout('systemd', '/');
    expect({ driver, kubepods, burstable, besteffort, ancestors }).toEqual({
      driver: 'systemd',
      kubepods: 'kubepods.slice',
      burstable: 'kubepods.slice/kubepods-burstable.slice',
      besteffort: 'kubepods.slice/kubepods-besteffort.slice',
      ancestors: [],
    });
  });

  it('names the tiers under cgroupfs', () => {
    const { driver, kubepods, burstable, besteffort, ancestors } = cgroupLayout('cgroupfs', '/');
    expect({ driver, kubepods, burstable, besteffort, ancestors }).toEqual({
      driver: 'cgroupfs',
      kubepods: 'kubepods',
      burstable: 'kubepods/burstable',
      besteffort: 'kubepods/besteffort',
      ancestors: [],
    });
  });

  it.each([
    ['systemd', '/kubelet', 'kubelet.slice/kubelet-kubepods.slice', ['kubelet.slice']],
    ['systemd', 'kubelet.slice', 'kubelet.slice/kubelet-kubepods.slice', ['kubelet.slice']],
    ['systemd', '/a/b-c/', 'a.slice/a-b_c.slice/a-b_c-kubepods.slice', ['a.slice', 'a.slice/a-b_c.slice']],
    ['systemd', '/./../a', 'a.slice/a-kubepods.slice', ['a.slice']],
    ['cgroupfs', '/kubelet', 'kubelet/kubepods', ['kubelet']],
    ['cgroupfs', '/kubelet.slice', 'kubelet.slice/kubepods', ['kubelet.slice']],
    ['cgroupfs', '//a//b-c', 'a/b-c/kubepods', ['a', 'a/b-c']],
    ['cgroupfs', '', 'kubepods', []],
  ] as const)('%s with cgroupRoot %s lies in %s', (driver, root, kubepods, ancestors) => {
    const layout = cgroupLayout(driver, root);
    expect({ kubepods: layout.kubepods, ancestors: layout.ancestors }).toEqual({ kubepods, ancestors });
  });

  it.each([
    [
      '7.5 systemd, Guaranteed',
      'systemd',
      'Guaranteed',
      UID,
      `kubepods.slice/kubepods-pod${UID.replaceAll('-', '_')}.slice`,
    ],
    [
      '7.5 systemd, Burstable',
      'systemd',
      'Burstable',
      UID,
      `kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID.replaceAll('-', '_')}.slice`,
    ],
    ['7.5 cgroupfs, BestEffort', 'cgroupfs', 'BestEffort', UID, `kubepods/besteffort/pod${UID}`],
    [
      '7.5 a UID that is no UUID',
      'systemd',
      'Burstable',
      '1234-abcd-5678-efgh',
      'kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1234_abcd_5678_efgh.slice',
    ],
    [
      '7.5 a static pod',
      'systemd',
      'Burstable',
      STATIC_UID,
      `kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${STATIC_UID}.slice`,
    ],
    [
      'systemd, BestEffort',
      'systemd',
      'BestEffort',
      'u',
      'kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podu.slice',
    ],
    ['cgroupfs, Guaranteed', 'cgroupfs', 'Guaranteed', 'u', 'kubepods/podu'],
    ['cgroupfs, Burstable', 'cgroupfs', 'Burstable', 'u', 'kubepods/burstable/podu'],
  ] as const)('%s', (...[, driver, qosClass, uid, cgroup]) => {
    expect(cgroupLayout(driver, '/').podCgroup(qosClass, uid)).toBe(cgroup);
  });

  it.each(['', '../x', 'a/b', 'a\0b', '.', '..'])('a UID of %j has no cgroup', (uid) => {
    expect(cgroupLayout('systemd', '/').podCgroup('Burstable', uid)).toBeUndefined();
    expect(cgroupLayout('cgroupfs', '/').podCgroup('Burstable', uid)).toBeUndefined();
  });

  it.each([
    ['7.5 containerd under systemd', 'systemd', 'containerd', [`cri-containerd-${ID}.scope`]],
    ['CRI-O under systemd', 'systemd', 'cri-o', [`crio-${ID}.scope`]],
    ['cri-dockerd under systemd', 'systemd', 'docker', [`docker-${ID}.scope`]],
    ['7.5 containerd under cgroupfs', 'cgroupfs', 'containerd', [ID]],
    ['CRI-O under cgroupfs has been both', 'cgroupfs', 'cri-o', [`crio-${ID}`, ID]],
    ['cri-dockerd under cgroupfs', 'cgroupfs', 'docker', [ID]],
    ['an unknown runtime', 'systemd', 'other', []],
    ['an unknown runtime under cgroupfs', 'cgroupfs', 'other', []],
  ] as const)('leaf names: %s', (_name, driver, runtime, names) => {
    expect(cgroupLayout(driver, '/').containerLeafNames(runtime, ID)).toEqual(names);
  });

  it.each(['', '../../x', '..'])('a container ID of %j has no name', (id) => {
    expect(cgroupLayout('cgroupfs', '/').containerLeafNames('containerd', id)).toEqual([]);
  });

  it.each([
    ['systemd', '/system.slice', 'system.slice'],
    ['systemd', '/kube', 'kube.slice'],
    ['systemd', 'runtime/kube-reserved.slice', 'kube.slice/kube-reserved.slice'],
    ['cgroupfs', '/kube.slice', 'kube.slice'],
    ['cgroupfs', '/a/b/', 'a/b'],
    ['systemd', '/', undefined],
    ['cgroupfs', '', undefined],
    ['cgroupfs', '/a/../b', undefined],
    ['cgroupfs', './a', undefined],
    ['systemd', '/a\0', undefined],
  ] as const)('%s: the reserved cgroup %j is %s', (driver, name, cgroup) => {
    expect(cgroupLayout(driver, '/').reservedCgroup(name)).toBe(cgroup);
  });
});

describe('parsePodCgroup', () => {
  const guaranteed = { qosClass: 'Guaranteed', cgroupUid: UID };
  it.each([
    [`kubepods.slice/kubepods-pod${UID.replaceAll('-', '_')}.slice`, guaranteed],
    [
      `/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod${UID.replaceAll('-', '_')}.slice`,
      guaranteed,
    ],
    [
      `kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podx_y.slice`,
      { qosClass: 'Burstable', cgroupUid: 'x-y' },
    ],
    ['kubepods/besteffort/podx-y', { qosClass: 'BestEffort', cgroupUid: 'x-y' }],
    ['kubelet/kubepods/burstable/podx_y', { qosClass: 'Burstable', cgroupUid: 'x_y' }],
    ['kubepods/podx', { qosClass: 'Guaranteed', cgroupUid: 'x' }],
    ['kubepods/besteffort', undefined],
    ['kubepods.slice', undefined],
    ['kubepods.slice/kubepods-pod.slice', undefined],
    ['kubepods/pod', undefined],
    ['kubepods/podx/abc', undefined],
    ['kubepods.slice/kubepods-podx.slice/cri-containerd-1.scope', undefined],
    ['machine.slice/podman', undefined],
    ['machine.slice/machine-podman.slice', undefined],
    ['kubepods/xpodx', undefined],
    ['', undefined],
  ])('%j', (cgroup, pod) => {
    expect(parsePodCgroup(cgroup)).toEqual(pod);
  });

  it('gives back what the layout named, under both drivers', () => {
    for (const driver of ['systemd', 'cgroupfs'] as const) {
      for (const qosClass of ['Guaranteed', 'Burstable', 'BestEffort'] as const) {
        const cgroup = cgroupLayout(driver, '/kubelet').podCgroup(qosClass, UID) ?? '';
        expect(parsePodCgroup(cgroup)).toEqual({ qosClass, cgroupUid: UID });
      }
    }
  });
});
