import { isFinished } from '../../decide/critical.ts';
import { type AnyGroup, MOST_LEVELS } from '../../decide/group-tree.ts';
import { byText } from '../../decide/ordered-by.ts';
import { podName } from '../../decide/pod-name.ts';
import type { ClusterSnapshot, SchedulingPod } from '../../model/cluster.ts';
import { groupedBy } from '../grouped-by.ts';
import { BY_NAME } from '../preempt/units.ts';

/** A group with what is in it. Composite ones have children, the others have pods. */
export interface GroupBranch {
  readonly group: AnyGroup;
  /** By name. */
  readonly children: readonly GroupBranch[];
  /** Pods on a node that have not finished. One that is being deleted counts for as long as it is there. */
  readonly running: readonly SchedulingPod[];
  /** Pods that look for a node, in the order in which they are tried: by name. */
  readonly pending: readonly SchedulingPod[];
  /** Pods without a node that their scheduling gates hold back: the scheduler does not try them. */
  readonly gated: readonly SchedulingPod[];
  /** Groups below one of the last level that there may be: what is in them is not looked at. */
  readonly tooDeep: readonly AnyGroup[];
}

type Groups = Pick<ClusterSnapshot, 'pods' | 'podGroups' | 'compositePodGroups'>;

/** A root group with all that is below it, as deep as hierarchies go. */
export function hierarchyOf(root: AnyGroup, groups: Groups): GroupBranch {
  return branchOf(root, groups, membersByGroup(groups.pods), 1);
}

type Members = ReadonlyMap<string, readonly SchedulingPod[]>;

function branchOf(group: AnyGroup, groups: Groups, members: Members, level: number): GroupBranch {
  if (group.kind === 'CompositePodGroup') {
    const below = childrenOf(group, groups);
    const children =
      level < MOST_LEVELS ? below.map((child) => branchOf(child, groups, members, level + 1)) : [];
    const tooDeep = level < MOST_LEVELS ? [] : below;
    return { group, children, running: [], pending: [], gated: [], tooDeep };
  }
  const own = members.get(podName(group)) ?? [];
  const waiting = own.filter(isWaiting);
  return {
    group,
    children: [],
    running: own.filter(({ nodeName }) => nodeName !== undefined),
    pending: waiting.filter((pod) => !isGated(pod)),
    gated: waiting.filter(isGated),
    tooDeep: [],
  };
}

function childrenOf({ namespace, name }: AnyGroup, groups: Groups): readonly AnyGroup[] {
  return [...groups.podGroups, ...groups.compositePodGroups]
    .filter((one) => one.namespace === namespace && one.parent === name)
    .toSorted(byText((one) => `${one.name} ${one.kind}`));
}

function membersByGroup(pods: readonly SchedulingPod[]): Members {
  const present = pods.filter((pod) => pod.podGroupName !== undefined && !isFinished(pod));
  return groupedBy(present.toSorted(BY_NAME), ({ namespace, podGroupName }) =>
    podGroupName === undefined ? undefined : podName({ namespace, name: podGroupName }),
  );
}

function isWaiting({ nodeName, phase, terminating }: SchedulingPod): boolean {
  return nodeName === undefined && !terminating && (phase === undefined || phase === 'Pending');
}

function isGated({ unmodelledUses }: SchedulingPod): boolean {
  return unmodelledUses.includes('scheduling gates');
}

/** All branches, each before those below it. */
export function branchesOf(branch: GroupBranch): readonly GroupBranch[] {
  return [branch, ...branch.children.flatMap(branchesOf)];
}

/** The pods of a hierarchy that are to be placed, in the order in which they are tried. */
export function pendingOf(branch: GroupBranch): readonly SchedulingPod[] {
  return branchesOf(branch).flatMap(({ pending }) => pending);
}

/** How many members a group wants. One of policy `basic` takes what it can get, and without any member it has failed. */
export function minimumOf({ policy }: AnyGroup): number {
  return policy?.kind === 'gang' ? policy.minCount : 1;
}

/** Whether the members that are on nodes already are enough. */
export function isSettled(branch: GroupBranch): boolean {
  const settled = branch.children.filter(isSettled).length + branch.running.length;
  return settled >= minimumOf(branch.group);
}
