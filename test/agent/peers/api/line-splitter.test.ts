import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LineSplitter } from '../../../../agent/peers/api/line-splitter.ts';

it('gives the same lines however the bytes are cut, also inside a character', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replace(/\n/g, '')));
  fc.assert(
    fc.property(texts, fc.array(fc.nat(400)), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const at = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const splitter = new LineSplitter(1_000_000);
      const got = at.flatMap((start, index) => splitter.push(bytes.subarray(start, at[index + 1])) ?? ['?']);
      expect(got).toEqual(lines.filter((line) => line.trim() !== ''));
    }),
  );
});

it('what has no end yet is no line', () => {
  const splitter = new LineSplitter(100);
  expect(splitter.push(Buffer.from('{"a":'))).toEqual([]);
  expect(splitter.push(Buffer.from('1}\n{"b"'))).toEqual(['{"a":1}']);
});

it.each([
  ['a line as long as the limit is one', 'abc\n', ['abc']],
  ['a longer one is none', 'abcd\n', undefined],
  ['nor is one that has not even ended', 'abcd', undefined],
  ['the limit is for each line, not for all', 'abc\nabc\nab', ['abc', 'abc']],
])('%s', (_sentence, text, expected) => {
  expect(new LineSplitter(3).push(Buffer.from(text))).toEqual(expected);
});
