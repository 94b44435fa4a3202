import { describe, expect, it } from 'vitest';
import { memoryQosPlan } from '../../agent/decide/memory-qos-plan.ts';
import { cgroupLayout } from '../../cgroup/paths.ts';
import {
  kubeletSettings,
  MACHINE,
  NO_RESERVATIONS,
  POLICY,
  planInputs,
  planOn,
  podOf,
  quantity,
} from '../fakes/planning.ts';
import { cgroupTree } from '../fakes/tree.ts';

const ID = 'c'.repeat(64);

const WEB = podOf({
  metadata: { namespace: 'shop', name: 'web', uid: 'web-1' },
  spec: {
    containers: [{ name: 'app', resources: { requests: { memory: '256Mi' }, limits: { memory: '1Gi' } } }],
  },
  status: {
    qosClass: 'Burstable',
    containerStatuses: [{ name: 'app', containerID: `containerd://${ID}` }],
  },
});

const POD = 'kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podweb_1.slice';
const CONTAINER = `${POD}/cri-containerd-${ID}.scope`;

function tree() {
  return cgroupTree({
    'kubepods.slice': { current: 300n },
    'kubepods.slice/kubepods-burstable.slice': { current: 300n },
    [POD]: { current: 200n },
    [CONTAINER]: { current: 150n },
    [`${POD}/cri-containerd-pause.scope`]: { current: 50n },
  });
}

