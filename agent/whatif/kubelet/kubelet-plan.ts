import { isCritical, isFinished } from '../../decide/critical.ts';
import type { Pod, Resources } from '../../model/pod.ts';
import { isSamePod } from '../fit/same-pod.ts';
import { preemptForCritical, type Requirement, requirementsOf } from './critical-preemption.ts';
import { type Shortage, shortages } from './shortage.ts';

/** What the kubelet's own preemption would do for a pod at its admission. */
export type KubeletPreemption<P extends Pod = Pod> =
  | { readonly outcome: 'not-needed' }
  | { readonly outcome: 'not-eligible'; readonly shortages: readonly Shortage[] }
  | {
      readonly outcome: 'no-candidate';
      readonly shortages: readonly Shortage[];
      /** What would be missing even if all went who may. */
      readonly unmet: readonly Requirement[];
    }
  | {
      readonly outcome: 'planned';
      readonly shortages: readonly Shortage[];
      /** BestEffort first, then Burstable, then Guaranteed, in each as the kubelet chooses them. */
      readonly victims: readonly P[];
    };

/**
 * Whether the kubelet would end others for this pod, and whom. It looks at resources alone: pods on the node that have not
 * ended hold theirs, terminating ones too; `pods` may hold the pod itself. Only a critical pod ends others.
 */
export function kubeletPreemption<P extends Pod>(
  pod: Pod,
  pods: readonly P[],
  allocatable: Resources,
): KubeletPreemption<P> {
  const others = pods.filter((other) => !isFinished(other) && !isSamePod(other, pod));
  const short = shortages(pod, others, allocatable);
  if (short.length === 0) return { outcome: 'not-needed' };
  if (!isCritical(pod)) return { outcome: 'not-eligible', shortages: short };
  const preemption = preemptForCritical(pod, others, requirementsOf(short));
  return preemption.kind === 'found'
    ? { outcome: 'planned', shortages: short, victims: preemption.victims }
    : { outcome: 'no-candidate', shortages: short, unmet: preemption.unmet };
}
