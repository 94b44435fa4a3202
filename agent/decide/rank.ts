import type { Signal } from '../../config/signal.ts';
import type { Pod, QosClass, UsageByUid } from '../model/pod.ts';
import { type Candidate, candidateOf, type RankingRules } from './candidate.ts';
import { isCritical, isFinished } from './critical.ts';
import { byNumber, byText, type Comparator, orderedBy, reversed, whereFirst } from './ordered-by.ts';
import { priorityOf } from './priority.ts';
import { qosClassInForce } from './qos-class.ts';
import { passedOver, reason } from './rank-reason.ts';
import { starvedResource } from './usage.ts';
import { passedOverBecause } from './victims.ts';

/** One pod's place, as an entry of `order` in EvictionRanking. Bytes or a count; null as the contract has it. */
export interface RankedPod {
  /** From 1; pods that are passed over are counted. */
  readonly rank: number;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | null;
  readonly qosClass: QosClass;
  /** That of its group where groups count and it is in one. */
  readonly priority: number;
  /** `namespace/name` of its PodGroup, and the pod's own priority; absent where groups do not count, or it is in none. */
  readonly group?: string;
  readonly ownPriority?: number;
  readonly usage: bigint | null;
  readonly request: bigint | null;
  readonly exceedsRequest: boolean | null;
  readonly overRequest: bigint | null;
  readonly critical: boolean;
  readonly evictable: boolean;
  readonly why: string;
}

/**
 * Who would be evicted for a signal, first to last; finished pods are left out. The order is the kubelet's (facts of
 * rankMemoryPressure, rankPIDPressure, rankDiskPressureFunc), made total by namespace, name and uid.
 */
export function rankPods(pods: readonly Pod[], usage: UsageByUid, rules: RankingRules): readonly RankedPod[] {
  return placesOf(rankCandidates(pods, usage, rules), rules);
}

/** The candidates in their order, first to go first; finished pods are left out, those that are passed over are not. */
export function rankCandidates(
  pods: readonly Pod[],
  usage: UsageByUid,
  rules: RankingRules,
): readonly Candidate[] {
  return pods
    .filter((pod) => !isFinished(pod))
    .map((pod) => candidateOf(pod, usage, rules))
    .toSorted(evictionOrder(rules.signal));
}

/** The entries of the first of a ranking, from its first place on: their numbers and why they stand there. */
export function placesOf(ranking: readonly Candidate[], rules: RankingRules): readonly RankedPod[] {
  let evictableCount = 0;
  return ranking.map((candidate, index) => {
    const because = passedOverBecause(candidate.pod, candidate.usage !== undefined, rules);
    if (because === undefined) evictableCount += 1;
    const why =
      because === undefined
        ? reason(candidate, rules, evictableCount)
        : passedOver(candidate, rules, because);
    return rankedPod(candidate, index + 1, because === undefined, why);
  });
}

/** The order of candidates for a signal: memory and disk by excess, priority and amount, process IDs by priority and count. */
export function evictionOrder(signal: Signal): Comparator<Candidate> {
  const amount = orderedBy(unmeasuredFirst, mostFirst);
  return starvedResource(signal) === 'pids'
    ? orderedBy(lowPriorityFirst, amount, byIdentity)
    : orderedBy(unmeasuredFirst, exceedingFirst, lowPriorityFirst, amount, byIdentity);
}

const unmeasuredFirst = whereFirst<Candidate>((candidate) => candidate.usage === undefined);
const exceedingFirst = whereFirst<Candidate>((candidate) => candidate.exceeds);
const lowPriorityFirst = byNumber<Candidate>((candidate) => candidate.priority);
const mostFirst = reversed(byNumber<Candidate>((candidate) => candidate.over));
const byIdentity = orderedBy<Candidate>(
  byText((candidate) => candidate.pod.namespace),
  byText((candidate) => candidate.pod.name),
  byText((candidate) => candidate.pod.uid ?? ''),
);

function rankedPod(candidate: Candidate, rank: number, evictable: boolean, why: string): RankedPod {
  const { pod, usage, request } = candidate;
  const hasExcess = usage !== undefined && request !== undefined;
  return {
    rank,
    namespace: pod.namespace,
    name: pod.name,
    uid: pod.uid ?? null,
    qosClass: qosClassInForce(pod),
    priority: candidate.priority,
    ...groupFields(candidate),
    usage: usage ?? null,
    request: request ?? null,
    exceedsRequest: hasExcess ? candidate.exceeds : null,
    overRequest: hasExcess ? candidate.over : null,
    critical: isCritical(pod),
    evictable,
    why,
  };
}

function groupFields({ pod, group }: Candidate): Pick<RankedPod, 'group' | 'ownPriority'> {
  return group === undefined ? {} : { group: group.name, ownPriority: priorityOf(pod) };
}
