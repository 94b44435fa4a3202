import { amountIn } from '../../../config/numbers/percent.ts';
import type { Threshold } from '../../../config/signal.ts';
import type { PendingRelease } from '../../model/eviction.ts';
import type { FilesystemLayout, SignalReading } from '../../model/node.ts';
import type { Observation } from '../../model/observation.ts';
import type { UsageByUid } from '../../model/pod.ts';
import { isFinished } from '../critical.ts';
import { measuredUsage } from '../usage.ts';
import type { EvictionPolicy } from './policy.ts';
import { type EvictionState, podKey } from './state.ts';

/** How long a pod may take to go after its grace, before its eviction counts as failed. */
const CLEAN_UP_MS = 30_000;

/** What is still to come back, and who is passed over, at one look. */
export interface PendingLook {
  readonly pending: readonly PendingRelease[];
  readonly backOffUntilMs: ReadonlyMap<string, number>;
  /** Those whose time is over at this look. */
  readonly failed: readonly PendingRelease[];
}

/**
 * Holds what is pending against the list of pods. One that is not listed any more, or has finished, is gone; one whose grace
 * and clean-up are over has failed and is passed over for the back-off. A pod that was gone and is listed again is a new
 * pod, so nothing is remembered of pods that are not listed. The kubelet has none of this.
 */
export function lookAtPending(
  state: EvictionState,
  observation: Observation,
  policy: EvictionPolicy,
): PendingLook {
  if (policy.compat === 'kubelet') return { pending: [], backOffUntilMs: new Map(), failed: [] };
  if (state.pending.length === 0 && state.backOffUntilMs.size === 0) {
    return { pending: state.pending, backOffUntilMs: state.backOffUntilMs, failed: [] };
  }
  const { atMs, usage } = observation;
  const isListed = listedPods(observation, policy);
  const there = state.pending.filter((release) => isListed(podKey(release)));
  const failed = there.filter((release) => isOverdue(release, atMs));
  const held = [...state.backOffUntilMs].filter(([key, untilMs]) => atMs < untilMs && isListed(key));
  const failedUntil = failed.map((release) => [podKey(release), atMs + policy.backOffMs] as const);
  return {
    pending: there.filter((release) => !isOverdue(release, atMs)).map((release) => measured(release, usage)),
    backOffUntilMs: new Map([...held, ...failedUntil]),
    failed,
  };
}

/** Whether a pod is on the node as far as can be told: of an outdated list nobody is gone for not being on it. */
function listedPods(
  { pods, podsAgeMs = 0 }: Observation,
  { maxPodListAgeMs }: EvictionPolicy,
): (key: string) => boolean {
  if (podsAgeMs > maxPodListAgeMs) return () => true;
  const listed = new Set(pods.filter((pod) => !isFinished(pod)).map(podKey));
  return (key) => listed.has(key);
}

/** Whether its grace and the time for cleaning up are over, so that it does not count any more. */
export function isOverdue(release: PendingRelease, atMs: number): boolean {
  return atMs - release.evictedAtMs >= release.gracePeriodSeconds * 1000 + CLEAN_UP_MS;
}

/** A shortage, and what is on its way to end it. */
export interface Shortage {
  readonly reading: SignalReading;
  readonly pending: readonly PendingRelease[];
  readonly layout: FilesystemLayout;
}

/**
 * Whether what is pending ends the shortage: with it, available is no longer below the threshold alone, minimum reclaim
 * aside. Without anything pending nothing is covered. A pod that was never measured counts 0.
 */
export function isCovered(threshold: Threshold, { reading, pending, layout }: Shortage): boolean {
  if (pending.length === 0) return false;
  const rules = { signal: threshold.signal, layout, compat: 'nodeqos' } as const;
  const comingBack = pending.reduce((sum, { usage }) => sum + (measuredUsage(usage, rules) ?? 0n), 0n);
  return reading.available + comingBack >= amountIn(threshold.value, reading.capacity);
}

/** The release with the newest numbers of each kind that there are of its pod. */
function measured(release: PendingRelease, usage: UsageByUid | undefined): PendingRelease {
  const latest = release.cgroupUid === undefined ? undefined : usage?.get(release.cgroupUid);
  return latest === undefined || latest === release.usage
    ? release
    : { ...release, usage: { ...release.usage, ...latest } };
}
