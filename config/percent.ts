import type { Parsed } from './result.ts';
import type { Amount } from './signal.ts';

export function parsePercent(text: string): Parsed<number> {
  throw new Error(`not there yet: ${text}`);
}

/**
 * An amount as a number of bytes or a count, for a capacity: a share is trunc(float64(capacity) x percentage), as the
 * kubelet computes it (eviction: evictionapi.GetThresholdQuantity).
 */
export function amountIn(amount: Amount, capacity: bigint): bigint {
  return 'quantity' in amount ? amount.quantity : BigInt(Math.trunc(Number(capacity) * amount.percentage));
}
