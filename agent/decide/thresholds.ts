import { amountIn } from '../../config/numbers/percent.ts';
import { type Amount, conditionOf, type Threshold } from '../../config/signal.ts';
import type { Readings, SignalReading } from '../model/node.ts';
import { byNumber, byText, type Comparator, orderedBy, whereFirst } from './ordered-by.ts';

/**
 * Whether available is strictly below the threshold; with `withMinReclaim`, strictly below threshold + minimum reclaim,
 * which is how a threshold that was acted on stays met until enough came back (kubelet: thresholdsMet, enforceMinReclaim).
 */
export function isMet(
  threshold: Threshold,
  reading: Pick<SignalReading, 'available' | 'capacity'>,
  withMinReclaim = false,
): boolean {
  const quantity = amountIn(threshold.value, reading.capacity);
  const reclaim =
    withMinReclaim && threshold.minReclaim !== null ? amountIn(threshold.minReclaim, reading.capacity) : 0n;
  return reading.available < quantity + reclaim;
}

/** The thresholds met at this one look, in serving order. One whose signal has no reading is not met. */
export function thresholdsMet(
  thresholds: readonly Threshold[],
  readings: Readings,
  withMinReclaim = false,
): readonly Threshold[] {
  return thresholds
    .filter((threshold) => {
      const reading = readings.get(threshold.signal);
      return reading !== undefined && isMet(threshold, reading, withMinReclaim);
    })
    .toSorted(servingOrder);
}

/** How far available is above a threshold, in bytes or counts; below 0 once it is met, and 0 just before. */
export function thresholdDistance(
  value: Amount,
  reading: Pick<SignalReading, 'available' | 'capacity'>,
): bigint {
  return reading.available - amountIn(value, reading.capacity);
}

/**
 * Which of several met thresholds is served first: hard before soft, then memory, pid, disk, then by signal name, then the
 * smaller value (amounts before shares), then by id, so that the order is total. The kubelet leaves most of it to chance.
 */
export const servingOrder: Comparator<Threshold> = orderedBy(
  whereFirst((threshold) => threshold.type === 'hard'),
  byNumber((threshold) => resourceRank(threshold)),
  byText((threshold) => threshold.signal),
  (a, b) => compareAmounts(a.value, b.value),
  byText((threshold) => threshold.id),
);

/** Amounts before shares, then by size. */
export function compareAmounts(a: Amount, b: Amount): number {
  if ('quantity' in a) {
    return 'quantity' in b ? byNumber((quantity: bigint) => quantity)(a.quantity, b.quantity) : -1;
  }
  return 'quantity' in b ? 1 : byNumber((share: number) => share)(a.percentage, b.percentage);
}

function resourceRank(threshold: Threshold): number {
  switch (conditionOf(threshold.signal)) {
    case 'MemoryPressure':
      return 0;
    case 'PIDPressure':
      return 1;
    case 'DiskPressure':
      return 2;
  }
}
