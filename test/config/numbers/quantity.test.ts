import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  isPositive,
  maxQuantity,
  parseQuantity,
  type Quantity,
  quantityOf,
  quantityToInteger,
  quantityToMilli,
  subtractQuantities,
  ZERO,
} from '../../../config/numbers/quantity.ts';

const MAX = '9223372036854775807';
const MIN = '-9223372036854775808';

function q(text: string): Quantity {
  const result = parseQuantity(text);
  if (!result.ok) {
    throw new Error(result.message);
  }
  return result.value;
}

/** Canonical text, bytes, millis. */
const GOOD: Readonly<Record<string, readonly [string, string, string]>> = {
  '0': ['0', '0', '0'],
  '-0': ['0', '0', '0'],
  '00Mi': ['0', '0', '0'],
  '0.07': ['70m', '1', '70'],
  '1.5Gi': ['1536Mi', '1610612736', '1610612736000'],
  '1.1Gi': ['1181116006400m', '1181116007', '1181116006400'],
  '1181116006400m': ['1181116006400m', '1181116007', '1181116006400'],
  '966367641600m': ['966367641600m', '966367642', '966367641600'],
  '0.1Gi': ['107374182400m', '107374183', '107374182400'],
  '0.001Mi': ['1048576m', '1049', '1048576'],
  '.5Gi': ['512Mi', '536870912', '536870912000'],
  '1.80G': ['1800M', '1800000000', '1800000000000'],
  '1023Ki': ['1023Ki', '1047552', '1047552000'],
  '1024Ki': ['1Mi', '1048576', '1048576000'],
  '0.5Ki': ['512', '512', '512000'],
  '1Ki': ['1Ki', '1024', '1024000'],
  '-1Ki': ['-1Ki', '-1024', '-1024000'],
  '-0.5Ki': ['-512', '-512', '-512000'],
  '1000': ['1k', '1000', '1000000'],
  '129e6': ['129e6', '129000000', '129000000000'],
  '129E6': ['129e6', '129000000', '129000000000'],
  '1e+3': ['1e3', '1000', '1000000'],
  '1.e3': ['1e3', '1000', '1000000'],
  '1e-3': ['1e-3', '1', '1'],
  '1e0': ['1', '1', '1000'],
  '1E': ['1E', '1000000000000000000', MAX],
  '2000E': ['2000E', MAX, MAX],
  '8Ei': ['8Ei', MAX, MAX],
  '2048Ei': ['2048Ei', MAX, MAX],
  '-8Ei': ['-8Ei', MIN, MIN],
  '-9Ei': ['-9Ei', MIN, MIN],
  '9223372036854775807': [MAX, MAX, MAX],
  '9223372036854775808': ['9223372036854775808', MAX, MAX],
  '-9223372036854775809': ['-9223372036854775809', MIN, MIN],
  '1u': ['1u', '1', '1'],
  '1n': ['1n', '1', '1'],
  '1500n': ['1500n', '1', '1'],
  '0.5n': ['1n', '1', '1'],
  '-0.5n': ['-1n', '-1', '-1'],
  '1.5n': ['2n', '1', '1'],
  '-1.5': ['-1500m', '-2', '-1500'],
  '-1.0005': ['-1000500u', '-2', '-1001'],
  '1T': ['1T', '1000000000000', '1000000000000000'],
  '1P': ['1P', '1000000000000000', '1000000000000000000'],
  '1Ti': ['1Ti', '1099511627776', '1099511627776000'],
  '1Pi': ['1Pi', '1125899906842624', '1125899906842624000'],
  '1e2147483647': ['10e2147483646', MAX, MAX],
  '-1e2147483647': ['-10e2147483646', MIN, MIN],
  '1e-2147483647': ['1e-9', '1', '1'],
  '1e1000': ['10e999', MAX, MAX],
  '0e2147483647': ['0', '0', '0'],
  '100000e-5': ['1', '1', '1000'],
  '123456e-5': ['1234560e-6', '2', '1235'],
};

const notQuantity = (text: string): string =>
  `${JSON.stringify(text)} is not a quantity; write a number such as 512Mi, 1.5Gi, 200m or 1e9`;
const badUnit = (text: string, unit: string): string =>
  `${JSON.stringify(text)} is not a quantity: ${JSON.stringify(unit)} is not one of the units n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei`;
const badExponent = (text: string): string =>
  `${JSON.stringify(text)} is not a quantity: its exponent is outside 32 bits`;

const BAD: Readonly<Record<string, string>> = {
  '': notQuantity(''),
  '.': notQuantity('.'),
  '+': notQuantity('+'),
  '-': notQuantity('-'),
  Gi: notQuantity('Gi'),
  '.Gi': notQuantity('.Gi'),
  ' 1Gi': notQuantity(' 1Gi'),
  '1..5': notQuantity('1..5'),
  '--1': notQuantity('--1'),
  '1Gi ': badUnit('1Gi ', 'Gi '),
  '1 Gi': badUnit('1 Gi', ' Gi'),
  '1K': badUnit('1K', 'K'),
  '1ki': badUnit('1ki', 'ki'),
  '1MB': badUnit('1MB', 'MB'),
  '1b': badUnit('1b', 'b'),
  '1e': badUnit('1e', 'e'),
  '1e+': badUnit('1e+', 'e+'),
  '1e3.5': badUnit('1e3.5', 'e3.5'),
  '1e3Ki': badUnit('1e3Ki', 'e3Ki'),
  '0x10': badUnit('0x10', 'x10'),
  '1,5Gi': badUnit('1,5Gi', ',5Gi'),
  '5%': badUnit('5%', '%'),
  '100Mi\n': badUnit('100Mi\n', 'Mi\n'),
  '1e2147483648': badExponent('1e2147483648'),
  '1e-2147483648': badExponent('1e-2147483648'),
  ['1'.repeat(1001)]: 'a text of 1001 characters is not a quantity',
};

