import { podName } from '../../decide/pod-name.ts';
import type { SchedulingPod } from '../../model/cluster.ts';
import type { NodeFit } from '../fit/node-fit.ts';

/** What is known of the node that is being made free for a pod already; absent where the snapshot does not hold it. */
export interface NominatedNode {
  readonly fit: NodeFit;
  /** Its pods of lower effective priority than the pending one. */
  readonly lower: readonly SchedulingPod[];
}

/** Why a pod is not let through to preemption before the scheduler tries any; undefined where it may. */
export function heldBack(pod: SchedulingPod): string | undefined {
  if (pod.podGroupName !== undefined) {
    return `it belongs to the PodGroup ${pod.namespace}/${pod.podGroupName}, which preempts as a whole; ask with --group ${pod.namespace}/${pod.podGroupName}`;
  }
  return pod.unmodelledUses.includes('scheduling gates')
    ? 'its scheduling gates hold it back, and the scheduler does not look at it'
    : undefined;
}

/**
 * Why a pod that fits nowhere may not preempt (scheduler: PodEligibleToPreemptOthers); undefined where it may. While a
 * pod that was preempted for it is still ending on its nominated node, it waits, unless that node became impossible for
 * other reasons. A pod that ends for any other reason does not make it wait.
 */
export function notEligible(pod: SchedulingPod, nominated: NominatedNode | undefined): string | undefined {
  if (pod.preemptionPolicy === 'Never') return 'its preemption policy is Never';
  if (nominated === undefined || nominated.fit.kind === 'unresolvable') return undefined;
  const ending = nominated.lower.find((one) => one.terminating && one.isPreemptedByScheduler);
  return ending === undefined
    ? undefined
    : `${pod.nominatedNodeName ?? 'its node'} is being made free for it: pod ${podName(ending)} was preempted and is still ending`;
}
