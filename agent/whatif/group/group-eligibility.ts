import { effectivePriority } from '../../decide/group-tree.ts';
import { podName } from '../../decide/pod-name.ts';
import type { GroupScene } from './group-scene.ts';

/**
 * Why a group that finds too little room may not preempt; undefined where it may. From 1.37 on its own policy counts (gate
 * PodGroupPreemptionPolicy), in 1.36 that of any pod that waits. While a pod that was preempted is still ending on the
 * nominated node of a member, the group waits; that pod counts by the priority of its own group.
 */
export function groupNotEligible(scene: GroupScene): string | undefined {
  return policyNever(scene) ?? stillEnding(scene);
}

function policyNever({ root, pending, release }: GroupScene): string | undefined {
  if (release === '1.37') {
    return root.group.preemptionPolicy === 'Never' ? 'its preemption policy is Never' : undefined;
  }
  const never = pending.find(({ preemptionPolicy }) => preemptionPolicy === 'Never');
  return never && `the preemption policy of its pod ${podName(never)} is Never`;
}

function stillEnding({ pending, nodes, tree, priority }: GroupScene): string | undefined {
  for (const { occupied } of nodes) {
    const { name } = occupied.node;
    const member = pending.find(({ nominatedNodeName }) => nominatedNodeName === name);
    if (member === undefined) continue;
    const ending = occupied.pods.find(
      (pod) =>
        pod.terminating &&
        pod.isPreemptedByScheduler &&
        effectivePriority(pod, tree.groupsOf(pod)) < priority,
    );
    if (ending !== undefined) {
      return `${name} is being made free for its pod ${member.name}: pod ${podName(ending)} was preempted and is still ending`;
    }
  }
  return undefined;
}
