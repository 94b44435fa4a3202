import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../../../config/numbers/duration.ts';

const UNITS = 'units h, m, s, ms, us and ns';
const GOOD: Readonly<Record<string, readonly [number, string]>> = {
  '0': [0, '0s'],
  '-0': [0, '0s'],
  '+0': [0, '0s'],
  '0s': [0, '0s'],
  '30s': [30_000, '30s'],
  '59.5s': [59_500, '59.5s'],
  '60s': [60_000, '1m0s'],
  '1m30s': [90_000, '1m30s'],
  '90m': [5_400_000, '1h30m0s'],
  '59m59s': [3_599_000, '59m59s'],
  '1h': [3_600_000, '1h0m0s'],
  '25h1m1s': [90_061_000, '25h1m1s'],
  '1.5h': [5_400_000, '1h30m0s'],
  '.5s': [500, '500ms'],
  '5.s': [5000, '5s'],
  '100ms': [100, '100ms'],
  '1.25ms': [1.25, '1.25ms'],
  '1us': [0.001, '1µs'],
  '1µs': [0.001, '1µs'],
  '1μs': [0.001, '1µs'],
  '1500us': [1.5, '1.5ms'],
  '1500ns': [0.0015, '1.5µs'],
  '999ns': [0.000999, '999ns'],
  '-5s': [-5000, '-5s'],
  '-1m30s': [-90_000, '-1m30s'],
  '-90m': [-5_400_000, '-1h30m0s'],
  '-1us': [-0.001, '-1µs'],
  '-1ns': [-0.000001, '-1ns'],
  '-100ms': [-100, '-100ms'],
  '+5s': [5000, '5s'],
};
const example = 'write a number with its unit, such as 30s or 1m30s';
const BAD: Readonly<Record<string, string>> = {
  '': `"" is not a duration; ${example}`,
  s: `"s" is not a duration; ${example}`,
  '.s': `".s" is not a duration; ${example}`,
  '-': `"-" is not a duration; ${example}`,
  ' 5s': `" 5s" is not a duration; ${example}`,
  '--5s': `"--5s" is not a duration; ${example}`,
  '5': `"5" is not a duration: a unit is missing; ${UNITS.replace('units', 'units are')}`,
  '1.2.3s': `"1.2.3s" is not a duration: a unit is missing; ${UNITS.replace('units', 'units are')}`,
  '1d': `"1d" is not a duration: "d" is not one of the ${UNITS}`,
  '1S': `"1S" is not a duration: "S" is not one of the ${UNITS}`,
  '1m 30s': `"1m 30s" is not a duration: "m " is not one of the ${UNITS}`,
  '1s.s': '"1s.s" is not a duration: a point stands without digits',
  '9223372037s': '"9223372037s" is not a duration: it is longer than 292 years',
  '9223372036854775808ns': '"9223372036854775808ns" is not a duration: it is longer than 292 years',
  '-9223372036854775809ns': '"-9223372036854775809ns" is not a duration: it is longer than 292 years',
  [`${'1'.repeat(200)}s`]: `"${'1'.repeat(200)}" is not a duration; ${example}`,
};

describe('durations', () => {
  it.each(Object.entries(GOOD))('%s', (text, [ms, printed]) => {
    expect(parseDuration(text)).toEqual({ ok: true, value: ms });
    expect(formatDuration(ms)).toBe(printed);
  });

  it.each(Object.entries(BAD))('refuses %j', (text, message) => {
    expect(parseDuration(text)).toEqual({ ok: false, message });
  });

  it('takes the longest and the most negative one', () => {
    expect(parseDuration('9223372036854775807ns').ok).toBe(true);
    expect(parseDuration('-9223372036854775808ns').ok).toBe(true);
    expect(parseDuration(`${'0'.repeat(198)}1s`)).toEqual({ ok: true, value: 1000 });
  });

  it('prints what it reads', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toEqual({ ok: true, value: ms });
      }),
    );
  });
});
