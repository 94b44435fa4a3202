import { conditionOf, type Signal, type Threshold } from '../../../config/signal.ts';
import type { EvictionCandidate, PressureOrder, Withheld } from '../../model/eviction.ts';
import type { SignalReading } from '../../model/node.ts';
import type { Observation } from '../../model/observation.ts';
import type { Pod, PodUsage } from '../../model/pod.ts';
import type { Candidate, RankingRules } from '../candidate.ts';
import { type Comparator, orderedBy, whereFirst } from '../ordered-by.ts';
import { placesOf, type RankedPod, rankCandidates } from '../rank.ts';
import { servingOrder } from '../thresholds.ts';
import { passedOverBecause } from '../victims.ts';
import { graceSeconds } from './grace.ts';
import { evictionMessage } from './message.ts';
import { isCovered, type PendingLook } from './pending.ts';
import type { EvictionPolicy } from './policy.ts';
import { usageOf } from './state.ts';
import { isNewSample } from './threshold-look.ts';
import { victimRules } from './victim-rules.ts';
import {
  allPassedOver,
  coveredBy,
  NO_STATISTICS,
  oncePerSignal,
  outdatedList,
  UNCHANGED_SAMPLE,
} from './withheld.ts';

/** How many of a ranking a record of an eviction shows. */
const SHOWN_CANDIDATES = 10;

/** What serving thresholds goes by at one look. */
export interface ServingLook {
  readonly observation: Observation;
  readonly policy: EvictionPolicy;
  readonly pending: PendingLook;
  /** The samples of the look before. */
  readonly lastSampleMs: ReadonlyMap<Signal, number>;
}

/** Who goes, and why nobody does for the thresholds that come to nothing. */
export interface Served {
  readonly order: PressureOrder | undefined;
  readonly withheld: readonly Withheld[];
}

/**
 * Serves the thresholds that are past their grace, most urgent first, until one of them has a victim: one pod at most. The
 * kubelet takes memory before all else and tries one threshold only.
 */
export function serveThresholds(past: readonly Threshold[], look: ServingLook): Served {
  const isKubelet = look.policy.compat === 'kubelet';
  const reasons: { readonly threshold: Threshold; readonly why: string }[] = [];
  for (const threshold of past.toSorted(isKubelet ? memoryFirst : servingOrder)) {
    const result = serveThreshold(threshold, look);
    if (typeof result !== 'string') {
      const withheld = oncePerSignal(reasons).filter(({ signal }) => signal !== threshold.signal);
      return { order: result, withheld };
    }
    reasons.push({ threshold, why: result });
    if (isKubelet && result !== UNCHANGED_SAMPLE) break;
  }
  return { order: undefined, withheld: oncePerSignal(reasons) };
}

const memoryFirst: Comparator<Threshold> = orderedBy(
  whereFirst((threshold) => conditionOf(threshold.signal) === 'MemoryPressure'),
  servingOrder,
);

/** The eviction that a threshold leads to, or why to none. */
function serveThreshold(threshold: Threshold, look: ServingLook): PressureOrder | string {
  const { observation, policy } = look;
  const { readings, layout, usage } = observation;
  const reading = readings.get(threshold.signal);
  if (reading === undefined || !isNewSample(reading, look.lastSampleMs.get(threshold.signal))) {
    return UNCHANGED_SAMPLE;
  }
  const { pending } = look.pending;
  if (isCovered(threshold, { reading, pending, layout })) return coveredBy(pending);
  if ((observation.podsAgeMs ?? 0) > policy.maxPodListAgeMs) return outdatedList(policy.maxPodListAgeMs);
  if (usage === undefined) return NO_STATISTICS;
  const rules = { ...victimRules(policy, look.pending), signal: threshold.signal, layout };
  const ranking = rankCandidates(observation.pods, usage, rules);
  const victim = ranking.find(
    (candidate) => passedOverBecause(candidate.pod, candidate.usage !== undefined, rules) === undefined,
  );
  return victim === undefined
    ? allPassedOver(ranking, rules)
    : thresholdOrder(
        { threshold, reading, pod: victim.pod, usage: usageOf(victim.pod, usage) },
        ranking,
        rules,
        policy,
      );
}

interface Cause {
  readonly threshold: Threshold;
  readonly reading: SignalReading;
  readonly pod: Pod;
  readonly usage: PodUsage | undefined;
}

function thresholdOrder(
  { threshold, reading, pod, usage }: Cause,
  ranking: readonly Candidate[],
  rules: RankingRules,
  policy: EvictionPolicy,
): PressureOrder {
  const { available, capacity } = reading;
  return {
    pod,
    cause: { kind: 'threshold', threshold, available, capacity },
    gracePeriodSeconds: graceSeconds(threshold, pod, policy.maxPodGracePeriodSeconds),
    usage,
    candidates: placesOf(ranking.slice(0, SHOWN_CANDIDATES), rules).map(evictionCandidate),
    message: evictionMessage(threshold, reading, { pod, usage }, rules.compat),
  };
}

function evictionCandidate(place: RankedPod): EvictionCandidate {
  const { namespace, name, uid, priority, usage, request, overRequest, evictable, why } = place;
  const { group, ownPriority } = place;
  const ofGroup = group === undefined || ownPriority === undefined ? {} : { group, ownPriority };
  return { namespace, name, uid, priority, ...ofGroup, usage, request, overRequest, evictable, why };
}
