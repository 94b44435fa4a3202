import type { CgroupLayout } from '../../cgroup/paths.ts';
import type { QosPod } from '../../cgroup/qos-pod.ts';
import type { CgroupSnapshot } from '../../cgroup/snapshot.ts';
import type { Warning } from '../../cgroup/warning.ts';
import type { Pod } from '../model/pod.ts';

/** Pods as Memory QoS sees them, and what could not be told of them. */
export interface QosPods {
  readonly pods: readonly QosPod[];
  readonly warnings: readonly Warning[];
}

/** Gives each pod its class in force, its effective resources and its cgroups. */
export function qosPods(
  pods: readonly Pod[],
  layout: CgroupLayout,
  snapshot: CgroupSnapshot | undefined,
): QosPods {
  throw new Error(`not written yet: ${pods.length} ${layout.kubepods} ${snapshot?.byCgroup.size ?? 0}`);
}
