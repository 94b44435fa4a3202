import type { Threshold } from '../../../config/signal.ts';
import type { Pod } from '../../model/pod.ts';

/** The grace of an eviction for a hard threshold or a local storage limit, in seconds (kubelet: immediateEvictionGracePeriodSeconds). */
export const IMMEDIATE_GRACE_SECONDS = 1;

/** What a pod has that states none (API: DefaultTerminationGracePeriodSeconds). */
const DEFAULT_GRACE_SECONDS = 30;

/**
 * The grace of an eviction for a threshold, in seconds: 1 where it is hard. Where it is soft, the pod's own, but at most the
 * configured one, which is also that of a pod without its own; a negative one leaves it to the pod alone. Source: kubelet
 * eviction manager.
 */
export function graceSeconds(threshold: Threshold, pod: Pod, maxPodGracePeriodSeconds: number): number {
  if (threshold.type === 'hard') return IMMEDIATE_GRACE_SECONDS;
  const own = ownGraceSeconds(pod);
  if (maxPodGracePeriodSeconds < 0) return own ?? DEFAULT_GRACE_SECONDS;
  return Math.min(maxPodGracePeriodSeconds, own ?? maxPodGracePeriodSeconds);
}

/** What the API grants a pod that is deleted without a word about grace, in seconds. */
export function deletionGraceSeconds(pod: Pod): number {
  return ownGraceSeconds(pod) ?? DEFAULT_GRACE_SECONDS;
}

/** The API takes a negative one for 1. */
function ownGraceSeconds({ terminationGracePeriodSeconds }: Pod): number | undefined {
  return terminationGracePeriodSeconds !== undefined && terminationGracePeriodSeconds < 0
    ? 1
    : terminationGracePeriodSeconds;
}