describe('parseQuantity', () => {
  it.each(Object.entries(GOOD))('%s', (text, expected) => {
    const value = q(text);
    expect([
      formatQuantity(value),
      quantityToInteger(value).toString(),
      quantityToMilli(value).toString(),
    ]).toEqual(expected);
  });

  it.each(Object.entries(BAD))('refuses %j', (text, message) => {
    expect(parseQuantity(text)).toEqual({ ok: false, message });
  });

  it('keeps what was written exactly', () => {
    expect(q('0.1Gi')).toEqual({ unscaled: 1073741824n, exponent: -1, format: 'BinarySI' });
    expect(q('-2.50k')).toEqual({ unscaled: -250n, exponent: 1, format: 'DecimalSI' });
    expect(q('7E2')).toEqual({ unscaled: 7n, exponent: 2, format: 'DecimalExponent' });
    expect(q('1'.repeat(1000)).unscaled).toBe(BigInt('1'.repeat(1000)));
  });

  it('prints a number of more digits than a text may have in the exponent form', () => {
    expect(formatQuantity({ unscaled: 1n, exponent: 1018, format: 'DecimalSI' })).toBe(
      `1${'0'.repeat(1000)}E`,
    );
    expect(formatQuantity({ unscaled: 1n, exponent: 1019, format: 'DecimalSI' })).toBe('100e1017');
    expect(formatQuantity({ unscaled: 1024n, exponent: 5000, format: 'BinarySI' })).toBe('102400e4998');
  });

  it('is the inverse of printing for what is not finer than a nano', () => {
    const format = fc.constantFrom('BinarySI', 'DecimalSI', 'DecimalExponent');
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
        fc.integer({ min: -9, max: 18 }),
        format,
        (unscaled, exponent, form) => {
          const value: Quantity = { unscaled, exponent, format: form };
          const text = formatQuantity(value);
          expect(compareQuantities(q(text), value)).toBe(0);
        },
      ),
    );
  });
});

describe('arithmetic of quantities', () => {
  it.each([
    ['1Gi', '512Mi', '1536Mi'],
    ['100m', '0.9', '1'],
    ['0', '1Ki', '1Ki'],
    ['1Ki', '0', '1Ki'],
    ['1', '-1', '0'],
    ['1k', '24', '1024'],
    ['24', '1Ki', '1048'],
    ['1n', '1E', '1000000000000000000000000001n'],
  ])('%s + %s = %s', (a, b, sum) => {
    expect(formatQuantity(addQuantities(q(a), q(b)))).toBe(sum);
  });

  it('keeps the format of the first one that is not zero', () => {
    expect(addQuantities(q('1Ki'), q('-1024'))).toEqual({ unscaled: 0n, exponent: 0, format: 'BinarySI' });
    expect(addQuantities(q('1'), q('1Ki')).format).toBe('DecimalSI');
    expect(addQuantities(q('0'), q('1Ki')).format).toBe('BinarySI');
  });

  it('subtracts', () => {
    expect(formatQuantity(subtractQuantities(q('1Gi'), q('512Mi')))).toBe('512Mi');
    expect(formatQuantity(subtractQuantities(q('1'), q('1500m')))).toBe('-500m');
  });

  it('adds what is far apart without computing the power, and rounds as the exact sum would', () => {
    const tiny = q('1e-2000000000');
    expect(quantityToInteger(addQuantities(q('1'), tiny))).toBe(2n);
    expect(quantityToInteger(addQuantities(tiny, q('1')))).toBe(2n);
    expect(quantityToInteger(subtractQuantities(q('1'), tiny))).toBe(1n);
    expect(quantityToInteger(addQuantities(q('1e2000000000'), q('1')))).toBe(BigInt(MAX));
    expect(quantityToInteger(addQuantities(q('-1e2000000000'), q('1')))).toBe(BigInt(MIN));
  });

  it.each([
    ['1Gi', '1024Mi', 0],
    ['1', '1000m', 0],
    ['1', '1001m', -1],
    ['1001m', '1', 1],
    ['-1', '0', -1],
    ['0', '-1', 1],
    ['1e-2000000000', '0', 1],
    ['1e2000000000', '1e1999999999', 1],
    ['1e1999999999', '1e2000000000', -1],
  ])('compares %s with %s', (a, b, expected) => {
    expect(compareQuantities(q(a), q(b))).toBe(expected);
  });

  it('takes the larger one, the first of equals', () => {
    const [a, b] = [q('1Gi'), q('1024Mi')];
    expect(maxQuantity(a, b)).toBe(a);
    expect(maxQuantity(q('1'), b)).toBe(b);
    expect(maxQuantity(b, q('1'))).toBe(b);
  });

  it('tells positive ones', () => {
    expect(['1n', '0', '-1n'].map((text) => isPositive(q(text)))).toEqual([true, false, false]);
  });

  it('makes quantities of whole numbers', () => {
    expect(quantityOf(5n)).toEqual({ unscaled: 5n, exponent: 0, format: 'DecimalSI' });
    expect(formatQuantity(quantityOf(2048n, 'BinarySI'))).toBe('2Ki');
    expect(ZERO).toEqual({ unscaled: 0n, exponent: 0, format: 'DecimalSI' });
  });
});
