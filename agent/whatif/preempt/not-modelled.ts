import { isFinished } from '../../decide/critical.ts';
import type { SchedulingPod, UnmodelledUse } from '../../model/cluster.ts';

/**
 * What the pods that look for a place ask for, and what others forbid them, that a plan does not look at. Each once, in the
 * order of first use by name; `others` are all pods of the snapshot. Scheduling gates are looked at: who has them is not tried.
 */
export function notModelled(
  incoming: readonly SchedulingPod[],
  others: readonly SchedulingPod[],
): readonly string[] {
  const own = ORDER.filter((use) => incoming.some(({ unmodelledUses }) => unmodelledUses.includes(use)));
  const isForbidden = others.some(
    (pod) =>
      pod.unmodelledUses.includes('inter-pod anti-affinity') &&
      pod.nodeName !== undefined &&
      !isFinished(pod) &&
      !incoming.includes(pod),
  );
  return [...own, ...(isForbidden ? ['inter-pod anti-affinity of pods that run'] : [])];
}

const ORDER: readonly UnmodelledUse[] = [
  'inter-pod affinity',
  'inter-pod anti-affinity',
  'topology spread constraints',
  'volumes',
  'resource claims',
  'another scheduler',
];
