import { type Parsed, parsed, refused } from '../../../config/result.ts';
import type { AnyGroup, GroupTree } from '../../decide/group-tree.ts';
import { podName } from '../../decide/pod-name.ts';
import type { ClusterSnapshot } from '../../model/cluster.ts';
import type { PodReference } from '../preempt/pending-pod.ts';
import { NO_NODES } from '../preempt/pending-pod.ts';
import type { SchedulerRelease } from '../preempt/scheduler-release.ts';

/** `PodGroup shop/job`: how a group is called in messages. */
export function groupCalled(group: AnyGroup): string {
  return `${group.kind} ${podName(group)}`;
}

/**
 * The group of a snapshot that is asked about. Refused, in a sentence, where it is not there or could be one of two, where its
 * parents never end, and where no node is.
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
  const top = tree.withAncestors(group).at(-1);
  if (top !== undefined && tree.parentOf(top) !== undefined) {
    return refused(
      `the parents of ${groupCalled(group)} go round in a circle or up more than the 4 levels that there may be; correct parentCompositePodGroupName`,
    );
  }
  return snapshot.nodes.length === 0 ? refused(NO_NODES) : parsed(group);
}

function notThere(snapshot: ClusterSnapshot, called: string): string {
  const members = snapshot.pods.filter(
    ({ namespace, podGroupName }) => podGroupName !== undefined && `${namespace}/${podGroupName}` === called,
  ).length;
  return members === 0
    ? `the snapshot holds no PodGroup or CompositePodGroup ${called}; name one that it holds`
    : `the snapshot holds no PodGroup ${called}, though pods name it; add what this prints: kubectl get podgroups -A -o yaml`;
}
