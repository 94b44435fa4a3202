import type { Observation } from '../model/observation.ts';
import type { Pod } from '../model/pod.ts';

/**
 * An observation as a trace keeps it: of the pods on a list those that run, as far as statistics tell. A list from a file
 * still holds a pod that was evicted, and a replay would wait for it to go; the list is the same value as long as the same
 * pods run, since a trace says only what changed.
 */
export function runningPodsOnly(before: Observation | undefined, now: Observation): Observation {
  const { usage, pods } = now;
  if (usage === undefined) return now;
  const running = pods.filter(({ cgroupUid }) => cgroupUid !== undefined && usage.has(cgroupUid));
  return { ...now, pods: before !== undefined && areSame(before.pods, running) ? before.pods : running };
}

function areSame(a: readonly Pod[], b: readonly Pod[]): boolean {
  return a.length === b.length && a.every((pod, index) => pod === b[index]);
}
