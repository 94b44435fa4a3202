import type { PressureOrder } from '../../model/eviction.ts';
import type { Readings } from '../../model/node.ts';
import { isMet } from '../thresholds.ts';
import { isCovered, isOverdue } from './pending.ts';
import type { EvictionPolicy } from './policy.ts';
import type { EvictionState } from './state.ts';
import { lookAtThresholds } from './threshold-look.ts';
import { coveredBy } from './withheld.ts';

/** Whether an eviction is still right. */
export type SecondLook = { readonly stands: true } | { readonly stands: false; readonly why: string };

/**
 * Whether the pods' statistics matter at this look, at which nothing is decided yet: a threshold is past its grace, an
 * eviction is pending, or a pod has a local storage limit and there are statistics to hold it against. Reading them costs, so
 * a look at which all is well does without.
 */
export function needsUsage(
  state: EvictionState,
  readings: Readings,
  policy: EvictionPolicy,
  atMs: number,
): boolean {
  return (
    state.pending.length > 0 ||
    (state.storage.isMeasured && state.storage.limited.length > 0) ||
    lookAtThresholds(state, { readings, atMs }, policy).past.length > 0
  );
}

/**
 * Judges an eviction by numbers that were read after it was decided, right before it is done. It stands as long as the
 * threshold is met without what is pending; one that was served for its minimum reclaim, as long as that is missing. Numbers
 * that cannot be read again let nobody go. Local storage limits are not read again.
 */
export function secondLook(
  { cause }: PressureOrder,
  fresh: { readonly readings: Readings; readonly atMs: number },
  { pending, layout }: EvictionState,
  policy: EvictionPolicy,
): SecondLook {
  if (cause.kind === 'storage-limit') return { stands: true };
  const { threshold } = cause;
  const reading = fresh.readings.get(threshold.signal);
  if (reading === undefined) return falls(`${threshold.signal} could not be read again`);
  const isForReclaim = !isMet(threshold, cause);
  if (!isMet(threshold, reading, isForReclaim)) {
    return falls(`${threshold.signal} was read again and the threshold is not met any more`);
  }
  const stillPending =
    policy.compat === 'kubelet' ? [] : pending.filter((one) => !isOverdue(one, fresh.atMs));
  return isCovered(threshold, { reading, pending: stillPending, layout })
    ? falls(coveredBy(stillPending))
    : { stands: true };
}

/** The readings without those whose sample is older than `maxAgeMs`: an old number is none. Without a time it is new. */
export function freshReadings(readings: Readings, nowMs: number, maxAgeMs: number): Readings {
  const isOld = (atMs: number | undefined): boolean => atMs !== undefined && nowMs - atMs > maxAgeMs;
  if (![...readings.values()].some(({ atMs }) => isOld(atMs))) return readings;
  return new Map([...readings].filter(([, { atMs }]) => !isOld(atMs)));
}

function falls(why: string): SecondLook {
  return { stands: false, why };
}
