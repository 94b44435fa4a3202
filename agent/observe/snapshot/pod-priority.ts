import { podWarning } from '../../../cgroup/warning.ts';
import { podName } from '../../decide/pod-name.ts';
import { type Resolved, resolvePriority } from '../../decide/priority.ts';
import type { PriorityClass, SchedulingPod } from '../../model/cluster.ts';

/**
 * A pod of a snapshot with the priority that it has. One that no node has is new where it has no UID, or where it names no class
 * and has no number, as no admission leaves one: then the global default counts, and of a pod that seems to be admitted it is
 * said. A pod that is on a node keeps what it has, for a class that was made later does not change it.
 */
export function resolvedPod(pod: SchedulingPod, classes: readonly PriorityClass[]): Resolved<SchedulingPod> {
  const { nodeName, uid, priority, priorityClassName } = pod;
  const isUnresolved = priority === undefined && priorityClassName === undefined;
  const isNew = nodeName === undefined && (uid === undefined || isUnresolved);
  const resolved = resolvePriority(pod, { called: () => `pod ${podName(pod)}`, isNew }, classes);
  const given = resolved.value.priorityClassName;
  if (!isUnresolved || uid === undefined || given === undefined) return resolved;
  const message = `pod ${podName(pod)}: it states no priority, so that of the global default counts (${resolved.value.priority}, PriorityClass ${given}), as admission gives it`;
  return {
    ...resolved,
    warnings: [...resolved.warnings, podWarning('priority-by-default', podName(pod), message)],
  };
}
