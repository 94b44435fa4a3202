import { expect, it } from 'vitest';
import { firstOf } from '../../../agent/decide/first-of.ts';

it.each<[readonly string[], string]>([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b', 'c', 'd', 'e'], 'a, b, c, d, e'],
  [['a', 'b', 'c', 'd', 'e', 'f'], 'a, b, c, d, e and 1 more'],
  [['g', 'f', 'e', 'd', 'c', 'b', 'a'], 'g, f, e, d, c and 2 more'],
])('%j in a sentence', (names, text) => {
  expect(firstOf(names)).toBe(text);
});
