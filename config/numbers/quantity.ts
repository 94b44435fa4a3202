import { type Parsed, parsed, refused } from '../result.ts';
import { decimalDigits, powerOfTen, removeFactors, scaledUp } from './decimal.ts';

export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent';

/** An exact amount: `unscaled` x 10^`exponent`. 0.1Gi is 1073741824 x 10^-1. */
export interface Quantity {
  readonly unscaled: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

export const ZERO: Quantity = { unscaled: 0n, exponent: 0, format: 'DecimalSI' };

const INT64_MAX = 9223372036854775807n;
const INT64_MIN = -9223372036854775808n;
const INT32_MAX = 2147483647;
/** Longer texts are nobody's amount, and turning their digits into a number takes time that grows with their square. */
const LONGEST_TEXT = 1000;
/** Beyond this many digits between two summands the smaller one only says on which side of the larger one the sum is. */
const FARTHEST_DIGITS = 10_000;

const DECIMAL_UNITS: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const BINARY_UNITS: ReadonlyMap<string, number> = new Map([
  ['Ki', 1],
  ['Mi', 2],
  ['Gi', 3],
  ['Ti', 4],
  ['Pi', 5],
  ['Ei', 6],
]);
const UNITS = 'n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei';

/**
 * Reads a quantity as `resource.ParseQuantity` of apimachinery does, and keeps it exact. Stricter than upstream in two
 * ways: a text without a digit is refused, and so is an exponent outside int32 (upstream lets it wrap).
 */
export function parseQuantity(text: string): Parsed<Quantity> {
  if (text.length > LONGEST_TEXT) {
    return refused(`a text of ${text.length} characters is not a quantity`);
  }
  const match = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([^0-9.][^]*)?$/.exec(text);
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match ?? [];
  if (match === null || whole + fraction === '') {
    return refused(
      `${JSON.stringify(text)} is not a quantity; write a number such as 512Mi, 1.5Gi, 200m or 1e9`,
    );
  }
  const scale = scaleOf(suffix, text);
  if (!scale.ok) {
    return scale;
  }
  const { exponent, factor, format } = scale.value;
  const digits = BigInt(whole + fraction) * factor;
  return parsed({
    unscaled: sign === '-' ? -digits : digits,
    exponent: exponent - fraction.length,
    format,
  });
}

interface Scale {
  readonly exponent: number;
  readonly factor: bigint;
  readonly format: QuantityFormat;
}

function scaleOf(suffix: string, text: string): Parsed<Scale> {
  const decimal = DECIMAL_UNITS.get(suffix);
  if (decimal !== undefined) {
    return parsed({ exponent: decimal, factor: 1n, format: 'DecimalSI' });
  }
  const binary = BINARY_UNITS.get(suffix);
  if (binary !== undefined) {
    return parsed({ exponent: 0, factor: 1024n ** BigInt(binary), format: 'BinarySI' });
  }
  const written = /^[eE]([+-]?[0-9]+)$/.exec(suffix)?.[1];
  if (written === undefined) {
    return refused(
      `${JSON.stringify(text)} is not a quantity: ${JSON.stringify(suffix)} is not one of the units ${UNITS}`,
    );
  }
  const exponent = Number(written);
  return Math.abs(exponent) > INT32_MAX
    ? refused(`${JSON.stringify(text)} is not a quantity: its exponent is outside 32 bits`)
    : parsed({ exponent, factor: 1n, format: 'DecimalExponent' });
}

/** A whole number as a quantity. */
export function quantityOf(integer: bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { unscaled: integer, exponent: 0, format };
}

/**
 * The canonical text, computed afresh (apimachinery: Quantity.CanonicalizeBytes): 1.5Gi is 1536Mi, 1.1Gi is
 * 1181116006400m, 0.07 is 70m. What is finer than a nano is rounded away from zero to one, as no unit says less.
 */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.unscaled === 0n) {
    return '0';
  }
  if (quantity.format === 'BinarySI') {
    return formatBinary(quantity);
  }
  return formatDecimal(quantity, quantity.format);
}

function formatBinary(quantity: Quantity): string {
  const integer = exactInteger(quantity);
  if (integer === undefined || (integer > -1024n && integer < 1024n)) {
    return formatDecimal(quantity, 'DecimalSI');
  }
  const [mantissa, times] = removeFactors(integer, 1024n, BINARY_UNITS.size);
  const unit = [...BINARY_UNITS.keys()][times - 1] ?? '';
  return `${mantissa}${unit}`;
}

