import { type Amount, conditionOf } from '../../config/signal.ts';
import { evictionsOf, type ReplayedEviction, type ReplayedLook } from './replay.ts';

/** How far two configurations part over a trace. */
export interface ComparisonSummary {
  readonly observations: number;
  /** Observations that lead to something else under the one than under the other. */
  readonly differing: number;
  readonly evictionsA: number;
  readonly evictionsB: number;
}

export const NOTHING_COMPARED: ComparisonSummary = {
  observations: 0,
  differing: 0,
  evictionsA: 0,
  evictionsB: 0,
};

/** The summary with one more observation, and what it led to under both configurations. */
export function withLooks(summary: ComparisonSummary, a: ReplayedLook, b: ReplayedLook): ComparisonSummary {
  return {
    observations: summary.observations + 1,
    differing: summary.differing + (isSameLook(a, b) ? 0 : 1),
    evictionsA: summary.evictionsA + evictionsOf(a).length,
    evictionsB: summary.evictionsB + evictionsOf(b).length,
  };
}

/** Whether two looks lead to the same: conditions, thresholds and evictions; when they were is not looked at. */
export function isSameLook(a: ReplayedLook, b: ReplayedLook): boolean {
  return (
    isSameList(a.conditions, b.conditions, (one, other) => one === other) &&
    isSameList(a.thresholdsMet, b.thresholdsMet, isSameThreshold) &&
    isSameList(evictionsOf(a), evictionsOf(b), isSameEviction)
  );
}

/** Whether a threshold that stands for a disk is served: where a kubelet would collect garbage before it evicts. */
export function isDiskShort(look: ReplayedLook): boolean {
  return look.thresholdsMet.some(({ signal }) => conditionOf(signal) === 'DiskPressure');
}

function isSameList<T>(a: readonly T[], b: readonly T[], isSame: (one: T, other: T) => boolean): boolean {
  return (
    a.length === b.length &&
    a.every((one, index) => {
      const other = b[index];
      return other !== undefined && isSame(one, other);
    })
  );
}

type MetThreshold = ReplayedLook['thresholdsMet'][number];

function isSameThreshold(a: MetThreshold, b: MetThreshold): boolean {
  return a.signal === b.signal && a.type === b.type && isSameAmount(a.value, b.value);
}

function isSameAmount(a: Amount, b: Amount): boolean {
  return 'quantity' in a
    ? 'quantity' in b && a.quantity === b.quantity
    : 'percentage' in b && a.percentage === b.percentage;
}

function isSameEviction(a: ReplayedEviction, b: ReplayedEviction): boolean {
  return (
    a.namespace === b.namespace &&
    a.name === b.name &&
    a.uid === b.uid &&
    a.signal === b.signal &&
    a.type === b.type &&
    a.gracePeriodSeconds === b.gracePeriodSeconds
  );
}
