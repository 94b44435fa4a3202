import type { CgroupLayout } from '../../cgroup/paths.ts';
import type { CgroupSnapshot } from '../../cgroup/snapshot.ts';
import type { Warning } from '../../cgroup/warning.ts';
import type { KubeletSettings } from '../../config/kubelet/settings.ts';
import type { MemoryQosPolicy } from '../../config/policy.ts';
import type { Threshold } from '../../config/signal.ts';
import type { NodeObject } from '../model/node.ts';
import type { Pod } from '../model/pod.ts';

/** What the plan needs of the machine; a field that is absent is not known. */
export interface PlannedMachine {
  readonly memoryCapacityBytes?: bigint;
  readonly hugepagesBytes?: bigint;
  readonly pageSizeBytes: number;
  readonly kernelRelease?: string;
  readonly memoryRecursiveProt?: boolean;
  /** The cgroup whose limits nodeqos may not write, since it is the root of its own cgroup namespace. */
  readonly ownNamespaceRoot?: string;
}

export interface PlanInputs {
  readonly pods: readonly Pod[];
  readonly kubelet: KubeletSettings;
  readonly policy: MemoryQosPolicy;
  readonly thresholds: readonly Threshold[];
  readonly machine: PlannedMachine;
  readonly nodeObject: NodeObject | undefined;
  readonly layout: CgroupLayout;
  /** Undefined: offline. */
  readonly snapshot: CgroupSnapshot | undefined;
  /** What reading the inputs had to say; it goes first among the plan's warnings. */
  readonly warnings: readonly Warning[];
}
