import { type Parsed, parsed, refused } from '../result.ts';
import type { Amount } from '../signal.ts';

/**
 * Reads a text such as 10% or .5% as the number before the sign: 10, 0.5. Exponents, hexadecimal digits, underscores, a
 * plus, blanks, a second sign and NaN are refused, although the kubelet's float parser lets some of them pass.
 */
export function percentNumber(text: string): Parsed<number> {
  if (!/^-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)%$/.test(text)) {
    return refused(
      `${JSON.stringify(text)} is not a percentage; write digits and one percent sign, such as 10% or 2.5%`,
    );
  }
  return parsed(Number(text.slice(0, -1)) + 0);
}

/**
 * Reads a percentage as the kubelet does: as a 32-bit float, divided by 100 in 32 bits, widened to a double. 10% is
 * 0.10000000149011612. The range is the caller's to check.
 */
export function parsePercent(text: string): Parsed<number> {
  const number = percentNumber(text);
  return number.ok ? parsed(Math.fround(Math.fround(number.value) / 100)) : number;
}

/**
 * An amount as a number of bytes or a count, for a capacity: a share is trunc(float64(capacity) x percentage), as the
 * kubelet computes it (eviction: GetThresholdQuantity).
 */
export function amountIn(amount: Amount, capacity: bigint): bigint {
  return 'quantity' in amount ? amount.quantity : BigInt(Math.trunc(Number(capacity) * amount.percentage));
}
