import { describe, expect, it } from 'vitest';
import type { PlanInputs } from '../../agent/decide/plan-inputs.ts';
import { planWarnings } from '../../agent/decide/plan-warnings.ts';
import { cgroupLayout } from '../../cgroup/paths.ts';
import { readCgroupSnapshot } from '../../cgroup/snapshot.ts';
import { kubeletSettings, MACHINE, POLICY, planInputs, planOn, podOf } from '../fakes/planning.ts';
import { cgroupTree, type FakeTree } from '../fakes/tree.ts';

function warned(changes: Partial<PlanInputs>) {
  return planWarnings(planInputs([], changes), undefined);
}

function snapshotOf(tree: FakeTree) {
  return readCgroupSnapshot(tree, { layout: cgroupLayout('systemd', '/'), reserved: [], workingSets: false });
}

const GATE = {
  code: 'memory-qos-gate',
  message:
    'the MemoryQoS feature gate is not stated as false: a kubelet of 1.37 may write the same files; set featureGates.MemoryQoS: false where nodeqos is to own them',
  cgroup: null,
  pod: null,
};

describe('planWarnings', () => {
  it('pods that run here and are not in the list, counted; a listed one and a slice of somebody else are none', () => {
    const listed = podOf({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', uid: 'u1' },
      spec: { containers: [] },
    });
    const tree = (...cgroups: readonly string[]) =>
      snapshotOf(
        cgroupTree(Object.fromEntries(['kubepods.slice', ...cgroups].map((cgroup) => [cgroup, {}]))),
      );
    const own = 'kubepods.slice/kubepods-podu1.slice';
    const foreign = 'kubepods.slice/kubepods-burstable.slice';
    const strangers = ['u2', 'u3'].map((uid) => `${foreign}/kubepods-burstable-pod${uid}.slice`);
    const machine = { ...MACHINE, memoryRecursiveProt: true };
    expect(planWarnings(planInputs([listed], { machine, snapshot: tree(own, foreign) }), undefined)).toEqual(
      [],
    );
    expect(
      planWarnings(planInputs([listed], { machine, snapshot: tree(own, foreign, ...strangers) }), undefined),
    ).toEqual([
      {
        code: 'pods-not-listed',
        message:
          'pod cgroups below kubepods.slice that are of no pod in the list: 2; their requests are missing in the sums, so check that the list is whole and of this node',
        cgroup: 'kubepods.slice',
        pod: null,
      },
    ]);
  });

  it('a sound node has none', () => {
    expect(warned({})).toEqual([]);
  });

  it.each(['5.8.18', '5.4.0-150-generic', '4.19.0', '3.10.0-1160.el7', '5.0'])(
    'kernel %s is too old',
    (release) => {
      expect(warned({ machine: { ...MACHINE, kernelRelease: release } })).toEqual([
        {
          code: 'kernel-too-old',
          message: `kernel ${release} is older than 5.9: a process above memory.high can be stuck there for ever`,
          cgroup: null,
          pod: null,
        },
      ]);
    },
  );

  it.each(['5.9.0', '5.10.0-28-amd64', '6.1', '6.0.0', '10.1.2', 'unknown', 'x5.4', '5'])(
    'kernel %s is not',
    (release) => {
      expect(warned({ machine: { ...MACHINE, kernelRelease: release } })).toEqual([]);
    },
  );

  it('a kernel that is not known is not old', () => {
    expect(warned({ machine: { pageSizeBytes: 4096 } })).toEqual([]);
  });

  it('a gate that is not stated as false', () => {
    expect(warned({ kubelet: kubeletSettings({ memoryQosGateStatedFalse: false }) })).toEqual([GATE]);
  });

  it('protection safe, where it protects anything', () => {
    expect(warned({ policy: { ...POLICY, protection: 'safe' } })).toEqual([
      {
        code: 'protection-safe',
        message:
          'protection safe: the memory.min of kubepods follows working sets and does not cover the sum of its pods',
        cgroup: null,
        pod: null,
      },
    ]);
    expect(warned({ policy: { ...POLICY, protection: 'safe', memoryReservationPolicy: 'None' } })).toEqual(
      [],
    );
  });

  it('a tree without kubepods', () => {
    const machine = { pageSizeBytes: 4096 };
    expect(warned({ machine, snapshot: snapshotOf(cgroupTree({})) })).toEqual([
      {
        code: 'kubepods-not-found',
        message:
          'there is no cgroup kubepods.slice: either no kubelet has run here, or cgroupRoot or the cgroup driver are others',
        cgroup: 'kubepods.slice',
        pod: null,
      },
    ]);
  });

  it('a mount whose options are not known', () => {
    const snapshot = snapshotOf(cgroupTree({ 'kubepods.slice': {} }));
    expect(warned({ machine: { pageSizeBytes: 4096 }, snapshot })).toEqual([
      {
        code: 'memory-recursiveprot-unknown',
        message:
          'whether the cgroup2 mount has memory_recursiveprot is not known; effective protection is computed without it',
        cgroup: null,
        pod: null,
      },
    ]);
    expect(warned({ machine: { pageSizeBytes: 4096, memoryRecursiveProt: false }, snapshot })).toEqual([]);
  });

  it('comes after what the inputs and the tree had to say, in a fixed order', () => {
    const tree = cgroupTree({ 'kubepods.slice': {} }).write('kubepods.slice/memory.low', '');
    const first = { code: 'first', message: 'm', cgroup: null, pod: null };
    const pod = podOf({ metadata: { name: 'x', uid: 'x' }, spec: { containers: [{ name: 'c' }] } });
    const { warnings } = planOn(tree, [pod], {
      kubelet: kubeletSettings({ memoryQosGateStatedFalse: false }),
      policy: { ...POLICY, protection: 'safe' },
      machine: { pageSizeBytes: 4096, kernelRelease: '5.4' },
      warnings: [first],
    });
    expect(warnings.map(({ code }) => code)).toEqual([
      'first',
      'unreadable-file',
      'container-without-id',
      'pod-not-found',
      'kernel-too-old',
      'memory-qos-gate',
      'protection-safe',
      'memory-recursiveprot-unknown',
    ]);
  });
});