/** The value where it is a whole number of at most some 60 digits, which all amounts with a binary unit are. */
function exactInteger(quantity: Quantity): bigint | undefined {
  const { unscaled, exponent } = quantity;
  if (exponent >= 0) {
    return decimalDigits(unscaled) + exponent > LONGEST_TEXT * 2
      ? undefined
      : unscaled * powerOfTen(exponent);
  }
  if (-exponent >= decimalDigits(unscaled)) {
    return undefined;
  }
  const divisor = powerOfTen(-exponent);
  return unscaled % divisor === 0n ? unscaled / divisor : undefined;
}

function formatDecimal(quantity: Quantity, format: 'DecimalSI' | 'DecimalExponent'): string {
  const lowest = -9;
  const atLeastNano =
    quantity.exponent < lowest
      ? { unscaled: scaledUp(quantity.unscaled, quantity.exponent - lowest), exponent: lowest }
      : quantity;
  const [bare, zeros] = removeFactors(atLeastNano.unscaled, 10n);
  const exponent = atLeastNano.exponent + zeros;
  const step = Math.floor(exponent / 3) * 3;
  const shown = format === 'DecimalSI' ? Math.min(step, 18) : step;
  if (exponent - shown > LONGEST_TEXT) {
    // 1e3000 in DecimalSI would be a text of zeros without end; the exponent form says the same.
    return `${bare * powerOfTen(exponent - step)}e${step}`;
  }
  const mantissa = bare * powerOfTen(exponent - shown);
  return `${mantissa}${format === 'DecimalSI' ? decimalUnit(shown) : exponentUnit(shown)}`;
}

function decimalUnit(exponent: number): string {
  return [...DECIMAL_UNITS].find(([, value]) => value === exponent)?.[0] ?? '';
}

function exponentUnit(exponent: number): string {
  return exponent === 0 ? '' : `e${exponent}`;
}

/**
 * The value as a whole number, rounded away from zero as `Quantity.Value` does and saturated to int64 with its sign. Bytes
 * and counts are read with it.
 */
export function quantityToInteger(quantity: Quantity): bigint {
  return saturate(scaledUp(quantity.unscaled, quantity.exponent));
}

/** The same of a thousand times the value: cpu in millicores (`Quantity.MilliValue`). */
export function quantityToMilli(quantity: Quantity): bigint {
  return saturate(scaledUp(quantity.unscaled, quantity.exponent + 3));
}

function saturate(value: bigint): bigint {
  if (value > INT64_MAX) {
    return INT64_MAX;
  }
  return value < INT64_MIN ? INT64_MIN : value;
}

/** The exact sum, in the format of the first summand that is not zero (apimachinery: Quantity.Add). */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  if (a.unscaled === 0n) {
    return b;
  }
  if (b.unscaled === 0n) {
    return a;
  }
  const [x, y] = a.exponent === b.exponent ? [a, b] : nearby(a, b);
  const exponent = Math.min(x.exponent, y.exponent);
  const unscaled =
    x.unscaled * powerOfTen(x.exponent - exponent) + y.unscaled * powerOfTen(y.exponent - exponent);
  return unscaled === 0n ? { ...ZERO, format: a.format } : { unscaled, exponent, format: a.format };
}

/** The exact difference, in the format of the first one that is not zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, { ...b, unscaled: -b.unscaled });
}

/** Both as they are, or the far smaller one replaced by one that is still far smaller and can be added cheaply. */
function nearby(a: Quantity, b: Quantity): [Quantity, Quantity] {
  const difference = magnitude(a) - magnitude(b);
  if (difference > FARTHEST_DIGITS) {
    return [a, trace(b, magnitude(a))];
  }
  return -difference > FARTHEST_DIGITS ? [trace(a, magnitude(b)), b] : [a, b];
}

function trace(small: Quantity, magnitudeOfLarge: number): Quantity {
  return {
    unscaled: small.unscaled < 0n ? -1n : 1n,
    exponent: magnitudeOfLarge - FARTHEST_DIGITS,
    format: small.format,
  };
}

/** The number m for which 10^(m-1) <= |value| < 10^m; only for values that are not zero. */
function magnitude(quantity: Quantity): number {
  return decimalDigits(quantity.unscaled) + quantity.exponent;
}

/** The larger of the two; the first one where they are equal. */
export function maxQuantity(a: Quantity, b: Quantity): Quantity {
  return compareQuantities(a, b) < 0 ? b : a;
}

/** -1, 0 or 1 as the first value is smaller, equal or larger; formats do not matter. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  const difference = subtractQuantities(a, b).unscaled;
  if (difference === 0n) {
    return 0;
  }
  return difference < 0n ? -1 : 1;
}

/** Whether the value is above zero. */
export function isPositive(quantity: Quantity): boolean {
  return quantity.unscaled > 0n;
}
