import type { PendingRelease } from '../model/eviction.ts';
import type { Pod } from '../model/pod.ts';
import type { Evictor, PodPlace } from '../ports.ts';

/** The pod of an eviction that a former run had begun, as it is found now. */
export interface FoundAgain {
  readonly pod: Pod;
  readonly release: PendingRelease;
  /** Where its cgroup is now. */
  readonly place: PodPlace | undefined;
}

/**
 * What follows for it: `go-on`; `gone`, since the one of then is not there any more; or `wait`, where this evictor cannot tell
 * whether it is the one of then. Whoever goes through cgroups touches only the very one of then; the API server and the
 * runtime know a pod by its UID, wherever its cgroup is.
 */
export function whatFollows(
  { pod, release, place }: FoundAgain,
  evictor: Evictor,
): 'go-on' | 'gone' | 'wait' {
  if (knowsByUid(evictor) && pod.uid !== undefined) return 'go-on';
  const before = release.unfinished?.place;
  if (before === undefined) return 'wait';
  return place?.cgroup === before.cgroup && place.inode === before.inode ? 'go-on' : 'gone';
}

/** Whether the API server has been told already, so that going on is nothing but waiting, whatever else holds for the pod. */
export function isOnlyWaiting({ pod }: FoundAgain, evictor: Evictor): boolean {
  return evictor.name === 'api' && pod.terminating && pod.uid !== undefined;
}

/**
 * What is left of its grace, in whole seconds. One that the API server does not have as terminating was never told to end: the
 * former run ended before it could, and the pod gets all of its time.
 */
export function graceLeft({ pod, release }: FoundAgain, evictor: Evictor, atMs: number): number {
  const { gracePeriodSeconds, evictedAtMs } = release;
  if (evictor.name === 'api' && !pod.terminating) return gracePeriodSeconds;
  return Math.max(0, gracePeriodSeconds - Math.floor((atMs - evictedAtMs) / 1000));
}

function knowsByUid({ name }: Evictor): boolean {
  return name === 'api' || name === 'cri';
}
