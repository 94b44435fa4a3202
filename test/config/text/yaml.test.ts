import { describe, expect, it } from 'vitest';
import { readDocuments } from '../../../config/text/document.ts';
import type { PlainValue } from '../../../config/text/plain-value.ts';
import { documentOf, refusalOf } from './documents.ts';

const SCALARS: readonly (readonly [string, PlainValue])[] = [
  ['yes', true],
  ['On', true],
  ['y', true],
  ['TRUE', true],
  ['no', false],
  ['OFF', false],
  ['n', false],
  ['False', false],
  ['~', null],
  ['Null', null],
  ['', null],
  ['nil', 'nil'],
  ['yEs', 'yEs'],
  ['10', 10],
  ['-10', -10],
  ['+10', 10],
  ['-0', 0],
  ['010', 8],
  ['-010', -8],
  ['0o17', 15],
  ['0O17', 15],
  ['0x1F', 31],
  ['0X1f', 31],
  ['0b101', 5],
  ['0B11', 3],
  ['-0x10', -16],
  ['08', 8],
  ['09.5', 9.5],
  ['1_000', 1000],
  ['1_0.5', 10.5],
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', 9007199254740993n],
  ['18446744073709551615', 18446744073709551615n],
  ['18446744073709551616', 18446744073709552000],
  ['-9223372036854775808', -9223372036854775808n],
  ['-9223372036854775809', -9223372036854775809],
  ['.5', 0.5],
  ['5.', 5],
  ['1.5e3', 1500],
  ['1e400', '1e400'],
  ['1e', '1e'],
  ['.', '.'],
  ['.e5', '.e5'],
  ['1:30', '1:30'],
  ['0xg', '0xg'],
  ['0b2', '0b2'],
  ['100Mi', '100Mi'],
  ['2001-01-01', '2001-01-01'],
  ['=', '='],
  ['"10"', '10'],
  ["'yes'", 'yes'],
  ['!!str 10', '10'],
  ['! 10', '10'],
  ['!mine 10', '10'],
  ['!!int "10"', 10],
  ['!!float 10', 10],
  ['!!float 1.5', 1.5],
  ['!!bool "no"', false],
  ['!!null ""', null],
  ['!!timestamp 2001-01-01', '2001-01-01'],
  ['|\n  text\n  more', 'text\nmore\n'],
  ['>\n  text\n  more', 'text more\n'],
];

