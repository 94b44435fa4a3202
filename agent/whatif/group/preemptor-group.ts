import { type Parsed, parsed, refused } from '../../../config/result.ts';
import { type AnyGroup, type BrokenHierarchy, type GroupTree, MOST_LEVELS } from '../../decide/group-tree.ts';
import { podName } from '../../decide/pod-name.ts';
import type { ClusterSnapshot } from '../../model/cluster.ts';
import type { PodReference } from '../preempt/pending-pod.ts';
import { NO_NODES } from '../preempt/pending-pod.ts';
import type { SchedulerRelease } from '../preempt/scheduler-release.ts';
import { branchesOf, type GroupBranch } from './group-hierarchy.ts';

/** `PodGroup shop/job`: how a group is called in messages. */
export function groupCalled(group: AnyGroup): string {
  return `${group.kind} ${podName(group)}`;
}

/**
 * The group of a snapshot that is asked about. Refused, in a sentence, where it is not there or could be one of two, where its
 * parents lead to no root, and where no node is.
 */
export function wantedGroup(
  snapshot: ClusterSnapshot,
  wanted: PodReference,
  tree: GroupTree,
  release: SchedulerRelease,
): Parsed<AnyGroup> {
  const called = podName(wanted);
  const found = [...snapshot.podGroups, ...snapshot.compositePodGroups].filter(
    (group) => podName(group) === called,
  );
  const [group] = found;
  if (group === undefined) return refused(notThere(snapshot, called));
  if (found.length > 1) {
    return refused(
      `both a PodGroup and a CompositePodGroup are called ${called}; leave the one that is not meant out of the snapshot`,
    );
  }
  if (release === '1.36' && group.kind === 'CompositePodGroup') {
    return refused(`${called} is a CompositePodGroup, and 1.36 has none; ask with --compat 1.37`);
  }
  const broken = tree.brokenAbove(group);
  if (broken !== undefined) return refused(brokenText(group, broken));
  return snapshot.nodes.length === 0 ? refused(NO_NODES) : parsed(group);
}

function brokenText(group: AnyGroup, how: BrokenHierarchy): string {
  const what =
    how === 'circle'
      ? `the parents of ${groupCalled(group)} go round in a circle`
      : `the parents of ${groupCalled(group)} go up more than the ${MOST_LEVELS} levels that there may be`;
  return `${what}; correct parentCompositePodGroupName`;
}

/**
 * Why a root group cannot be looked at for what is below it, as a sentence: groups on more levels than there may be. Of them
 * no walk up ends at this root, so that nobody knows what the scheduler would make of them.
 */
export function tooDeepText(root: GroupBranch): string | undefined {
  const [first] = branchesOf(root).flatMap(({ tooDeep }) => tooDeep);
  return (
    first &&
    `the groups below ${groupCalled(root.group)} go down more than the ${MOST_LEVELS} levels that there may be, ${groupCalled(first)} being too deep; correct parentCompositePodGroupName`
  );
}

function notThere(snapshot: ClusterSnapshot, called: string): string {
  const members = snapshot.pods.filter(
    ({ namespace, podGroupName }) => podGroupName !== undefined && `${namespace}/${podGroupName}` === called,
  ).length;
  return members === 0
    ? `the snapshot holds no PodGroup or CompositePodGroup ${called}; name one that it holds`
    : `the snapshot holds no PodGroup ${called}, though pods name it; add what this prints: kubectl get podgroups -A -o yaml`;
}
