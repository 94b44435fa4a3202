import { absoluteAllocatableBytes, statusAllocatableBytes } from '../../cgroup/allocatable.ts';
import { type EffectiveProtection, effectiveProtection } from '../../cgroup/effective.ts';
import type { Limit } from '../../cgroup/memory-files.ts';
import { type Plan, planEntries, summarize } from '../../cgroup/plan.ts';
import { desiredMemoryQos } from '../../cgroup/qos.ts';
import type { DesiredValue } from '../../cgroup/qos-pod.ts';
import { reservedCgroups } from '../../cgroup/reserved.ts';
import type { CgroupSnapshot } from '../../cgroup/snapshot.ts';
import { type Warning, warning } from '../../cgroup/warning.ts';
import { API_VERSION } from '../../config/api-version.ts';
import type { CgroupDriver } from '../../config/kubelet/settings.ts';
import type { MemoryQosPolicy } from '../../config/policy.ts';
import type { PlanInputs, PlannedMachine } from './plan-inputs.ts';
import { planWarnings } from './plan-warnings.ts';
import { qosPods } from './qos-pods.ts';

/** What the plan was made for; what is not known is absent. */
interface PlannedNode {
  readonly memoryCapacityBytes?: bigint;
  readonly memoryAllocatableBytes?: bigint;
  readonly statusAllocatableBytes?: bigint;
  readonly pageSizeBytes: number;
  readonly cgroupDriver: CgroupDriver;
  readonly kernelRelease?: string;
  readonly memoryRecursiveProt?: boolean;
}

/** The document of `nodeqos plan` (kind MemoryQosPlan). */
export interface MemoryQosPlan extends Plan {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'MemoryQosPlan';
  readonly node: PlannedNode;
  readonly policy: Pick<MemoryQosPolicy, 'memoryThrottlingFactor' | 'memoryReservationPolicy' | 'protection'>;
}

/** The whole plan from its inputs: same inputs, same plan, in whatever order the pods come. */
export function memoryQosPlan(inputs: PlanInputs): MemoryQosPlan {
  const { machine, policy, snapshot } = inputs;
  const node = plannedNode(inputs);
  const { desired, warnings } = desiredValues(inputs);
  const entries = planEntries(desired, snapshot);
  const effective = snapshot === undefined ? undefined : effectiveAfter(desired, snapshot, machine);
  const read = [...inputs.warnings, ...(snapshot?.warnings ?? [])];
  return {
    apiVersion: API_VERSION,
    kind: 'MemoryQosPlan',
    node,
    policy: {
      memoryThrottlingFactor: policy.memoryThrottlingFactor,
      memoryReservationPolicy: policy.memoryReservationPolicy,
      protection: policy.protection,
    },
    entries,
    summary: summarize(entries),
    warnings: [...read, ...warnings, ...planWarnings(inputs, effective)],
    ...(effective === undefined ? {} : { effective }),
  };
}

/** Every value that is wanted, and what could not be told of the pods; the part of a plan that needs no look at limits. */
export function desiredValues(inputs: PlanInputs): {
  readonly desired: readonly DesiredValue[];
  readonly warnings: readonly Warning[];
} {
  const { kubelet, layout, machine, policy, snapshot } = inputs;
  const { pods, warnings } = qosPods(inputs.pods, layout, snapshot);
  const currentRootMin = snapshot?.kubepods?.min;
  const desired = desiredMemoryQos(pods, {
    node: {
      allocatableBytes: plannedNode(inputs).memoryAllocatableBytes,
      pageSizeBytes: machine.pageSizeBytes,
      reserved: reservedCgroups(kubelet, layout),
      ...(currentRootMin === undefined ? {} : { currentRootMin }),
    },
    policy,
    layout,
  });
  const own = machine.ownNamespaceRoot;
  const writable = desired.filter(({ cgroup }) => own === undefined || cgroup !== own);
  return {
    desired: writable,
    warnings: writable.length === desired.length ? warnings : [...warnings, ownLeftOut(own ?? '')],
  };
}

function ownLeftOut(cgroup: string): Warning {
  const message = `${cgroup} is the container that nodeqos itself runs in: the kernel does not let it write limits of that one; those of its pod are written`;
  return { ...warning('own-container-left-out', message), cgroup };
}

function plannedNode(inputs: PlanInputs): PlannedNode {
  const { machine, nodeObject, kubelet, layout } = inputs;
  const capacity = machine.memoryCapacityBytes ?? nodeObject?.memoryCapacityBytes;
  const allocatable = capacity === undefined ? undefined : absoluteAllocatableBytes(capacity, kubelet);
  const status = statusAllocatable(inputs, capacity);
  return {
    ...(capacity === undefined ? {} : { memoryCapacityBytes: capacity }),
    ...(allocatable === undefined ? {} : { memoryAllocatableBytes: allocatable }),
    ...(status === undefined ? {} : { statusAllocatableBytes: status }),
    pageSizeBytes: machine.pageSizeBytes,
    cgroupDriver: layout.driver,
    ...(machine.kernelRelease === undefined ? {} : { kernelRelease: machine.kernelRelease }),
    ...(machine.memoryRecursiveProt === undefined
      ? {}
      : { memoryRecursiveProt: machine.memoryRecursiveProt }),
  };
}

/** The Node's own statement where there is one. */
function statusAllocatable(inputs: PlanInputs, capacity: bigint | undefined): bigint | undefined {
  const { nodeObject, machine, kubelet, thresholds } = inputs;
  if (nodeObject?.memoryAllocatableBytes !== undefined) {
    return nodeObject.memoryAllocatableBytes;
  }
  const hugepages = machine.hugepagesBytes ?? nodeObject?.hugepagesCapacityBytes ?? 0n;
  return capacity === undefined
    ? undefined
    : statusAllocatableBytes(capacity, kubelet, thresholds, hugepages);
}

/** Effective protection once the plan is written: desired values where there are some, current ones elsewhere. */
function effectiveAfter(
  desired: readonly DesiredValue[],
  snapshot: CgroupSnapshot,
  machine: PlannedMachine,
): readonly EffectiveProtection[] {
  const planned = {
    'memory.min': new Map<string, Limit>(),
    'memory.low': new Map<string, Limit>(),
  };
  for (const { cgroup, file, desired: limit } of desired) {
    if (cgroup !== null && file !== 'memory.high') {
      planned[file].set(cgroup, limit);
    }
  }
  return effectiveProtection(snapshot, {
    recursive: machine.memoryRecursiveProt,
    pageSizeBytes: machine.pageSizeBytes,
    planned: (cgroup, file) => planned[file].get(cgroup),
  });
}
