import { isFinished } from '../../decide/critical.ts';
import { type AnyGroup, effectivePriority, type GroupTree } from '../../decide/group-tree.ts';
import { instantOf } from '../../decide/instant.ts';
import { byText, orderedBy } from '../../decide/ordered-by.ts';
import { priorityOf } from '../../decide/priority.ts';
import type { SchedulingPod } from '../../model/cluster.ts';
import type { SchedulerRelease } from './scheduler-release.ts';

/** What a unit is to the scheduler: at equal priority a group is worth more than a pod, and a composite one more than that. */
type UnitRank = 1 | 2 | 3;

/** Pods that stay together or go together: one pod, or all scheduled pods of a group that is disrupted as a whole. */
export interface PreemptionUnit {
  readonly namespace: string;
  /** That of the group, or of the pod. */
  readonly name: string;
  readonly rank: UnitRank;
  /** The effective priority of its pods. */
  readonly priority: number;
  /** By namespace and name, on whatever node. */
  readonly pods: readonly SchedulingPod[];
  /** The earliest start among its pods; absent where none has started. */
  readonly startedAt?: bigint;
}

/** Pods in the order in which they are listed wherever nothing else orders them. */
export const BY_NAME = orderedBy<{ readonly namespace: string; readonly name: string }>(
  byText(({ namespace }) => namespace),
  byText(({ name }) => name),
);

/**
 * The units of all scheduled pods that are not finished. In 1.37 the highest group above a pod with mode `all` is its unit,
 * with all its pods cluster-wide; every other pod is a unit alone, and of a group's rank if it is in one. In 1.36 every pod
 * stands alone with its own priority.
 */
export function preemptionUnits(
  pods: readonly SchedulingPod[],
  tree: GroupTree,
  release: SchedulerRelease,
): readonly PreemptionUnit[] {
  const alone: PreemptionUnit[] = [];
  const whole = new Map<AnyGroup, { readonly priority: number; readonly pods: SchedulingPod[] }>();
  for (const pod of pods) {
    if (pod.nodeName === undefined || isFinished(pod)) continue;
    const groups = release === '1.36' ? [] : tree.groupsOf(pod);
    const group = groups.findLast(({ disruptionMode }) => disruptionMode === 'all');
    const priority = effectivePriority(pod, groups);
    if (group === undefined) {
      const rank = isInGroup(pod, release) ? 2 : 1;
      const { namespace, name } = pod;
      alone.push({ namespace, name, rank, priority, pods: [pod], ...earliestStart([pod]) });
    } else {
      const unit = whole.get(group) ?? { priority, pods: [] };
      unit.pods.push(pod);
      whole.set(group, unit);
    }
  }
  return [
    ...alone,
    ...[...whole].map(([group, { priority, pods: members }]) => wholeUnit(group, priority, members)),
  ];
}

/** A pod that says that it is in a group counts as one of a group even where the group is missing or has another mode. */
function isInGroup(pod: SchedulingPod, release: SchedulerRelease): boolean {
  return release === '1.37' && pod.podGroupName !== undefined;
}

function wholeUnit(group: AnyGroup, priority: number, pods: readonly SchedulingPod[]): PreemptionUnit {
  return {
    namespace: group.namespace,
    name: group.name,
    rank: group.kind === 'CompositePodGroup' ? 3 : 2,
    priority,
    pods: pods.toSorted(BY_NAME),
    ...earliestStart(pods),
  };
}

/** The earliest start among pods in nanoseconds since the epoch, as a part of a unit: empty where none has started. */
export function earliestStart(pods: readonly SchedulingPod[]): Pick<PreemptionUnit, 'startedAt'> {
  let startedAt: bigint | undefined;
  for (const { startTime } of pods) {
    const start = startTime === undefined ? undefined : instantOf(startTime);
    if (start !== undefined && (startedAt === undefined || start < startedAt)) startedAt = start;
  }
  return startedAt === undefined ? {} : { startedAt };
}

/** The priority of a pod by itself, as 1.36 sees it, or with its groups. */
export function priorityFor(pod: SchedulingPod, tree: GroupTree, release: SchedulerRelease): number {
  return release === '1.36' ? priorityOf(pod) : effectivePriority(pod, tree.groupsOf(pod));
}
