import { type Parsed, parsed, refused } from '../result.ts';

const NANOSECONDS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const LONGEST_TEXT = 200;
const INT64_MAX = 9223372036854775807n;

/**
 * Reads a duration in Go's grammar (time.ParseDuration): signed numbers with units, such as 1m30s or 1.5h; a bare 0 is
 * fine, any other number needs its unit, and there are no days. Gives milliseconds; microseconds become fractions.
 */
export function parseDuration(text: string): Parsed<number> {
  const shown = JSON.stringify(text.slice(0, LONGEST_TEXT));
  const signless = /^[+-]?([^]*)$/.exec(text)?.[1] ?? '';
  if (signless === '0') {
    return parsed(0);
  }
  if (text.length > LONGEST_TEXT || !/^(?:\.?[0-9])/.test(signless)) {
    return refused(`${shown} is not a duration; write a number with its unit, such as 30s or 1m30s`);
  }
  const nanoseconds = sumOfParts(signless);
  if (typeof nanoseconds === 'string') {
    return refused(`${shown} is not a duration: ${nanoseconds}`);
  }
  const negative = text.startsWith('-');
  if (nanoseconds > INT64_MAX + (negative ? 1n : 0n)) {
    return refused(`${shown} is not a duration: it is longer than 292 years`);
  }
  return parsed(toMilliseconds(negative ? -nanoseconds : nanoseconds));
}

/** A number, then everything up to the next number. Every text that starts with a number falls into such parts. */
const PART = /(?=[0-9.])([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/g;

/** The nanoseconds of all parts, or what is wrong with one of them. */
function sumOfParts(text: string): bigint | string {
  let nanoseconds = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(PART)) {
    const size = NANOSECONDS.get(unit);
    if (size === undefined) {
      return unitFault(unit);
    }
    if (whole + fraction === '') {
      return 'a point stands without digits';
    }
    nanoseconds += BigInt(whole) * size + (BigInt(fraction) * size) / 10n ** BigInt(fraction.length);
  }
  return nanoseconds;
}

function unitFault(unit: string): string {
  return unit === ''
    ? 'a unit is missing; units are h, m, s, ms, us and ns'
    : `${JSON.stringify(unit)} is not one of the units h, m, s, ms, us and ns`;
}

function toMilliseconds(nanoseconds: bigint): number {
  return Number(nanoseconds / 1_000_000n) + Number(nanoseconds % 1_000_000n) / 1_000_000;
}

/** Prints milliseconds as Go prints a duration (Duration.String): 300000 is 5m0s, 1500 is 1.5s, 0.5 is 500\u00b5s. */
export function formatDuration(ms: number): string {
  const sign = ms < 0 ? '-' : '';
  const whole = Math.trunc(Math.abs(ms));
  const nanoseconds = BigInt(whole) * 1_000_000n + BigInt(Math.round((Math.abs(ms) - whole) * 1_000_000));
  if (nanoseconds === 0n) {
    return '0s';
  }
  if (nanoseconds < 1_000n) {
    return `${sign}${nanoseconds}ns`;
  }
  if (nanoseconds < 1_000_000n) {
    return `${sign}${withFraction(nanoseconds, 1_000n)}\u00b5s`;
  }
  if (nanoseconds < 1_000_000_000n) {
    return `${sign}${withFraction(nanoseconds, 1_000_000n)}ms`;
  }
  const seconds = `${withFraction(nanoseconds % 60_000_000_000n, 1_000_000_000n)}s`;
  const minutes = nanoseconds / 60_000_000_000n;
  if (minutes === 0n) {
    return `${sign}${seconds}`;
  }
  return minutes < 60n
    ? `${sign}${minutes}m${seconds}`
    : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function withFraction(value: bigint, unit: bigint): string {
  const digits = (value % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '');
  return digits === '' ? `${value / unit}` : `${value / unit}.${digits}`;
}
