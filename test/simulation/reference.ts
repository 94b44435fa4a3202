import type { EvictionPolicy } from '../../agent/decide/eviction/policy.ts';
import type { EvictionOrder, EvictionOutcome, PendingRelease } from '../../agent/model/eviction.ts';
import type { Readings, SignalReading } from '../../agent/model/node.ts';
import type { Pod, PodUsage, UsageByUid } from '../../agent/model/pod.ts';
import type { PodLook } from '../../agent/ports.ts';
import { amountIn } from '../../config/numbers/percent.ts';
import type { NodeCondition, Signal, Threshold } from '../../config/signal.ts';
import type { Seen } from '../fakes/sim-eyes.ts';
import { CAPACITY, type SimSignal } from '../fakes/sim-node.ts';
import { isFinished, mayGo, nameOf, requestBytes, storageLimitBytes } from './pod-rules.ts';

/** What one tick should come to, by the book. */
export interface Expected {
  /** Ids of the thresholds that are past their grace, sorted. */
  readonly past: readonly string[];
  readonly sinceMs: ReadonlyMap<string, number>;
  readonly conditions: readonly string[];
  readonly victim: { readonly pod: Pod; readonly cause: Threshold | 'storage' } | undefined;
  /** Whether a pod could have been wanted, so that usage had to be looked at. */
  readonly needsUsage: boolean;
}

interface Rule {
  readonly policy: EvictionPolicy;
  readonly maxSampleAgeMs: number;
}

const CONDITIONS: Readonly<Record<SimSignal, NodeCondition>> = {
  'memory.available': 'MemoryPressure',
  'allocatableMemory.available': 'MemoryPressure',
  'nodefs.available': 'DiskPressure',
  'pid.available': 'PIDPressure',
};
const URGENCY: readonly NodeCondition[] = ['MemoryPressure', 'PIDPressure', 'DiskPressure'];
const CLEAN_UP_MS = 30_000;

/**
 * The rules of eviction once more, written down the plain way and from their description alone: slow, with its own memory.
 * What the agent decides has to be what comes out here.
 */
export class Reference {
  readonly #sinceMs = new Map<string, number>();
  #past = new Set<string>();
  readonly #conditionsMs = new Map<NodeCondition, number>();
  readonly #samplesMs = new Map<Signal, number>();
  pending = new Map<string, PendingRelease>();
  #backOffMs = new Map<string, number>();
  /** Before there is a list of pods, nothing is made of what a former process had begun. */
  #hasList = false;

  constructor(adopted: readonly PendingRelease[]) {
    for (const release of adopted) this.pending.set(nameOf(release), release);
  }

  /** An eviction has come to its end; what a pod that is gone used is still to be seen coming back. */
  ended(order: EvictionOrder, outcome: EvictionOutcome, atMs: number, policy: EvictionPolicy): void {
    const { pod, cause, gracePeriodSeconds, usage } = order;
    const name = nameOf(pod);
    const known = this.pending.get(name);
    this.pending.delete(name);
    const wasPassedOver = this.#backOffMs.has(name);
    this.#backOffMs.set(name, atMs + policy.backOffMs);
    if (known?.goneAtMs !== undefined) this.pending.set(name, known);
    if (known?.goneAtMs !== undefined || outcome.kind !== 'gone' || cause.kind !== 'threshold') return;
    // Its list has told before that it is gone, and all that it used is back.
    if (known === undefined && !wasPassedOver) return;
    const shortage = { signal: cause.threshold.signal, available: cause.available, back: 0n };
    const { namespace, uid, cgroupUid } = pod;
    const who = { namespace, name: pod.name, ...(uid === undefined ? {} : { uid }) };
    const cgroup = cgroupUid === undefined ? {} : { cgroupUid };
    const told = { ...who, ...cgroup, evictedAtMs: atMs, gracePeriodSeconds, usage, shortage };
    this.pending.set(name, { ...(known ?? told), goneAtMs: atMs });
  }

  /**
   * Who is being ended is passed over until that has come to an end, however late; who had left the list and is on it again
   * while it is being ended had not gone.
   */
  goOn(running: ReadonlyMap<string, PendingRelease>, seen: Seen, policy: EvictionPolicy): void {
    const { pods: look, atMs = 0 } = seen;
    for (const [name, begun] of running) {
      const known = this.pending.get(name);
      if (known !== undefined && known.goneAtMs === undefined) continue;
      const isBack = isOnNewList(name, look, policy);
      const { evictedAtMs, usage } = known ?? begun;
      const again = { ...begun, evictedAtMs, usage };
      if (isBack && !isOver(again, atMs)) this.pending.set(name, again);
      else if (isBack || known === undefined) this.#backOffMs.set(name, atMs + policy.backOffMs);
    }
  }

