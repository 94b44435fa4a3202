import { parsePercent } from '../numbers/percent.ts';
import { parseQuantity, quantityToInteger } from '../numbers/quantity.ts';
import { type Parsed, parsed, refused } from '../result.ts';
import type { Amount } from '../signal.ts';

/** A threshold's amount, and what is odd about it. `amount` is null where the statement turns the threshold off. */
export interface StatedAmount {
  readonly amount: Amount | null;
  readonly warning?: string;
}

/**
 * Reads what a threshold is compared with (eviction: parseThresholdStatement). Exactly "0%" and "100%" turn it off; other
 * spellings of the two numbers do not, and are never or always met. An amount must be above 0.
 */
export function readAmount(text: string): Parsed<StatedAmount> {
  if (text === '0%' || text === '100%') {
    return parsed({ amount: null });
  }
  if (text.endsWith('%')) {
    return readShare(text);
  }
  const quantity = parseQuantity(text);
  if (!quantity.ok) {
    return quantity;
  }
  return quantity.value.unscaled > 0n
    ? parsed({ amount: { quantity: quantityToInteger(quantity.value) } })
    : refused(`a threshold must be above 0, and ${text} is not; to turn it off write "0%"`);
}

function readShare(text: string): Parsed<StatedAmount> {
  const share = parsePercent(text);
  if (!share.ok) {
    return share;
  }
  if (share.value < 0 || share.value > 1) {
    return refused(`a threshold must be from 0% to 100%, and ${text} is not`);
  }
  const amount = { percentage: share.value };
  switch (share.value) {
    case 0:
      return parsed({
        amount,
        warning: `${text} is a threshold that is never met; to turn it off write "0%"`,
      });
    case 1:
      return parsed({
        amount,
        warning: `${text} is a threshold that is always met; to turn it off write "100%"`,
      });
    default:
      return parsed({ amount });
  }
}

/** Reads a minimum reclaim: 0 or more as an amount, above 0% as a share, which has no upper bound. */
export function readReclaim(text: string): Parsed<Amount> {
  if (text.endsWith('%')) {
    const share = parsePercent(text);
    return share.ok && share.value <= 0
      ? refused(
          `a minimum reclaim in percent must be above 0%, and ${text} is not; for none write "0" or remove it`,
        )
      : withPercentage(share);
  }
  const quantity = parseQuantity(text);
  if (!quantity.ok) {
    return quantity;
  }
  return quantity.value.unscaled < 0n
    ? refused(`a minimum reclaim must not be negative, and ${text} is; for none write "0"`)
    : parsed({ quantity: quantityToInteger(quantity.value) });
}

function withPercentage(share: Parsed<number>): Parsed<Amount> {
  return share.ok ? parsed({ percentage: share.value }) : share;
}
