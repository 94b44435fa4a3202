import { describe, expect, it } from 'vitest';
import { wrapText } from '../../../../agent/cli/console/wrap.ts';

describe('wrapping', () => {
  it.each<[string, number, number, string]>([
    ['', 5, 2, ''],
    ['one two', 7, 2, 'one two'],
    ['one two', 6, 2, 'one\n  two'],
    ['one two three', 9, 0, 'one two\nthree'],
    ['  one two three', 9, 4, '  one two\n    three'],
    ['extraordinary one', 5, 2, 'extraordinary\n  one'],
    ['  extraordinary', 5, 2, '  extraordinary'],
    ['one   two', 20, 0, 'one two'],
  ])('%j at %s', (text, width, indent, wrapped) => {
    expect(wrapText(text, width, indent)).toBe(wrapped);
  });
});
