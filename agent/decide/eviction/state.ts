import type { NodeCondition, Signal } from '../../../config/signal.ts';
import type { PendingRelease } from '../../model/eviction.ts';
import type { FilesystemLayout } from '../../model/node.ts';
import type { Pod, PodUsage, UsageByUid } from '../../model/pod.ts';
import type { LimitedPod } from './storage.ts';

/** What is known of local storage limits, which cost too much to work out at every look. */
export interface StorageHistory {
  /** The list of pods that this is about. */
  readonly listed: readonly Pod[];
  readonly limited: readonly LimitedPod[];
  /** Whether the last statistics could tell if a limit is kept; taken for true until some have come. */
  readonly isMeasured: boolean;
}

/** What one look leaves for the next: all memory that deciding on evictions has. Times are monotonic milliseconds. */
export interface EvictionState {
  /** Since when each threshold has been met, by its id; one that is not met is not in it. */
  readonly firstSeenMs: ReadonlyMap<string, number>;
  /** Ids of the thresholds that were past their grace at the last look: their minimum reclaim counts from then on. */
  readonly pastGrace: ReadonlySet<string>;
  /** When a met threshold last stood behind each condition. */
  readonly conditionSeenMs: ReadonlyMap<NodeCondition, number>;
  /** The time of the last sample of each signal that has one. */
  readonly lastSampleMs: ReadonlyMap<Signal, number>;
  /** Pods that were told to go and have not gone, oldest first, each with its last known usage. */
  readonly pending: readonly PendingRelease[];
  /** Until when a pod is passed over, by `podKey`. */
  readonly backOffUntilMs: ReadonlyMap<string, number>;
  /** How the filesystems lay at the last look. */
  readonly layout: FilesystemLayout;
  readonly storage: StorageHistory;
}

/** Before the first look. */
export const NO_HISTORY: EvictionState = {
  firstSeenMs: new Map(),
  pastGrace: new Set(),
  conditionSeenMs: new Map(),
  lastSampleMs: new Map(),
  pending: [],
  backOffUntilMs: new Map(),
  layout: 'single',
  storage: { listed: [], limited: [], isMeasured: true },
};

/** What a pod is remembered by: its UID, so that one of the same name that comes after it is another pod; without one its name. */
export function podKey(pod: Pick<Pod, 'namespace' | 'name' | 'uid'>): string {
  return pod.uid ?? `${pod.namespace}/${pod.name}`;
}

/** The statistics of a pod; undefined where there are none. */
export function usageOf(pod: Pod, usage: UsageByUid): PodUsage | undefined {
  return pod.cgroupUid === undefined ? undefined : usage.get(pod.cgroupUid);
}