describe('protection that flows to others', () => {
  const guaranteed = podOf({
    metadata: { name: 'g', uid: 'g' },
    spec: { containers: [{ name: 'c', resources: { limits: { memory: '8192', cpu: '1' } } }] },
  });
  const cgroups = {
    'kubepods.slice': { current: 13000n },
    'kubepods.slice/kubepods-besteffort.slice': { current: 6000n },
    'kubepods.slice/kubepods-burstable.slice': { current: 6000n },
    'kubepods.slice/kubepods-podg.slice': { current: 1000n },
  };

  function leaks(tree: FakeTree, recursive: boolean) {
    const { warnings } = planOn(tree, [guaranteed], {
      machine: { ...MACHINE, memoryRecursiveProt: recursive },
    });
    return warnings.filter(({ code }) => code === 'protection-leak');
  }

  it('is named with its amounts', () => {
    expect(leaks(cgroupTree(cgroups), true)).toEqual([
      {
        code: 'protection-leak',
        message:
          'memory.min of kubepods.slice that Guaranteed pods do not use protects others from node-wide reclaim through memory_recursiveprot: kubepods.slice/kubepods-besteffort.slice (3596 bytes), kubepods.slice/kubepods-burstable.slice (3596 bytes)',
        cgroup: 'kubepods.slice',
        pod: null,
      },
    ]);
  });

  it('does not happen without the mount option, nor where all of it is used', () => {
    expect(leaks(cgroupTree(cgroups), false)).toEqual([]);
    const busy = { ...cgroups, 'kubepods.slice/kubepods-podg.slice': { current: 8192n } };
    expect(leaks(cgroupTree(busy), true)).toEqual([]);
  });

  it('is not what a tier asks for itself', () => {
    const asking = {
      ...cgroups,
      'kubepods.slice/kubepods-besteffort.slice': { current: 6000n, min: 4096n },
      'kubepods.slice/kubepods-burstable.slice': { current: 0n },
    };
    expect(leaks(cgroupTree(asking), true)).toEqual([]);
  });
});
