import { readFileSync } from 'node:fs';
import { parse, stringify } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../../config/numbers/duration.ts';
import { amountIn, parsePercent } from '../../config/numbers/percent.ts';
import {
  formatQuantity,
  parseQuantity,
  quantityToInteger,
  quantityToMilli,
} from '../../config/numbers/quantity.ts';
import { readDocuments } from '../../config/text/document.ts';

const fixtures = process.env['NODEQOS_FIXTURES'];
const skipped = fixtures === undefined;
if (skipped) {
  console.info('The vectors are skipped: NODEQOS_FIXTURES does not name their folder.');
}

function vectors<T>(name: string): readonly T[] {
  if (fixtures === undefined) {
    return [];
  }
  return readFileSync(`${fixtures}/vectors/${name}.jsonl`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

interface QuantityVector {
  readonly in: string;
  readonly ok: boolean;
  readonly canonical?: string;
  readonly value?: string;
  readonly milli?: string;
  readonly format?: string;
}

/** Where nodeqos differs on purpose: what it gives, and why. */
const QUANTITY_DIFFERENCES: Readonly<Record<string, readonly [string, string]>> = {
  '+1Gi': ['1Gi|1073741824|1073741824000', 'the text is computed afresh'],
  '129E6': ['129e6|129000000|129000000000', 'the text is computed afresh'],
  '1E3': ['1e3|1000|1000000', 'the text is computed afresh'],
  '1e+3': ['1e3|1000|1000000', 'the text is computed afresh'],
  '1E-3': ['1e-3|1|1', 'the text is computed afresh'],
  '1.e3': ['1e3|1000|1000000', 'the text is computed afresh'],
  '1.': ['1|1|1000', 'the text is computed afresh'],
  '010': ['10|10|10000', 'the text is computed afresh'],
  '1E': ['1E|1000000000000000000|9223372036854775807', 'overflow saturates'],
  '.': ['refused', 'no digit'],
  Gi: ['refused', 'no digit'],
  '+': ['refused', 'no digit'],
  '1e1000': ['10e999|9223372036854775807|9223372036854775807', 'overflow saturates'],
  '1e20': ['100e18|9223372036854775807|9223372036854775807', 'overflow saturates'],
  '100E': ['100E|9223372036854775807|9223372036854775807', 'overflow saturates'],
  '2000E': ['2000E|9223372036854775807|9223372036854775807', 'overflow saturates'],
  '8Ei': ['8Ei|9223372036854775807|9223372036854775807', 'exact, and overflow saturates'],
  '7Ei': ['7Ei|8070450532247928832|9223372036854775807', 'overflow saturates'],
  '16Ei': ['16Ei|9223372036854775807|9223372036854775807', 'exact, and overflow saturates'],
  '9223372036854775807': [
    '9223372036854775807|9223372036854775807|9223372036854775807',
    'overflow saturates',
  ],
  '9223372036854775808': [
    '9223372036854775808|9223372036854775807|9223372036854775807',
    'overflow saturates',
  ],
  '18446744073709551615': [
    '18446744073709551615|9223372036854775807|9223372036854775807',
    'overflow saturates',
  ],
  '18446744073709551616': [
    '18446744073709551616|9223372036854775807|9223372036854775807',
    'overflow saturates',
  ],
  '-9223372036854775808': [
    '-9223372036854775808|-9223372036854775808|-9223372036854775808',
    'overflow saturates with its sign',
  ],
  '-9.5Gi': ['-9728Mi|-10200547328|-10200547328000', 'exact'],
  '9007199254740993': ['9007199254740993|9007199254740993|9007199254740993000', 'same'],
  '12345678901234567890123': [
    '12345678901234567890123|9223372036854775807|9223372036854775807',
    'overflow saturates',
  ],
  '1e4294967297': ['refused', 'exponent outside int32'],
  '1e9223372036854775807': ['refused', 'exponent outside int32'],
};

function shownQuantity(text: string): string {
  const result = parseQuantity(text);
  return result.ok
    ? `${formatQuantity(result.value)}|${quantityToInteger(result.value)}|${quantityToMilli(result.value)}`
    : 'refused';
}

function exactNumber(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) || !/^-?[0-9]+$/.test(text) ? value : BigInt(text);
}

describe.skipIf(skipped)('vectors of upstream code', () => {
  it('agrees with every quantity but the named ones', () => {
    const all = vectors<QuantityVector>('quantity');
    expect(all.length).toBeGreaterThan(100);
    const expected = all.map((vector) => {
      const upstream = vector.ok
        ? `${vector.canonical ?? ''}|${vector.value ?? ''}|${vector.milli ?? ''}`
        : 'refused';
      return [vector.in, QUANTITY_DIFFERENCES[vector.in]?.[0] ?? upstream];
    });
    expect(all.map((vector) => [vector.in, shownQuantity(vector.in)])).toEqual(expected);
  });

  it('agrees with every duration', () => {
    for (const vector of vectors<{ in: string; ns?: number; str?: string }>('duration')) {
      const result = parseDuration(vector.in);
      expect([vector.in, result.ok], result.ok ? '' : result.message).toEqual([
        vector.in,
        vector.ns !== undefined,
      ]);
      if (result.ok && vector.ns !== undefined) {
        expect(result.value).toBe(vector.ns / 1e6);
        expect(formatDuration(result.value)).toBe(vector.str);
      }
    }
  });

  it('agrees with all YAML', () => {
    for (const vector of vectors<{ yaml: string; json: string | null }>('yaml11')) {
      const reading = readDocuments({ file: 'v.yaml', text: vector.yaml });
      const value = 'documents' in reading ? reading.documents[0]?.value : undefined;
      expect([vector.yaml, value === undefined ? null : stringify(value)]).toEqual([
        vector.yaml,
        vector.json === null ? null : stringify(parse(vector.json, null, exactNumber)),
      ]);
    }
  });

  it('agrees with every percentage but those that spec refuses', () => {
    const stricter = ['5%%', '1e1%', '1e-1%', '+5%', 'NaN%', '0x5p0%', '1_0%', '0%%', '100%%'];
    for (const vector of vectors<Record<string, string | number>>('percent')) {
      const text = String(vector['in']);
      const result = parsePercent(text);
      const outcome = String(vector['result']);
      if (stricter.includes(text) || outcome === 'reject' || text === 'Inf%') {
        expect(result.ok, text).toBe(false);
      } else if (outcome === 'threshold' && result.ok) {
        for (const [key, value] of Object.entries(vector).filter(([name]) => name.startsWith('of_'))) {
          expect(amountIn({ percentage: result.value }, BigInt(key.slice(3))), `${text} ${key}`).toBe(
            BigInt(value),
          );
        }
      } else {
        expect(result.ok, text).toBe(true);
      }
    }
  });
});
