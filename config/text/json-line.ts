import { stringify } from 'lossless-json';

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const MIN_SAFE = BigInt(Number.MIN_SAFE_INTEGER);

/**
 * A value as JSON on one line, without the line break: bigint as exact integers, keys that are undefined left out, whatever
 * has a line break in it escaped. The platform's own writer is several times faster and knows no bigint, so it writes all
 * that a double holds exactly, which is nearly always everything.
 */
export function jsonLine(value: object): string {
  let isExact = true;
  const text = JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== 'bigint') return item;
    if (item > MAX_SAFE || item < MIN_SAFE) isExact = false;
    return Number(item);
  });
  return isExact ? text : (stringify(value) ?? 'null');
}