describe('memoryQosPlan', () => {
  it('leaves out the container that nodeqos runs in, where the kernel lets it write no limits of that, and says so', () => {
    const whole = planOn(tree(), [WEB]);
    const plan = planOn(tree(), [WEB], { machine: { ...MACHINE, ownNamespaceRoot: CONTAINER } });
    expect(whole.entries.filter(({ cgroup }) => cgroup === CONTAINER)).toHaveLength(3);
    expect(plan.entries).toEqual(whole.entries.filter(({ cgroup }) => cgroup !== CONTAINER));
    expect(plan.warnings).toEqual([
      {
        code: 'own-container-left-out',
        message: `${CONTAINER} is the container that nodeqos itself runs in: the kernel does not let it write limits of that one; those of its pod are written`,
        cgroup: CONTAINER,
        pod: null,
      },
      ...whole.warnings,
    ]);
    const elsewhere = { ...MACHINE, ownNamespaceRoot: 'kubepods.slice/other.scope' };
    expect(planOn(tree(), [WEB], { machine: elsewhere })).toEqual(whole);
  });

  it('offline: everything but what needs a tree', () => {
    const plan = memoryQosPlan(
      planInputs([WEB], { machine: { memoryCapacityBytes: 17179869184n, pageSizeBytes: 4096 } }),
    );
    expect({ ...plan, entries: plan.entries.length }).toStrictEqual({
      apiVersion: 'nodeqos.dev/v1alpha1',
      kind: 'MemoryQosPlan',
      node: {
        memoryCapacityBytes: 17179869184n,
        memoryAllocatableBytes: 16106127360n,
        statusAllocatableBytes: 16001269760n,
        pageSizeBytes: 4096,
        cgroupDriver: 'systemd',
      },
      policy: {
        memoryThrottlingFactor: 0.9,
        memoryReservationPolicy: 'TieredReservation',
        protection: 'kubelet',
      },
      entries: 9,
      summary: { write: 9, keep: 0, missing: 0 },
      warnings: [],
    });
    expect(Object.keys(plan)).not.toContain('effective');
  });

  it('on a node: entries in write order, effective protection in tree order, sandboxes included', () => {
    const plan = planOn(tree(), [WEB]);
    expect(
      plan.entries.map(({ cgroup, file, current, desired, action }) => [
        cgroup,
        file,
        current,
        desired,
        action,
      ]),
    ).toEqual([
      ['kubepods.slice', 'memory.min', '0', '268435456', 'write'],
      ['kubepods.slice', 'memory.low', '0', '268435456', 'write'],
      ['kubepods.slice/kubepods-burstable.slice', 'memory.low', '0', '268435456', 'write'],
      [POD, 'memory.min', '0', '0', 'keep'],
      [POD, 'memory.low', '0', '268435456', 'write'],
      [CONTAINER, 'memory.min', '0', '0', 'keep'],
      [CONTAINER, 'memory.low', '0', '268435456', 'write'],
      [POD, 'memory.high', 'max', 'max', 'keep'],
      [CONTAINER, 'memory.high', 'max', '993210368', 'write'],
    ]);
    expect(plan.summary).toEqual({ write: 6, keep: 3, missing: 0 });
    expect(plan.node).toStrictEqual({
      memoryCapacityBytes: 17179869184n,
      memoryAllocatableBytes: 16106127360n,
      statusAllocatableBytes: 16001269760n,
      pageSizeBytes: 4096,
      cgroupDriver: 'systemd',
      kernelRelease: '6.1.0-21-amd64',
      memoryRecursiveProt: true,
    });
    // kubepods uses 300 of which nothing is claimed for min, so all of its min flows down by usage.
    expect(plan.effective).toEqual([
      { cgroup: 'kubepods.slice', min: 268435456n, low: 268435456n },
      { cgroup: 'kubepods.slice/kubepods-burstable.slice', min: 268435456n, low: 300n },
      { cgroup: POD, min: 178956970n, low: 200n },
      { cgroup: CONTAINER, min: 134217727n, low: 150n },
      { cgroup: `${POD}/cri-containerd-pause.scope`, min: 44739242n, low: 50n },
    ]);
  });

  it('what the tree lacks is not in the effective protection, whatever is planned for it', () => {
    const without = tree().remove(CONTAINER);
    const plan = planOn(without, [WEB], { machine: { ...MACHINE, memoryRecursiveProt: false } });
    expect(plan.effective).toEqual([
      { cgroup: 'kubepods.slice', min: 268435456n, low: 268435456n },
      { cgroup: 'kubepods.slice/kubepods-burstable.slice', min: 0n, low: 300n },
      { cgroup: POD, min: 0n, low: 200n },
      { cgroup: `${POD}/cri-containerd-pause.scope`, min: 0n, low: 0n },
    ]);
    expect(plan.summary).toEqual({ write: 4, keep: 2, missing: 3 });
  });

  it('does not depend on the order of the pods', () => {
    const other = podOf({
      metadata: { namespace: 'a', name: 'b', uid: 'z' },
      spec: { containers: [{ name: 'c' }] },
    });
    expect(planOn(tree(), [WEB, other])).toEqual(planOn(tree(), [other, WEB]));
  });

  it('says nothing of an allocatable that cannot be known', () => {
    const { node } = memoryQosPlan(planInputs([], { machine: { pageSizeBytes: 65536 } }));
    expect(node).toStrictEqual({ pageSizeBytes: 65536, cgroupDriver: 'systemd' });
  });

  const node = {
    name: 'n',
    hugepagesCapacityBytes: 1024n,
    taints: [],
    labels: new Map(),
    capacity: new Map(),
    isUnschedulable: false,
    conditions: [],
  };

  it('takes from the Node what the machine does not say, and its own allocatable', () => {
    const machine = { pageSizeBytes: 4096 };
    const given = { kubelet: kubeletSettings(NO_RESERVATIONS), thresholds: [], machine };
    const nodeObject = { ...node, memoryCapacityBytes: 8192n };
    expect(memoryQosPlan(planInputs([], { ...given, nodeObject })).node).toMatchObject({
      memoryCapacityBytes: 8192n,
      memoryAllocatableBytes: 8192n,
      statusAllocatableBytes: 7168n,
    });
    const stating = { ...nodeObject, memoryAllocatableBytes: 5n };
    const plan = memoryQosPlan(planInputs([], { ...given, nodeObject: stating }));
    expect(plan.node.statusAllocatableBytes).toBe(5n);
  });

  it('the machine wins over the Node for capacity and huge pages', () => {
    const machine = { pageSizeBytes: 4096, memoryCapacityBytes: 4096n, hugepagesBytes: 96n };
    const nodeObject = { ...node, memoryCapacityBytes: 8192n };
    const given = { kubelet: kubeletSettings(NO_RESERVATIONS), thresholds: [], machine, nodeObject };
    expect(memoryQosPlan(planInputs([], given)).node).toMatchObject({
      memoryCapacityBytes: 4096n,
      statusAllocatableBytes: 4000n,
    });
  });

  it('T15: an enforced reservation is an entry of the node, under policy None as well', () => {
    const kubelet = kubeletSettings({
      enforceNodeAllocatable: ['pods', 'kube-reserved'],
      kubeReserved: new Map([['memory', quantity('512Mi')]]),
      kubeReservedCgroup: '/kube.slice',
    });
    const policy = { ...POLICY, memoryReservationPolicy: 'None' } as const;
    const plan = planOn(cgroupTree({ 'kubepods.slice': {}, 'kube.slice': {} }), [], { kubelet, policy });
    expect(plan.entries[0]).toEqual({
      level: 'node',
      namespace: null,
      pod: null,
      uid: null,
      container: null,
      qosClass: null,
      cgroup: 'kube.slice',
      file: 'memory.min',
      current: '0',
      desired: '536870912',
      action: 'write',
      reason: 'floor_page(kube-reserved memory 536870912) = 536870912',
    });
  });

  it('protection safe reads working sets and leaves a root alone that is nearly right', () => {
    const manifest = {
      metadata: { name: 'db', uid: 'db' },
      spec: { containers: [{ name: 'c', resources: { limits: { memory: '40960', cpu: '1' } } }] },
    };
    const cgroups = {
      kubepods: { min: 28672n },
      'kubepods/poddb': { current: 40000n, inactiveFile: 11328n },
    };
    const plan = planOn(cgroupTree(cgroups), [podOf(manifest)], {
      layout: cgroupLayout('cgroupfs', '/'),
      policy: { ...POLICY, protection: 'safe' },
    });
    const root = plan.entries.find(({ cgroup, file }) => cgroup === 'kubepods' && file === 'memory.min');
    expect(root).toMatchObject({ current: '28672', desired: '28672', action: 'keep' });
    expect(root?.reason).toBe(
      'floor_page(sum of min(working set, request) of Guaranteed pods 28672) = 28672; 28672 is within 5% of it and stays',
    );
  });
});
