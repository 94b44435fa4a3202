import type { Amount, Threshold } from '../../config/signal.ts';
import type { Readings, SignalReading } from '../model/node.ts';
import type { Comparator } from './ordered-by.ts';

/** The number that available is compared with: the amount itself, or its share of the capacity. */
export function thresholdQuantity(_amount: Amount, _capacity: bigint): bigint {
  throw new Error('not yet');
}

/** Whether available is strictly below the threshold, or below threshold + minimum reclaim when that counts too. */
export function isMet(_threshold: Threshold, _reading: SignalReading, _withMinReclaim = false): boolean {
  throw new Error('not yet');
}

/** The thresholds met at this one look, in the given order; one without a reading is not met. */
export function thresholdsMet(
  _thresholds: readonly Threshold[],
  _readings: Readings,
  _withMinReclaim = false,
): readonly Threshold[] {
  throw new Error('not yet');
}

/** Hard before soft, then memory, pid, disk, then by signal name, then by value: total, apart from equal thresholds. */
export const servingOrder: Comparator<Threshold> = () => 0;