  look(seen: Seen, rule: Rule): Expected {
    const atMs = seen.atMs ?? 0;
    const readings = fresh(seen.signals[0]?.look.readings ?? new Map(), atMs, rule.maxSampleAgeMs);
    this.#firstList(seen.pods, rule.policy);
    this.#leaveList(seen.pods, atMs, rule.policy);
    if (this.#hasList) this.#lookAtGone(readings, atMs);
    if (seen.pods?.pods !== undefined)
      this.#lookAtReleases(seen.pods, seen.usage, { atMs, policy: rule.policy });
    const { past, conditions } = this.#lookAtThresholds(readings, atMs, rule.policy);
    const victim = this.#victim(past, readings, seen, rule.policy);
    for (const [signal, reading] of readings) {
      if (reading.atMs === undefined) this.#samplesMs.delete(signal);
      else this.#samplesMs.set(signal, reading.atMs);
    }
    const sinceMs = new Map(this.#sinceMs);
    return {
      past: past.map(({ id }) => id).sort(),
      sinceMs,
      conditions,
      victim,
      needsUsage: past.length > 0 || this.pending.size > 0,
    };
  }

  /** Whether the release of pods that were told to go ends a shortage, by the numbers of this reading. */
  covers(
    threshold: Threshold,
    reading: SignalReading,
    atMs: number,
    without: ReadonlySet<string> = new Set(),
  ): boolean {
    const waiting = [...this.pending.values()].filter(
      (release) => !isOver(release, atMs) && !without.has(nameOf(release)),
    );
    if (waiting.length === 0) return false;
    const back = waiting.reduce((sum, release) => sum + stillOwed(release, threshold.signal), 0n);
    return reading.available + back >= amountIn(threshold.value, reading.capacity);
  }

  /** Ten seconds at most, and no longer than until the number that it went for has shown all of it at one time. */
  #lookAtGone(readings: Readings, atMs: number): void {
    for (const [name, release] of this.pending) {
      const { shortage, usage, goneAtMs } = release;
      if (shortage === undefined) {
        if (goneAtMs !== undefined) this.pending.delete(name);
        continue;
      }
      const now = readings.get(shortage.signal)?.available ?? shortage.available;
      const back = now - shortage.available > shortage.back ? now - shortage.available : shortage.back;
      this.pending.set(name, { ...release, shortage: { ...shortage, back } });
      const isBack = back >= (amountOf(shortage.signal, usage) ?? 0n);
      if (goneAtMs !== undefined && (isBack || atMs - goneAtMs >= 10_000)) this.pending.delete(name);
    }
  }

  /** Who is not on a list that is new has gone, at the end of its time at the latest. */
  /** Who went while no process looked is not waited for: nobody knows when that was. */
  #firstList(look: PodLook | undefined, policy: EvictionPolicy): void {
    if (this.#hasList || look?.pods === undefined) return;
    this.#hasList = true;
    if (look.ageMs > policy.maxPodListAgeMs) return;
    for (const [name, { goneAtMs }] of this.pending) {
      if (goneAtMs === undefined && !isOnNewList(name, look, policy)) this.pending.delete(name);
    }
  }

  #leaveList(look: PodLook | undefined, atMs: number, policy: EvictionPolicy): void {
    if (look?.pods === undefined || look.ageMs > policy.maxPodListAgeMs) return;
    const { pods } = look;
    for (const [name, release] of this.pending) {
      const { goneAtMs, evictedAtMs, gracePeriodSeconds } = release;
      if (goneAtMs !== undefined || pods.some((pod) => nameOf(pod) === name && !isFinished(pod))) continue;
      const latestMs = evictedAtMs + gracePeriodSeconds * 1000 + CLEAN_UP_MS;
      this.pending.set(name, { ...release, goneAtMs: atMs < latestMs ? atMs : latestMs });
    }
  }

