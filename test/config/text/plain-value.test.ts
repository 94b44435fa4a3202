import { describe, expect, it } from 'vitest';
import { mergePatch } from '../../../config/merge-patch.ts';
import { formatPath, isDeeperThan, placeAt } from '../../../config/text/place.ts';
import {
  asBoolean,
  asInteger,
  asList,
  asRecord,
  asString,
  type PlainValue,
  typeName,
  valueAt,
} from '../../../config/text/plain-value.ts';

const VALUES: readonly PlainValue[] = [null, true, 1, 1.5, 2n, 'x', [1], { a: 1 }];

describe('plain values', () => {
  it('are read as what they are and nothing else', () => {
    const none = undefined;
    expect(VALUES.map((value) => asRecord(value))).toEqual([
      none,
      none,
      none,
      none,
      none,
      none,
      none,
      { a: 1 },
    ]);
    expect(VALUES.map((value) => asList(value))).toEqual([none, none, none, none, none, none, [1], none]);
    expect(VALUES.map((value) => asString(value))).toEqual([none, none, none, none, none, 'x', none, none]);
    expect(VALUES.map((value) => asBoolean(value))).toEqual([none, true, none, none, none, none, none, none]);
    expect(VALUES.map((value) => asInteger(value))).toEqual([none, none, 1n, none, 2n, none, none, none]);
    expect([asRecord(none), asList(none), asString(none), asBoolean(none), asInteger(none)]).toEqual([
      none,
      none,
      none,
      none,
      none,
    ]);
  });

  it('have names for people', () => {
    expect(VALUES.map(typeName)).toEqual([
      'nothing',
      'a boolean',
      'a number',
      'a number',
      'a number',
      'a string',
      'a list',
      'a map',
    ]);
  });

  it('do not have what their prototype has', () => {
    expect(valueAt({ a: 1 }, 'a')).toBe(1);
    expect(valueAt({ a: 1 }, 'constructor')).toBeUndefined();
    expect(valueAt(undefined, 'a')).toBeUndefined();
  });

  it('know how deep they are', () => {
    expect(isDeeperThan([[1]], 1)).toBe(true);
    expect(isDeeperThan([[1]], 2)).toBe(false);
    expect(isDeeperThan({ a: 1, b: { c: 1 } }, 1)).toBe(true);
    expect(isDeeperThan('x', 0)).toBe(false);
    expect(isDeeperThan(null, 0)).toBe(false);
  });
});

describe('places and paths', () => {
  it('count from 1', () => {
    expect(placeAt('ab\ncd', 0)).toEqual({ line: 1, column: 1 });
    expect(placeAt('ab\ncd', 2)).toEqual({ line: 1, column: 3 });
    expect(placeAt('ab\ncd', 4)).toEqual({ line: 2, column: 2 });
  });

  it('are written as people write them', () => {
    expect(formatPath([])).toBe('');
    expect(formatPath(['a', 'memory.available'])).toBe('a.memory.available');
    expect(formatPath(['a', 0, 'b', 1])).toBe('a[0].b[1]');
  });
});

describe('merge patches (RFC 7386)', () => {
  it.each<[string, PlainValue | undefined, { [key: string]: PlainValue }, PlainValue]>([
    ['a key is replaced', { a: 'b' }, { a: 'c' }, { a: 'c' }],
    ['a key is added', { a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    ['null deletes', { a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    ['null deletes what is not there', {}, { a: null }, {}],
    ['lists are whole', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ['maps go key by key', { a: { b: 1, c: 2 } }, { a: { b: 3, c: null, d: 4 } }, { a: { b: 3, d: 4 } }],
    ['a map replaces a text', { a: 'x' }, { a: { b: 1, c: null } }, { a: { b: 1 } }],
    ['a map replaces a list', { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
    ['nothing becomes the patch', undefined, { a: 1, b: null }, { a: 1 }],
  ])('%s', (_name, target, patch, expected) => {
    const before = structuredClone({ target, patch });
    expect(mergePatch(target, patch)).toEqual(expected);
    expect({ target, patch }).toEqual(before);
  });

  it('keeps __proto__ a key like any other', () => {
    const patch = JSON.parse('{"__proto__": {"x": 1}}') as { [key: string]: PlainValue };
    expect(JSON.stringify(mergePatch({ a: 1 }, patch))).toBe('{"a":1,"__proto__":{"x":1}}');
  });
});
