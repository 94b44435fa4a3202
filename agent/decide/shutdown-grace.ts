import type { ShutdownGrace } from '../../config/kubelet/settings.ts';
import { byNumber } from './ordered-by.ts';

/**
 * How long a pod has to end when the node shuts down gracefully, in seconds (KEP-2712): what is stated for the highest
 * priority that is not above its own; a pod below all of them has what the lowest has. Undefined where nothing is stated by
 * priority.
 */
export function shutdownGraceSeconds(priority: number, stated: readonly ShutdownGrace[]): number | undefined {
  const ascending = stated.toSorted(byNumber((one) => one.priority));
  return (ascending.findLast((one) => one.priority <= priority) ?? ascending[0])?.seconds;
}
