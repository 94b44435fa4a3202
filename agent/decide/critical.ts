import type { Pod } from '../model/pod.ts';

/** The lowest priority of a critical pod (kubelet: SystemCriticalPriority). */
const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;

/** Whether the kubelet reads the pod from a file or URL, or it is the API's image of one that it does. */
export function isStaticOrMirror(pod: Pod): boolean {
  return pod.isStatic || pod.isMirror;
}

/**
 * Whether the kubelet counts the pod as critical: static, mirror, or of a priority of at least 2000000000. The name of
 * its priority class alone means nothing (kubelet: IsCriticalPod).
 */
export function isCritical(pod: Pod): boolean {
  return isStaticOrMirror(pod) || (pod.priority !== undefined && isCriticalPriority(pod.priority));
}

/** Whether a priority is one of the system's own. */
export function isCriticalPriority(priority: number): boolean {
  return priority >= SYSTEM_CRITICAL_PRIORITY;
}

/** Whether the pod has ended, so that it holds nothing on the node any more. */
export function isFinished(pod: Pod): boolean {
  return pod.phase === 'Succeeded' || pod.phase === 'Failed';
}
