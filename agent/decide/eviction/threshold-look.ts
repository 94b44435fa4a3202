import { conditionOf, type NodeCondition, type Signal, type Threshold } from '../../../config/signal.ts';
import type { ThresholdStatus } from '../../model/eviction.ts';
import type { Readings, SignalReading } from '../../model/node.ts';
import { isMet } from '../thresholds.ts';
import type { EvictionPolicy } from './policy.ts';
import type { EvictionState } from './state.ts';

/** One look at all thresholds, and what is to be remembered of it. */
export interface ThresholdLook {
  /** In the policy's order. */
  readonly statuses: readonly ThresholdStatus[];
  /** Past their grace, or met by their minimum reclaim; in the policy's order. */
  readonly past: readonly Threshold[];
  readonly conditions: readonly NodeCondition[];
  readonly firstSeenMs: ReadonlyMap<string, number>;
  readonly pastGrace: ReadonlySet<string>;
  readonly conditionSeenMs: ReadonlyMap<NodeCondition, number>;
}

/** The part of an observation that thresholds are held against. */
export interface SignalLook {
  readonly readings: Readings;
  readonly atMs: number;
}

/**
 * Holds every threshold against the readings (kubelet eviction: steps 6 to 12 of synchronize). One that was past its grace
 * stays met until its minimum reclaim came back as well. A signal that is absent neither acts nor forgets: since when its
 * thresholds are met is kept. The kubelet forgets it.
 */
export function lookAtThresholds(
  state: EvictionState,
  look: SignalLook,
  policy: EvictionPolicy,
): ThresholdLook {
  const firstSeenMs = new Map<string, number>();
  const pastGrace = new Set<string>();
  const met = new Set<NodeCondition>();
  const past: Threshold[] = [];
  const statuses = policy.thresholds.map((threshold): ThresholdStatus => {
    const status = statusOf(threshold, state, look, policy);
    if (status.metSinceMs !== undefined) firstSeenMs.set(threshold.id, status.metSinceMs);
    if (status.met === true) met.add(conditionOf(threshold.signal));
    if (status.met === true && !status.inGrace) past.push(threshold);
    if (isPastGrace(status, state)) pastGrace.add(threshold.id);
    return status;
  });
  return {
    statuses,
    past,
    firstSeenMs,
    pastGrace,
    ...lookAtConditions(state.conditionSeenMs, met, look.atMs, policy),
  };
}

/**
 * Whether a sample may lead to an eviction: it has no time, nothing came before it, or it is later than what came before
 * (kubelet: thresholdsUpdatedStats). An unchanged one never takes a second pod.
 */
export function isNewSample(reading: SignalReading, lastSampleMs: number | undefined): boolean {
  return reading.atMs === undefined || lastSampleMs === undefined || reading.atMs > lastSampleMs;
}

/** The times of the samples to compare the next ones with. What was not observed is kept; the kubelet forgets it. */
export function lastSamples(
  state: EvictionState,
  readings: Readings,
  policy: EvictionPolicy,
): ReadonlyMap<Signal, number> {
  const samples = new Map(policy.compat === 'kubelet' ? [] : state.lastSampleMs);
  for (const [signal, { atMs }] of readings) {
    if (atMs === undefined) samples.delete(signal);
    else samples.set(signal, atMs);
  }
  return samples;
}

function statusOf(
  threshold: Threshold,
  state: EvictionState,
  look: SignalLook,
  policy: EvictionPolicy,
): ThresholdStatus {
  const reading = look.readings.get(threshold.signal);
  const firstSeenMs = state.firstSeenMs.get(threshold.id);
  if (reading === undefined) {
    const metSinceMs = policy.compat === 'kubelet' ? undefined : firstSeenMs;
    return { threshold, met: undefined, metSinceMs, inGrace: false };
  }
  if (!isMet(threshold, reading, state.pastGrace.has(threshold.id))) {
    return { threshold, met: false, metSinceMs: undefined, inGrace: false };
  }
  const metSinceMs = firstSeenMs ?? look.atMs;
  return { threshold, met: true, metSinceMs, inGrace: look.atMs - metSinceMs < threshold.gracePeriodMs };
}

function isPastGrace(
  { threshold, met, metSinceMs, inGrace }: ThresholdStatus,
  state: EvictionState,
): boolean {
  return met === undefined ? metSinceMs !== undefined && state.pastGrace.has(threshold.id) : met && !inGrace;
}

/**
 * A condition holds as long as a threshold behind it is met, in its grace too, and for the transition period after that, up
 * to but not including its end. The kubelet knows the period only, so that with 0 it never reports one.
 */
function lookAtConditions(
  seenMs: ReadonlyMap<NodeCondition, number>,
  met: ReadonlySet<NodeCondition>,
  atMs: number,
  policy: EvictionPolicy,
): Pick<ThresholdLook, 'conditions' | 'conditionSeenMs'> {
  const conditionSeenMs = new Map([...seenMs, ...[...met].map((condition) => [condition, atMs] as const)]);
  const holds = (condition: NodeCondition, lastMs: number): boolean =>
    atMs - lastMs < policy.pressureTransitionPeriodMs || (policy.compat === 'nodeqos' && met.has(condition));
  const conditions = [...conditionSeenMs]
    .filter(([condition, lastMs]) => holds(condition, lastMs))
    .map(([condition]) => condition)
    .toSorted();
  return { conditionSeenMs, conditions };
}
