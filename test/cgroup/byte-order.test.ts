import { describe, expect, it } from 'vitest';
import { compareBytewise, sortBytewise } from '../../cgroup/byte-order.ts';

describe('compareBytewise', () => {
  it.each([
    ['', '', 0],
    ['a', 'a', 0],
    ['a', 'b', -1],
    ['b', 'a', 1],
    ['a', 'ab', -1],
    ['ab', 'a', 1],
    ['a/b', 'a-b', 1],
    ['Z', 'a', -1],
    ['\u{10000}', '\ue000', 1],
    ['\ue000', '\u{10000}', -1],
    ['\uffff', '\u{10000}', -1],
    ['\ud7ff', '\ue000', -1],
    ['\ud7ff', '\u{10000}', -1],
    ['\u{10001}', '\u{10000}', 1],
  ])('%j against %j', (a, b, sign) => {
    expect(Math.sign(compareBytewise(a, b))).toBe(sign);
  });

  it.each([
    [
      ['b', 'a', 'B'],
      ['B', 'a', 'b'],
    ],
    [
      ['\u{10000}', '\ue000', 'z'],
      ['z', '\ue000', '\u{10000}'],
    ],
    [
      ['\u{1f600}', '\uffff', '\ud7ff'],
      ['\ud7ff', '\uffff', '\u{1f600}'],
    ],
    [[], []],
  ])('sorts %j as its UTF-8 bytes', (names, sorted) => {
    expect(sortBytewise([...names])).toEqual(sorted);
    const byBytes = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(sortBytewise([...names])).toEqual(byBytes);
  });
});
