import { type MemoryQosPlan, memoryQosPlan } from '../../agent/decide/memory-qos-plan.ts';
import type { PlanInputs } from '../../agent/decide/plan-inputs.ts';
import type { Pod } from '../../agent/model/pod.ts';
import { readPod } from '../../agent/observe/pods/podspec.ts';
import type { FileTree } from '../../cgroup/file-tree.ts';
import { cgroupLayout } from '../../cgroup/paths.ts';
import { reservedCgroups } from '../../cgroup/reserved.ts';
import { readCgroupSnapshot } from '../../cgroup/snapshot.ts';
import type { KubeletSettings } from '../../config/kubelet/settings.ts';
import { parseQuantity, type Quantity } from '../../config/numbers/quantity.ts';
import type { MemoryQosPolicy } from '../../config/policy.ts';
import type { Threshold } from '../../config/signal.ts';
import type { PlainValue } from '../../config/text/plain-value.ts';

/** An exact amount from its text; a test that misspells one fails. */
export function quantity(text: string): Quantity {
  const parsed = parseQuantity(text);
  if (!parsed.ok) {
    throw new Error(parsed.message);
  }
  return parsed.value;
}

/** A pod from its manifest, as the shipped reader reads it. */
export function podOf(manifest: PlainValue): Pod {
  const read = readPod(manifest);
  if (!read.ok) {
    throw new Error(read.message);
  }
  return read.value;
}

export const HARD_100MI: Threshold = {
  id: 'memory.available-hard-100Mi',
  signal: 'memory.available',
  type: 'hard',
  value: { quantity: 104857600n },
  gracePeriodMs: 0,
  minReclaim: null,
  derived: false,
};

/** A kubelet with reservations of 512Mi each, the gate stated false, the systemd driver. */
export function kubeletSettings(changes: Partial<KubeletSettings> = {}): KubeletSettings {
  return {
    evictionThresholds: [HARD_100MI],
    evictionPressureTransitionPeriodMs: 300_000,
    evictionMaxPodGracePeriodSeconds: 0,
    memoryThrottlingFactor: 0.9,
    memoryReservationPolicy: 'TieredReservation',
    memoryQosGate: false,
    memoryQosGateStatedFalse: true,
    cgroupDriver: 'systemd',
    cgroupDriverStated: true,
    cgroupRoot: '/',
    kubeReserved: new Map([['memory', quantity('512Mi')]]),
    systemReserved: new Map([['memory', quantity('512Mi')]]),
    enforceNodeAllocatable: ['pods'],
    staticPodPath: null,
    ...changes,
  };
}

export const NO_RESERVATIONS: Partial<KubeletSettings> = {
  kubeReserved: new Map(),
  systemReserved: new Map(),
};

export const POLICY: MemoryQosPolicy = {
  memoryThrottlingFactor: 0.9,
  memoryReservationPolicy: 'TieredReservation',
  protection: 'kubelet',
  headroom: 0.05,
};

/** A node of 16Gi whose kernel and mount are like most. */
export const MACHINE: PlanInputs['machine'] = {
  memoryCapacityBytes: 17179869184n,
  pageSizeBytes: 4096,
  kernelRelease: '6.1.0-21-amd64',
  memoryRecursiveProt: true,
};

/** Inputs of a plan that is offline unless a snapshot is among the changes. */
export function planInputs(pods: readonly Pod[], changes: Partial<PlanInputs> = {}): PlanInputs {
  return {
    pods,
    kubelet: kubeletSettings(),
    policy: POLICY,
    thresholds: [HARD_100MI],
    machine: MACHINE,
    nodeObject: undefined,
    layout: cgroupLayout('systemd', '/'),
    snapshot: undefined,
    warnings: [],
    ...changes,
  };
}

/** A plan on a tree, read as the command reads it. */
export function planOn(
  tree: FileTree,
  pods: readonly Pod[],
  changes: Partial<Omit<PlanInputs, 'snapshot'>> = {},
): MemoryQosPlan {
  const inputs = planInputs(pods, changes);
  const snapshot = readCgroupSnapshot(tree, {
    layout: inputs.layout,
    reserved: reservedCgroups(inputs.kubelet, inputs.layout).map(({ cgroup }) => cgroup),
    workingSets: inputs.policy.protection === 'safe',
  });
  return memoryQosPlan({ ...inputs, snapshot });
}
