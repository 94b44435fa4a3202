/** How many decimal digits a number has, its sign not counted; 1 for 0. */
export function decimalDigits(value: bigint): number {
  return (value < 0n ? -value : value).toString().length;
}

/** 10 to a power that is not negative; callers keep it small. */
export function powerOfTen(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

/** Divides a number that is not 0 by a factor as long as it divides evenly, at most so many times: what is left, and how often. */
export function removeFactors(
  value: bigint,
  factor: bigint,
  atMost = Number.POSITIVE_INFINITY,
): readonly [bigint, number] {
  let rest = value;
  let times = 0;
  while (times < atMost && rest % factor === 0n) {
    rest /= factor;
    times += 1;
  }
  return [rest, times];
}

/**
 * unscaled x 10^exponent as a whole number, rounded away from zero. A positive exponent counts for 20 at most, so that no
 * power is computed that is of no use: what is far beyond 64 bits comes out as some number beyond them.
 */
export function scaledUp(unscaled: bigint, exponent: number): bigint {
  if (exponent >= 0) {
    return unscaled * powerOfTen(Math.min(exponent, 20));
  }
  if (unscaled === 0n) {
    return 0n;
  }
  const unit = unscaled < 0n ? -1n : 1n;
  if (-exponent >= decimalDigits(unscaled)) {
    return unit;
  }
  const divisor = powerOfTen(-exponent);
  return unscaled % divisor === 0n ? unscaled / divisor : unscaled / divisor + unit;
}
