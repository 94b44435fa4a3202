import { stringify as stringifyJson } from 'lossless-json';

/**
 * A document as JSON: bigint as exact integers, keys that are undefined left out; `indent` 0 is one line. The platform's own
 * writer is several times leaner, and knows no bigint: it writes the document where every bigint is exact as a double, which
 * is nearly always, and the library writes the others.
 */
export function jsonText(document: object, indent: 0 | 2): string {
  const inexact: bigint[] = [];
  const text = JSON.stringify(
    document,
    (_key, value: unknown) => {
      if (typeof value !== 'bigint') return value;
      if (value > MAX_SAFE || value < MIN_SAFE) inexact.push(value);
      return Number(value);
    },
    indent,
  );
  return inexact.length === 0 ? text : (stringifyJson(document, undefined, indent) ?? 'null');
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const MIN_SAFE = BigInt(Number.MIN_SAFE_INTEGER);
