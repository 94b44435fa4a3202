import { decideEviction } from '../../agent/decide/eviction/decide.ts';
import type { EvictionPolicy } from '../../agent/decide/eviction/policy.ts';
import { evictionEnded, evictionStarted } from '../../agent/decide/eviction/release.ts';
import { type EvictionState, NO_HISTORY } from '../../agent/decide/eviction/state.ts';
import type { EvictionOutcome, PendingRelease, PressureOrder } from '../../agent/model/eviction.ts';
import type { FilesystemLayout, Readings, SignalReading } from '../../agent/model/node.ts';
import type { Observation } from '../../agent/model/observation.ts';
import type { UsageByUid } from '../../agent/model/pod.ts';
import { readAmount, readReclaim } from '../../config/eviction/amount.ts';
import { parseQuantity, quantityToInteger } from '../../config/numbers/quantity.ts';
import { isSignal, type Signal, type Threshold } from '../../config/signal.ts';
import type { UsedPod } from './ranking.ts';

/** The capacity of every signal whose reading names none. */
const CAPACITY = 16n * 1024n * 1024n * 1024n;

/** A number of bytes or things as a quantity says it. */
export function amount(text: string): bigint {
  const quantity = parseQuantity(text);
  if (!quantity.ok) throw new Error(quantity.message);
  return quantityToInteger(quantity.value);
}

/** A hard threshold: `hard('memory.available', '100Mi')`. */
export function hard(signal: Signal, value: string, minReclaim?: string): Threshold {
  return threshold({ signal, type: 'hard', value, gracePeriodMs: 0 }, minReclaim);
}

/** A soft one, with its grace in seconds. */
export function soft(signal: Signal, value: string, graceSeconds: number, minReclaim?: string): Threshold {
  return threshold({ signal, type: 'soft', value, gracePeriodMs: graceSeconds * 1000 }, minReclaim);
}

/** A policy of these thresholds with nothing special about it: 5m of transition, no grace, nobody protected. */
export function policyOf(
  thresholds: readonly Threshold[],
  more: Partial<EvictionPolicy> = {},
): EvictionPolicy {
  return {
    thresholds,
    pressureTransitionPeriodMs: 300_000,
    maxPodGracePeriodSeconds: 0,
    unmeasured: 'skip',
    groups: 'ignore',
    protected: { namespaces: [], labels: new Map() },
    backOffMs: 60_000,
    maxPodListAgeMs: 60_000,
    compat: 'nodeqos',
    ...more,
  };
}

/** What is available, as a quantity, or a reading in parts; one can have no time at all. */
export type Available = string | (Partial<SignalReading> & { readonly isUntimed?: boolean });

/** Readings by signal, sampled at `atMs` where nothing else is said. */
export function readingsOf(available: { readonly [signal in Signal]?: Available }, atMs?: number): Readings {
  return new Map(
    Object.entries(available).flatMap(([signal, one]): readonly [Signal, SignalReading][] => {
      const { isUntimed = false, ...parts } = typeof one === 'string' ? { available: amount(one) } : one;
      const time = isUntimed || atMs === undefined ? {} : { atMs };
      const reading = { available: 0n, capacity: CAPACITY, source: 'a test', ...time, ...parts };
      return isSignal(signal) ? [[signal, reading]] : [];
    }),
  );
}

/** Usage by cgroup UID. */
function usageOf(pods: readonly UsedPod[]): UsageByUid {
  return new Map(
    pods.flatMap(({ pod, usage }) => (usage === undefined ? [] : [[pod.cgroupUid ?? '', usage] as const])),
  );
}

/** What one look of a story says beyond its time and its readings. */
export interface LookParts {
  readonly pods?: readonly UsedPod[];
  readonly podsAgeMs?: number;
  /** false: there are no statistics yet. */
  readonly hasUsage?: boolean;
  readonly layout?: FilesystemLayout;
}

/** An observation of one moment, in seconds. */
function observationOf(
  atSeconds: number,
  available: { readonly [signal in Signal]?: Available },
  parts: LookParts = {},
): Observation {
  const pods = parts.pods ?? [];
  return {
    atMs: atSeconds * 1000,
    readings: readingsOf(available, atSeconds * 1000),
    pods: pods.map(({ pod }) => pod),
    ...(parts.podsAgeMs === undefined ? {} : { podsAgeMs: parts.podsAgeMs }),
    usage: parts.hasUsage === false ? undefined : usageOf(pods),
    layout: parts.layout ?? 'single',
  };
}

/** What a look led to, as short as can be compared: `signal type value`, `name cause type grace`. */
export interface Told {
  readonly conditions: readonly string[];
  readonly met: readonly string[];
  readonly evict: readonly string[];
}

/**
 * A node's day on a fake clock: looks in order, each decided with what the one before left. An eviction begins at once, but
 * for the kubelet's rules.
 */
export class Story {
  readonly policy: EvictionPolicy;
  state: EvictionState = NO_HISTORY;
  orders: readonly PressureOrder[] = [];
  failed: readonly PendingRelease[] = [];
  withheld: { readonly [signal: string]: string } = {};

  constructor(policy: EvictionPolicy) {
    this.policy = policy;
  }

  /** `atSeconds` on a clock that never goes back. */
  look(
    atSeconds: number,
    available: { readonly [signal in Signal]?: Available },
    parts: LookParts = {},
  ): Told {
    const observation = observationOf(atSeconds, available, parts);
    const { state, decision, failed } = decideEviction(this.state, observation, this.policy);
    this.orders = decision.evictions;
    this.failed = failed;
    this.withheld = Object.fromEntries(decision.withheld.map(({ signal, why }) => [signal, why]));
    const begin = (before: EvictionState, order: PressureOrder): EvictionState =>
      this.policy.compat === 'kubelet' ? before : evictionStarted(before, order, observation.atMs);
    this.state = decision.evictions.reduce(begin, state);
    return {
      conditions: decision.conditions,
      met: decision.thresholdsMet.map(({ id }) => id),
      evict: decision.evictions.map(orderText),
    };
  }

  /** What became of the eviction of the last look. */
  end(atSeconds: number, outcome: EvictionOutcome): void {
    for (const order of this.orders) {
      this.state = evictionEnded(this.state, order, { outcome, atMs: atSeconds * 1000 }, this.policy);
    }
  }
}

function orderText({ pod, cause, gracePeriodSeconds }: PressureOrder): string {
  const why = cause.kind === 'threshold' ? `${cause.threshold.signal} ${cause.threshold.type}` : cause.limit;
  return `${pod.name} ${why} ${gracePeriodSeconds}`;
}

function threshold(
  stated: Pick<Threshold, 'signal' | 'type' | 'gracePeriodMs'> & { readonly value: string },
  minReclaim: string | undefined,
): Threshold {
  const value = readAmount(stated.value);
  const reclaim = minReclaim === undefined ? undefined : readReclaim(minReclaim);
  if (!value.ok || value.value.amount === null || reclaim?.ok === false) throw new Error(stated.value);
  return {
    id: `${stated.signal} ${stated.type} ${stated.value}`,
    signal: stated.signal,
    type: stated.type,
    value: value.value.amount,
    gracePeriodMs: stated.gracePeriodMs,
    minReclaim: reclaim?.value ?? null,
    derived: false,
  };
}