  #lookAtReleases(
    { pods = [], ageMs }: PodLook,
    usage: UsageByUid | undefined,
    { atMs, policy }: { readonly atMs: number; readonly policy: EvictionPolicy },
  ): void {
    const listed = new Set(pods.filter((pod) => !isFinished(pod)).map(nameOf));
    // Nobody is gone for not being on a list that is too old.
    const isThere = (name: string): boolean => ageMs > policy.maxPodListAgeMs || listed.has(name);
    for (const [name, release] of this.pending) {
      if (release.goneAtMs !== undefined) continue;
      const newer = release.cgroupUid === undefined ? undefined : usage?.get(release.cgroupUid);
      if (isOver(release, atMs)) {
        this.pending.delete(name);
        this.#backOffMs.set(name, atMs + policy.backOffMs);
      } else if (newer !== undefined) {
        this.pending.set(name, { ...release, usage: atLeast(release.usage, newer) });
      }
    }
    for (const [name, untilMs] of this.#backOffMs) {
      if (!isThere(name) || untilMs <= atMs) this.#backOffMs.delete(name);
    }
  }

  #lookAtThresholds(
    readings: Readings,
    atMs: number,
    policy: EvictionPolicy,
  ): { readonly past: readonly Threshold[]; readonly conditions: readonly string[] } {
    const past: Threshold[] = [];
    const standing = new Set<NodeCondition>();
    const ids = new Set(policy.thresholds.map(({ id }) => id));
    for (const id of this.#sinceMs.keys()) if (!ids.has(id)) this.#sinceMs.delete(id);
    const wasPast = this.#past;
    this.#past = new Set();
    for (const threshold of policy.thresholds) {
      const { id, signal } = threshold;
      const reading = readings.get(signal);
      if (reading === undefined) {
        if (wasPast.has(id)) this.#past.add(id);
        continue;
      }
      if (!isShort(threshold, reading, wasPast.has(id))) {
        this.#sinceMs.delete(id);
        continue;
      }
      standing.add(CONDITIONS[signal as SimSignal]);
      const since = this.#sinceMs.get(id) ?? atMs;
      this.#sinceMs.set(id, since);
      if (atMs - since >= threshold.gracePeriodMs) {
        past.push(threshold);
        this.#past.add(id);
      }
    }
    for (const condition of standing) this.#conditionsMs.set(condition, atMs);
    const conditions = URGENCY.filter((condition) => {
      const lastMs = this.#conditionsMs.get(condition);
      return (
        standing.has(condition) || (lastMs !== undefined && atMs - lastMs < policy.pressureTransitionPeriodMs)
      );
    });
    return { past, conditions: conditions.toSorted() };
  }

  #victim(
    past: readonly Threshold[],
    readings: Readings,
    seen: Seen,
    policy: EvictionPolicy,
  ): Expected['victim'] {
    const { usage } = seen;
    const { pods: listed = [], ageMs } = seen.pods ?? { ageMs: 0 };
    if (usage === undefined || ageMs > policy.maxPodListAgeMs) return undefined;
    const pods = listed.filter((pod) => !isFinished(pod));
    const overLimit = pods.filter((pod) => isOverLimit(pod, usage) && this.#allows(pod, true, policy));
    const [first] = overLimit.sort(byIdentity);
    if (first !== undefined) return { pod: first, cause: 'storage' };
    for (const threshold of past.toSorted(moreUrgent)) {
      const { signal } = threshold;
      const reading = readings.get(signal);
      if (reading === undefined || !this.#isUnserved(threshold, reading, seen.atMs ?? 0)) continue;
      const victim = ranked(pods, usage, signal).find((pod) =>
        this.#allows(pod, amountOf(signal, usageOf(pod, usage)) !== undefined, policy),
      );
      if (victim !== undefined) return { pod: victim, cause: threshold };
    }
    return undefined;
  }

  #isUnserved(threshold: Threshold, reading: SignalReading, atMs: number): boolean {
    return this.#isNews(threshold.signal, reading) && !this.covers(threshold, reading, atMs);
  }

  #isNews(signal: Signal, { atMs }: SignalReading): boolean {
    const lastMs = this.#samplesMs.get(signal);
    return atMs === undefined || lastMs === undefined || atMs > lastMs;
  }

  #allows(pod: Pod, isMeasured: boolean, policy: EvictionPolicy): boolean {
    const isHeld = this.pending.has(nameOf(pod)) || this.#backOffMs.has(nameOf(pod));
    return !isHeld && mayGo(pod, policy) && (isMeasured || policy.unmeasured === 'evict');
  }
}

function isOverLimit(pod: Pod, usage: UsageByUid): boolean {
  const used = usageOf(pod, usage)?.ephemeralStorageBytes;
  return used !== undefined && used > (storageLimitBytes(pod) ?? used);
}