describe('YAML as the kubelet reads it', () => {
  it.each(SCALARS)('%s', (text, expected) => {
    expect(documentOf(`a: ${text}`).value).toEqual({ a: expected });
  });

  it.each([
    ['.nan', 'f:1:4: .nan is not a number that a configuration can hold'],
    ['-.Inf', 'f:1:4: -.Inf is not a number that a configuration can hold'],
    ['!!int 1.5', 'f:1:10: "1.5" is not what its tag !!int says'],
    ['!!int x', 'f:1:10: "x" is not what its tag !!int says'],
    ['!!bool 1', 'f:1:11: "1" is not what its tag !!bool says'],
    ['!!null 1', 'f:1:11: "1" is not what its tag !!null says'],
    ['!!float x', 'f:1:12: "x" is not what its tag !!float says'],
    [
      '!!binary aGVsbG8gd29ybGQgaGVsbG8=',
      'f:1:13: !!binary "aGVsbG8gd29ybGQgaGVs" is not something that a configuration can hold; write the text itself',
    ],
  ])('refuses %s', (text, sentence) => {
    expect(refusalOf(`a: ${text}`)).toBe(sentence);
  });

  it('turns keys into texts', () => {
    expect(documentOf('1: a\ntrue: b\n"c": d\n12345678901234567890: e').value).toEqual({
      '1': 'a',
      true: 'b',
      c: 'd',
      '12345678901234567890': 'e',
    });
    expect(refusalOf('a: 1\n~: b')).toBe('f:2:1: a key must be a text, a number or a boolean');
    expect(refusalOf('? [a]\n: b')).toBe('f:1:1: a key must be a text, a number or a boolean');
    expect(documentOf('a: &k x\n*k : 1').value).toEqual({ a: 'x', x: 1 });
  });

  it('reads aliases and merge keys in the order they stand in', () => {
    expect(documentOf('a: &x {k: 1}\nb: *x').value).toEqual({ a: { k: 1 }, b: { k: 1 } });
    expect(documentOf('a:\n  k: 1\n  <<: {k: 2, l: 3}').value).toEqual({ a: { k: 2, l: 3 } });
    expect(documentOf('a:\n  <<: {k: 2, l: 3}\n  k: 1').value).toEqual({ a: { k: 1, l: 3 } });
    expect(documentOf('a:\n  <<: [{k: 1}, {k: 2, l: 3}]').value).toEqual({ a: { k: 1, l: 3 } });
    expect(documentOf("a:\n  '<<': {k: 1}").value).toEqual({ a: { '<<': { k: 1 } } });
    expect(refusalOf('a:\n  <<: 1')).toBe('f:2:3: the merge key << needs a map, or a list of maps');
    expect(refusalOf('a: *x')).toBe('f:1:4: *x names no anchor above it; define &x first');
    expect(refusalOf('a: &x [*x]')).toBe('f:1:8: &x contains itself; write out what it stands for');
  });

  it('takes the last one of doubled keys and says where they are', () => {
    const document = documentOf('a: 1\nb:\n  c: 1\n  c: 2\na: 3');
    expect(document.value).toEqual({ a: 3, b: { c: 2 } });
    expect(document.duplicates).toEqual([
      { path: ['b', 'c'], line: 4, column: 3 },
      { path: ['a'], line: 5, column: 1 },
    ]);
    expect(documentOf('a:\n  k: 1\n  <<: {k: 2}').duplicates).toEqual([
      { path: ['a', 'k'], line: 3, column: 3 },
    ]);
    expect(documentOf('a:\n  <<: [{k: 1}, {k: 2}]').duplicates).toEqual([]);
  });

  it('knows where keys and items stand', () => {
    const document = documentOf('# c\na:\n  b: [10, {c: 1}]\nd: &d\n- e\ng: *d\nh: {"i": 1}');
    expect(document.placeOf([])).toEqual({ line: 2, column: 1 });
    expect(document.placeOf(['a', 'b'])).toEqual({ line: 3, column: 3 });
    expect(document.placeOf(['a', 'b', 0])).toEqual({ line: 3, column: 7 });
    expect(document.placeOf(['a', 'b', 1, 'c'])).toEqual({ line: 3, column: 12 });
    expect(document.placeOf(['d', 0])).toEqual({ line: 5, column: 3 });
    expect(document.placeOf(['g', 0])).toEqual({ line: 5, column: 3 });
    expect(document.placeOf(['h', 'i'])).toEqual({ line: 7, column: 5 });
    expect(document.placeOf(['x'])).toBeUndefined();
    expect(document.placeOf(['d', 7])).toBeUndefined();
    expect(document.placeOf(['d', 'x'])).toBeUndefined();
    expect(document.placeOf(['a', 'b', 0, 'c'])).toBeUndefined();
  });

  it('reads several documents, a leading --- and Windows line ends', () => {
    const reading = readDocuments({ file: 'f', text: '---\r\na: 1\r\n---\r\n---\r\nb: |\r\n  x\r\n' });
    expect('documents' in reading ? reading.documents.map(({ value }) => value) : reading).toEqual([
      { a: 1 },
      null,
      { b: 'x\n' },
    ]);
    expect(documentOf('\ufeffa: 1').value).toEqual({ a: 1 });
  });

  it('keeps __proto__ a key like any other', () => {
    const { value } = documentOf('__proto__: {x: 1}\nconstructor: 2\nb:\n  <<: {__proto__: 3}');
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1},"constructor":2,"b":{"__proto__":3}}');
  });

  it.each([
    [
      'a tab for an indentation',
      '\tx: 1',
      'f:1:1: is not YAML: Tabs are not allowed as indentation; mend this line or the one before it',
    ],
    [
      'a second colon',
      'a: b: c',
      'f:1:4: is not YAML: Nested mappings are not allowed in compact mappings; mend this line or the one before it',
    ],
    [
      'an open list',
      'a: [1',
      'f:1:6: is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ]; mend this line or the one before it',
    ],
  ])('refuses %s', (_name, text, sentence) => {
    expect(refusalOf(text)).toBe(sentence);
  });

  it('refuses depth without running out of stack', () => {
    const deep =
      'is nested more than 500 levels deep; no configuration or pod is, so check what wrote this file';
    expect(refusalOf(`a: ${'['.repeat(10_000)}${']'.repeat(10_000)}`)).toBe(`f: ${deep}`);
    expect(refusalOf(`${'- '.repeat(10_000)}a`)).toBe(`f: ${deep}`);
    expect(refusalOf(`${'- '.repeat(501)}a`)).toBe(`f:1:1003: ${deep}`);
    expect(refusalOf(`${'- '.repeat(500)}a`)).toBe('read');
  });

  it('refuses aliases that multiply, quickly', () => {
    const names = ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'];
    const rows = names.map((name, index) => {
      const alias = index === 0 ? '*a' : `*${names[index - 1] ?? ''}`;
      return `${name}: &${name} [${Array.from({ length: 9 }, () => alias).join(', ')}]`;
    });
    const started = performance.now();
    expect(refusalOf(['a: &a [x, x, x, x, x, x, x, x, x]', ...rows].join('\n'))).toBe(
      'f:6:8: its aliases multiply it without measure; write out what they stand for',
    );
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('takes many aliases that do not multiply', () => {
    const text = `a: &a [1, 2, 3]\nb: [${Array.from({ length: 5000 }, () => '*a').join(', ')}]`;
    expect(refusalOf(text)).toBe('read');
  });
});
