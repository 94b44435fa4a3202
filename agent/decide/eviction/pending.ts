import { amountIn } from '../../../config/numbers/percent.ts';
import type { Signal, Threshold } from '../../../config/signal.ts';
import type { PendingRelease } from '../../model/eviction.ts';
import type { FilesystemLayout, SignalReading } from '../../model/node.ts';
import type { Observation } from '../../model/observation.ts';
import type { Pod, PodUsage, UsageByUid } from '../../model/pod.ts';
import { USAGE_NUMBERS } from '../../model/usage-fields.ts';
import { isFinished } from '../critical.ts';
import { measuredUsage } from '../usage.ts';
import type { EvictionPolicy } from './policy.ts';
import { type EvictionState, podKey } from './state.ts';

/** How long a pod may take to go after its grace, before its eviction counts as failed. */
const CLEAN_UP_MS = 30_000;
/** How long what a pod used may take to come back after its processes are gone. */
const SETTLING_MS = 10_000;

/** What is still to come back, and who is passed over, at one look. */
export interface PendingLook {
  readonly pending: readonly PendingRelease[];
  readonly backOffUntilMs: ReadonlyMap<string, number>;
  /** Those whose time is over at this look. */
  readonly failed: readonly PendingRelease[];
}

/**
 * Holds what is pending against the list of pods. One that is not listed any more, or has finished, is gone as of this look,
 * whether or not its evictor has seen it too, and what it used counts until it has come back; one whose grace and clean-up
 * are over has failed and is passed over for the back-off. A pod that was gone and is listed again is a new pod, so nobody is
 * passed over for long who is not listed. The kubelet has none of this.
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
  const there = state.pending
    .map((release) =>
      withWhatCameBack(isListed(podKey(release)) ? release : gone(release, atMs), observation),
    )
    .filter((release) => release.goneAtMs === undefined || !hasSettled(release, observation));
  const failed = there.filter((release) => isOverdue(release, atMs));
  const held = [...state.backOffUntilMs].filter(([key, untilMs]) => atMs < untilMs && isListed(key));
  const failedUntil = failed.map((release) => [podKey(release), atMs + policy.backOffMs] as const);
  return {
    pending: there.filter((release) => !isOverdue(release, atMs)).map((release) => measured(release, usage)),
    backOffUntilMs: new Map([...held, ...failedUntil]),
    failed,
  };
}

/**
 * The state without those who are not listed any more: in a trace a pod that is not listed is gone for good, with all that it
 * used, since the number beside it was measured then (decisions: replay).
 */
export function withoutUnlisted(
  state: EvictionState,
  observation: Observation,
  policy: EvictionPolicy,
): EvictionState {
  const isListed = listedPods(observation, policy);
  const pending = state.pending.filter((release) => isListed(podKey(release)));
  return pending.length === state.pending.length ? state : { ...state, pending };
}

/** Gone now, but no later than its time was over: nobody may have looked in between, as while no agent ran. */
function gone(release: PendingRelease, atMs: number): PendingRelease {
  return { ...release, goneAtMs: release.goneAtMs ?? Math.min(atMs, overdueAtMs(release)) };
}

/** Whether a pod is on the node as far as can be told: of an outdated list nobody is gone for not being on it. */
function listedPods(
  { pods, podsAgeMs = 0 }: Observation,
  { maxPodListAgeMs }: EvictionPolicy,
): (key: string) => boolean {
  if (podsAgeMs > maxPodListAgeMs) return () => true;
  const listed = listedKeys(pods);
  return (key) => listed.has(key);
}

/** Those on a list who have not finished. */
export function listedKeys(pods: readonly Pod[]): ReadonlySet<string> {
  return new Set(pods.filter((pod) => !isFinished(pod)).map(podKey));
}

/** The most that came back counts: what others take meanwhile is a shortage of its own. */
function withWhatCameBack(release: PendingRelease, { readings }: Observation): PendingRelease {
  const { shortage } = release;
  const reading = shortage === undefined ? undefined : readings.get(shortage.signal);
  if (shortage === undefined || reading === undefined) return release;
  const back = reading.available - shortage.available;
  return back <= shortage.back ? release : { ...release, shortage: { ...shortage, back } };
}

/** Whether what a pod used is back after it was gone, as far as the number it went for tells, or is not waited for any more. */
function hasSettled({ usage, shortage, goneAtMs }: PendingRelease, { atMs, layout }: Observation): boolean {
  if (shortage === undefined || goneAtMs === undefined || atMs - goneAtMs >= SETTLING_MS) return true;
  const used = measuredUsage(usage, { signal: shortage.signal, layout, compat: 'nodeqos' }) ?? 0n;
  return shortage.back >= used;
}

/** Whether its grace and the time for cleaning up are over, so that it does not count any more. */
export function isOverdue(release: PendingRelease, atMs: number): boolean {
  if (release.goneAtMs !== undefined) return false;
  return atMs >= overdueAtMs(release);
}

function overdueAtMs({ evictedAtMs, gracePeriodSeconds }: PendingRelease): number {
  return evictedAtMs + gracePeriodSeconds * 1000 + CLEAN_UP_MS;
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
  const comingBack = pending.reduce(
    (sum, release) => sum + stillToCome(release, measuredUsage(release.usage, rules) ?? 0n, rules.signal),
    0n,
  );
  return reading.available + comingBack >= amountIn(threshold.value, reading.capacity);
}

/** What a pod used, less what has come back of it where it is gone. */
function stillToCome({ goneAtMs, shortage }: PendingRelease, used: bigint, signal: Signal): bigint {
  if (goneAtMs === undefined || shortage?.signal !== signal) return used;
  return shortage.back < used ? used - shortage.back : 0n;
}

/** The release with the newest numbers of each kind that there are of its pod. */
function measured(release: PendingRelease, usage: UsageByUid | undefined): PendingRelease {
  if (release.goneAtMs !== undefined) return release;
  const latest = release.cgroupUid === undefined ? undefined : usage?.get(release.cgroupUid);
  return latest === undefined || latest === release.usage
    ? release
    : { ...release, usage: { ...release.usage, ...latest } };
}

/**
 * Usage in which pods on their way out count at least with what they used before: what is charged to their cgroups falls at
 * once when they end, and the sum at the root, which decides, some seconds later.
 */
export function usageOfLeaving(usage: UsageByUid, pending: readonly PendingRelease[]): UsageByUid {
  if (pending.length === 0) return usage;
  const raised = new Map(usage);
  for (const { cgroupUid, usage: before, goneAtMs } of pending) {
    // Who is there after that one has gone is another, and counts with what it uses itself.
    if (goneAtMs !== undefined) continue;
    const now = cgroupUid === undefined ? undefined : usage.get(cgroupUid);
    if (cgroupUid !== undefined && now !== undefined) raised.set(cgroupUid, larger(before, now));
  }
  return raised;
}

function larger(before: PodUsage | undefined, now: PodUsage): PodUsage {
  const raised: { -readonly [K in keyof PodUsage]: PodUsage[K] } = { ...now };
  for (const field of USAGE_NUMBERS) {
    const earlier = before?.[field];
    if (earlier !== undefined && earlier > (raised[field] ?? 0n)) raised[field] = earlier;
  }
  return raised;
}
