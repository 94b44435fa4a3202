import type { Amount, Threshold } from '../signal.ts';

/**
 * The copies on allocatableMemory.available of every hard memory.available threshold, which the kubelet adds where it
 * enforces allocatable on pods (eviction: addAllocatableThresholds). A soft one with a grace of 0s is hard by then.
 */
export function allocatableCopies(thresholds: readonly Threshold[]): readonly Threshold[] {
  return thresholds
    .filter(({ signal, type }) => signal === 'memory.available' && type === 'hard')
    .map((threshold) => ({
      ...threshold,
      id: threshold.id.replace('memory.available', 'allocatableMemory.available'),
      signal: 'allocatableMemory.available',
      derived: true,
    }));
}

/** By signal, hard before soft, amounts before percentages, then by size; a total order over what can be told apart. */
export function sortThresholds(thresholds: readonly Threshold[]): readonly Threshold[] {
  return thresholds.toSorted(
    (a, b) =>
      compare(a.signal, b.signal) ||
      compare(a.type, b.type) ||
      compareAmounts(a.value, b.value) ||
      a.gracePeriodMs - b.gracePeriodMs ||
      Number(a.derived) - Number(b.derived) ||
      compare(a.id, b.id),
  );
}

function compareAmounts(a: Amount, b: Amount): number {
  if ('quantity' in a) {
    return 'quantity' in b ? compare(a.quantity, b.quantity) : -1;
  }
  return 'quantity' in b ? 1 : a.percentage - b.percentage;
}

function compare<T extends string | bigint>(a: T, b: T): number {
  return a < b ? -1 : Number(a > b);
}
