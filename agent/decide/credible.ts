import type { Readings } from '../model/node.ts';
import { amountText } from './amount-text.ts';

/** Readings that can be right, and a sentence about each of the others; the sentence stays the same as long as it is so. */
export interface CredibleReadings {
  readonly readings: Readings;
  readonly lacks: readonly string[];
}

/**
 * Leaves out signals of which more than twice the capacity would be in use: a working set can be somewhat above the capacity
 * (available is negative then), but not by that much. Such a number comes from a broken counter or a capacity that is not
 * this machine's, and pods would be evicted on it until none is left.
 */
export function credibleReadings(readings: Readings): CredibleReadings {
  const wrong = [...readings].filter(([, { available, capacity }]) => available < -capacity);
  if (wrong.length === 0) return { readings, lacks: [] };
  const left = new Set(wrong.map(([signal]) => signal));
  return {
    readings: new Map([...readings].filter(([signal]) => !left.has(signal))),
    lacks: wrong.map(
      ([signal, { capacity }]) =>
        `${signal} is not observed: more than twice its capacity of ${amountText(signal, capacity)} would be in use, which cannot be right`,
    ),
  };
}
