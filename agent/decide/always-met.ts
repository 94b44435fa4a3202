import { type Warning, warning } from '../../cgroup/warning.ts';
import type { Signal, Threshold } from '../../config/signal.ts';
import { amountText } from './amount-text.ts';

/**
 * Warns of thresholds with a quantity at or above the capacity of their signal, in bytes or counts; `capacityOf` gives
 * undefined where it is not known. Such a threshold is met whatever happens, so pod after pod would go.
 */
export function alwaysMetWarnings(
  thresholds: readonly Threshold[],
  capacityOf: (signal: Signal) => bigint | undefined,
): readonly Warning[] {
  return thresholds.flatMap(({ signal, type, value }) => {
    const capacity = capacityOf(signal);
    if (!('quantity' in value) || capacity === undefined || value.quantity < capacity) return [];
    const [stated, has] = [value.quantity, capacity].map((amount) => amountText(signal, amount));
    const message = `the ${type} threshold of ${signal} is ${stated}, and its capacity is ${has}: it is always met, and every pod that may be evicted would go; write a smaller one`;
    return [warning('threshold-always-met', message)];
  });
}
