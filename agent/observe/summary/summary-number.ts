import { asInteger, type PlainValue } from '../../../config/text/plain-value.ts';

/**
 * A number of the summary that can mean less than nothing. The kubelet subtracts without a sign and writes 2^64 - n for -n
 * (working set above the limit), so numbers from 2^63 on are negative ones.
 */
export function signedInteger(value: PlainValue | undefined): bigint | undefined {
  const integer = asInteger(value);
  return integer === undefined ? undefined : BigInt.asIntN(64, integer);
}

/** A counter of the summary; one that came out negative is 0. */
export function unsignedCount(value: PlainValue | undefined): bigint | undefined {
  const integer = signedInteger(value);
  if (integer === undefined) return undefined;
  return integer < 0n ? 0n : integer;
}