/** Whether what is available is below a threshold; with its minimum reclaim where it was past its grace before. */
export function isShort(threshold: Threshold, reading: SignalReading, wasPast: boolean): boolean {
  const { minReclaim, value } = threshold;
  const more = wasPast && minReclaim !== null ? amountIn(minReclaim, reading.capacity) : 0n;
  return reading.available < amountIn(value, reading.capacity) + more;
}

/** Readings that are not too old to be used. */
export function fresh(readings: Readings, atMs: number, maxAgeMs: number): Readings {
  return new Map(
    [...readings].filter(([, reading]) => reading.atMs === undefined || atMs - reading.atMs <= maxAgeMs),
  );
}

function isOnNewList(name: string, look: PodLook | undefined, policy: EvictionPolicy): boolean {
  if (look?.pods === undefined || look.ageMs > policy.maxPodListAgeMs) return false;
  return look.pods.some((pod) => nameOf(pod) === name && !isFinished(pod));
}

export function isOver({ evictedAtMs, gracePeriodSeconds, goneAtMs }: PendingRelease, atMs: number): boolean {
  if (goneAtMs !== undefined) return false;
  return atMs - evictedAtMs >= gracePeriodSeconds * 1000 + CLEAN_UP_MS;
}

function usageOf({ cgroupUid }: Pod, usage: UsageByUid): PodUsage | undefined {
  return cgroupUid === undefined ? undefined : usage.get(cgroupUid);
}

/** What a pod uses of what a signal is about. */
export function amountOf(signal: Signal, usage: PodUsage | undefined): bigint | undefined {
  if (signal === 'pid.available') return usage?.processCount;
  return signal === 'nodefs.available' ? usage?.ephemeralStorageBytes : usage?.memoryWorkingSetBytes;
}

/** By places one after the other; each gives which of two is smaller in it. */
function moreUrgent(a: Threshold, b: Threshold): number {
  const place = ({ type, signal, value }: Threshold): readonly (number | string | bigint)[] => [
    type === 'hard' ? 0 : 1,
    URGENCY.indexOf(CONDITIONS[signal as SimSignal]),
    signal,
    amountIn(value, CAPACITY[signal as SimSignal]),
  ];
  return compared(place(a), place(b));
}

function ranked(pods: readonly Pod[], usage: UsageByUid, signal: Signal): readonly Pod[] {
  const place = (pod: Pod): readonly (number | string | bigint)[] => {
    const used = amountOf(signal, usageOf(pod, usage));
    const priority = pod.priority ?? 0;
    const isMeasured = used === undefined ? 0 : 1;
    if (signal === 'pid.available') return [priority, isMeasured, -(used ?? 0n), ...identity(pod)];
    const over =
      (used ?? 0n) - requestBytes(pod, signal === 'nodefs.available' ? 'ephemeral-storage' : 'memory');
    return [isMeasured, over > 0n ? 0 : 1, priority, isMeasured === 0 ? 0n : -over, ...identity(pod)];
  };
  return pods.toSorted((a, b) => compared(place(a), place(b)));
}

function byIdentity(a: Pod, b: Pod): number {
  return compared(identity(a), identity(b));
}

function identity({ namespace, name, uid }: Pod): readonly string[] {
  return [namespace, name, uid ?? ''];
}

function compared(
  a: readonly (number | string | bigint)[],
  b: readonly (number | string | bigint)[],
): number {
  for (const [index, one] of a.entries()) {
    const other = b[index];
    if (other === undefined || one === other) continue;
    return one < other ? -1 : 1;
  }
  return 0;
}

/** The larger of two numbers each, as far as they are known. */
export function atLeast(before: PodUsage | undefined, now: PodUsage): PodUsage {
  const kinds = ['memoryWorkingSetBytes', 'processCount', 'ephemeralStorageBytes'] as const;
  const largest: { -readonly [K in keyof PodUsage]: PodUsage[K] } = { ...now };
  for (const kind of kinds) {
    const earlier = before?.[kind];
    const later = now[kind];
    if (earlier !== undefined && (later === undefined || later < earlier)) largest[kind] = earlier;
  }
  return largest;
}

/** What a pod that was told to go still owes: all that it used, but for what a pod that is gone is seen to have given back. */
function stillOwed({ usage, shortage, goneAtMs }: PendingRelease, signal: Signal): bigint {
  const used = amountOf(signal, usage) ?? 0n;
  if (goneAtMs === undefined || shortage?.signal !== signal) return used;
  return shortage.back >= used ? 0n : used - shortage.back;
}
