import { describe, expect, it } from 'vitest';
import { counted, humanBytes, humanDuration, ordinal } from '../../../agent/decide/human.ts';
import { byNumber, byText, orderedBy, reversed, whereFirst } from '../../../agent/decide/ordered-by.ts';

describe('bytes for a person', () => {
  it.each([
    [0n, '0 bytes'],
    [1n, '1 byte'],
    [-1n, '-1 byte'],
    [512n, '512 bytes'],
    [1023n, '1023 bytes'],
    [1024n, '1Ki'],
    [1536n, '1.5Ki'],
    [1075n, '1Ki'],
    [1076n, '1.1Ki'],
    [400n << 20n, '400Mi'],
    [23207936n, '22.1Mi'],
    [(1n << 20n) - 1n, '1Mi'],
    [(1n << 20n) - 52n, '1023.9Ki'],
    [-(3n << 29n), '-1.5Gi'],
    [16485224448n, '15.4Gi'],
    [5n << 40n, '5Ti'],
    [5n << 50n, '5Pi'],
    [5n << 60n, '5Ei'],
    [5000n << 60n, '5000Ei'],
  ])('%s is %s', (bytes, text) => {
    expect(humanBytes(bytes)).toBe(text);
  });
});

describe('durations for a person', () => {
  it.each([
    [0, '0 ms'],
    [250.9, '250 ms'],
    [999.9, '999 ms'],
    [1000, '1 s'],
    [1290, '1.2 s'],
    [9999, '9.9 s'],
    [10_000, '10 s'],
    [10_900, '10 s'],
    [119_999, '119 s'],
    [120_000, '2 min'],
    [7_199_999, '119 min'],
    [7_200_000, '2 h'],
    [360_000_000, '100 h'],
  ])('%d ms is %s', (ms, text) => {
    expect(humanDuration(ms)).toBe(text);
  });
});

describe('counts and places', () => {
  it('uses the singular for one only', () => {
    expect([0n, 1n, 2n].map((count) => counted(count, 'process', 'processes'))).toEqual([
      '0 processes',
      '1 process',
      '2 processes',
    ]);
  });
  it.each([
    [1, 'first'],
    [2, 'second'],
    [3, 'third'],
    [4, 'fourth'],
    [5, 'fifth'],
    [6, 'sixth'],
    [7, 'seventh'],
    [8, 'eighth'],
    [9, 'ninth'],
    [10, 'tenth'],
    [11, '11th'],
    [12, '12th'],
    [13, '13th'],
    [14, '14th'],
    [20, '20th'],
    [21, '21st'],
    [22, '22nd'],
    [23, '23rd'],
    [24, '24th'],
    [101, '101st'],
    [111, '111th'],
    [113, '113th'],
    [114, '114th'],
  ])('place %s is %s', (place, word) => {
    expect(ordinal(place)).toBe(word);
  });
});

describe('orders', () => {
  const things = [
    { name: 'b', size: 2 },
    { name: 'a', size: 2 },
    { name: 'c', size: 1 },
  ];
  const names = (sorted: readonly { name: string }[]) => sorted.map(({ name }) => name).join('');
  it('let the first comparator that tells things apart decide', () => {
    const order = orderedBy<{ name: string; size: number }>(
      byNumber((thing) => thing.size),
      byText((thing) => thing.name),
    );
    expect(names(things.toSorted(order))).toBe('cab');
    expect(names(things.toSorted(reversed(order)))).toBe('bac');
  });
  it('put what holds first and leave the rest alone', () => {
    expect(names(things.toSorted(whereFirst((thing) => thing.size === 1)))).toBe('cba');
    expect(orderedBy()(1, 2)).toBe(0);
  });
  it('compare numbers exactly and text by its bytes', () => {
    const exact = byNumber((number: bigint) => number);
    expect([exact(2n ** 60n, 2n ** 60n + 1n), exact(1n, 1n), exact(1n, 0n)]).toEqual([-1, 0, 1]);
    expect(byText((text: string) => text)('Z', 'a')).toBeLessThan(0);
  });
});
