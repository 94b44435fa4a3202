import { formatDuration } from '../../../config/numbers/duration.ts';
import type { Threshold } from '../../../config/signal.ts';
import type { PendingRelease, Withheld } from '../../model/eviction.ts';
import type { Candidate, RankingRules } from '../candidate.ts';
import { isCritical } from '../critical.ts';
import { criticalGroup } from '../victims.ts';

/** The same sample has led to what it leads to. */
export const UNCHANGED_SAMPLE = 'the sample has not changed since the last look';

/** Nobody can be ranked before the first statistics. */
export const NO_STATISTICS = 'there are no statistics of the pods yet';

/**
 * The pods may be others by now. None of the sentences changes from look to look without a cause, so that each is told once.
 */
export function outdatedList(maxPodListAgeMs: number): string {
  return `the list of pods is older than ${formatDuration(maxPodListAgeMs)}`;
}

/** Enough is on its way. */
export function coveredBy(pending: readonly PendingRelease[]): string {
  const names = pending.map(({ namespace, name }) => `${namespace}/${name}`).join(', ');
  const how = pending.every(({ goneAtMs }) => goneAtMs !== undefined)
    ? 'evicted'
    : 'evicted and not gone yet';
  return `${names}: ${how}, and what comes back is enough`;
}

/** Everybody on the node is passed over; how many for which reason. */
export function allPassedOver(candidates: readonly Candidate[], rules: RankingRules): string {
  if (candidates.length === 0) return 'there is no pod on this node';
  const counts = new Map<string, number>();
  for (const candidate of candidates) {
    const kind = kindOf(candidate, rules);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const kinds = [...counts].map(([kind, count]) => `${count} ${kind}`).toSorted();
  return `no pod may be evicted (${kinds.join(', ')})`;
}

/** One sentence a signal: that of the threshold that comes first. */
export function oncePerSignal(
  reasons: readonly { readonly threshold: Threshold; readonly why: string }[],
): readonly Withheld[] {
  const bySignal = new Map<Threshold['signal'], Withheld>();
  for (const { threshold, why } of reasons) {
    const { signal } = threshold;
    if (!bySignal.has(signal)) bySignal.set(signal, { signal, why });
  }
  return [...bySignal.values()];
}

/** In the order of victims.ts. */
function kindOf({ pod, usage }: Candidate, rules: RankingRules): string {
  if (isCritical(pod) || criticalGroup(pod, rules) !== undefined) return 'critical';
  if (pod.mayBeCritical === true) return 'of unknown priority';
  if (rules.heldBack?.(pod) !== undefined) return 'evicted a moment ago';
  if (pod.terminating) return 'terminating';
  return usage === undefined ? 'unmeasured' : 'protected';
}
