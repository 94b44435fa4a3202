import { describe, expect, it } from 'vitest';
import { editDistance, nearNames } from '../../../agent/decide/near-names.ts';

describe('edit distance', () => {
  it.each([
    ['', '', 0],
    ['abc', 'abc', 0],
    ['abc', '', 3],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['ab', 'ba', 2],
    ['web-1', 'web-2', 1],
  ])('of %j and %j is %s', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
  });
});

describe('near names', () => {
  it('are those of few other letters, the nearest first, ties by name', () => {
    const names = ['default/wed', 'default/wen', 'default/webs', 'other/far-away', 'default/web-12'];
    expect(nearNames('default/weo', names)).toEqual(['default/wed', 'default/wen', 'default/webs']);
  });
  it('are those that hold the name, in any namespace', () => {
    expect(nearNames('default/web', ['shop/web-7f9c', 'shop/db'])).toEqual(['shop/web-7f9c']);
  });
  it('are at most as many as wanted, each once', () => {
    expect(nearNames('a/b', ['a/c', 'a/d', 'a/c', 'a/e'], 2)).toEqual(['a/c', 'a/d']);
  });
  it('differ by a third of the letters at most, and by two in short names', () => {
    expect(nearNames('abcdefghi', ['abcdefxxx', 'abcdexxxx'])).toEqual(['abcdefxxx']);
    expect(nearNames('abc', ['axx', 'xxx'])).toEqual(['axx']);
  });
  it('do not match everything for a name that ends in a slash', () => {
    expect(nearNames('default/', ['shop/something-long'])).toEqual([]);
  });
});
