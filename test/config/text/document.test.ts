import { describe, expect, it } from 'vitest';
import { readDocuments, readFirstDocument } from '../../../config/text/document.ts';
import { documentOf, refusalOf } from './documents.ts';

const TOO_DEEP =
  'is nested more than 500 levels deep; no configuration or pod is, so check what wrote this file';

describe('readDocuments of JSON', () => {
  it('reads values as they are', () => {
    expect(documentOf(' {"a": [1, -2.5, true, false, null, "x\\ny"], "b": {}}').value).toEqual({
      a: [1, -2.5, true, false, null, 'x\ny'],
      b: {},
    });
    expect(documentOf('[]').value).toEqual([]);
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['12345678901234567890', 12345678901234567890n],
    ['1.5e300', 1.5e300],
    ['12345678901234567.5', 12345678901234567.5],
  ])('keeps the number %s', (text, expected) => {
    expect(documentOf(`{"a":${text}}`).value).toEqual({ a: expected });
    expect(documentOf(`[${text},${text}, ${text}]`).value).toEqual([expected, expected, expected]);
  });

  it('reads all kinds of values beside a long number', () => {
    const text = '{"n": 12345678901234567890, "a": [1, {"b": "c\\"}]", "d": {}}, [], true, null], "e": -1e3}';
    expect(documentOf(text).value).toEqual({
      n: 12345678901234567890n,
      a: [1, { b: 'c"}]', d: {} }, [], true, null],
      e: -1000,
    });
  });

  it('knows where keys and items stand', () => {
    const document = documentOf('{\n  "a": {"b": [10, {"c": 1}]},\n  "d": 2\n}');
    expect(document.placeOf([])).toEqual({ line: 1, column: 1 });
    expect(document.placeOf(['a'])).toEqual({ line: 2, column: 3 });
    expect(document.placeOf(['a', 'b'])).toEqual({ line: 2, column: 9 });
    expect(document.placeOf(['a', 'b', 0])).toEqual({ line: 2, column: 15 });
    expect(document.placeOf(['a', 'b', 1])).toEqual({ line: 2, column: 19 });
    expect(document.placeOf(['a', 'b', 1, 'c'])).toEqual({ line: 2, column: 20 });
    expect(document.placeOf(['d'])).toEqual({ line: 3, column: 3 });
    expect(document.placeOf(['x'])).toBeUndefined();
    expect(document.placeOf(['a', 'x', 'c'])).toBeUndefined();
    expect(document.duplicates).toEqual([]);
  });

  it('knows doubled keys, and lets the last one win', () => {
    const document = documentOf('{"a": 1,\n"b": {"c": 1, "c": [{"d": 1, "d": 2}]},\n "a": 3}');
    expect(document.value).toEqual({ a: 3, b: { c: [{ d: 2 }] } });
    expect(document.duplicates).toEqual([
      { path: ['b', 'c'], line: 2, column: 15 },
      { path: ['b', 'c', 0, 'd'], line: 2, column: 30 },
      { path: ['a'], line: 3, column: 2 },
    ]);
    expect(document.placeOf(['a'])).toEqual({ line: 3, column: 2 });
  });

  it('keeps __proto__ a key like any other', () => {
    for (const text of ['{"__proto__": {"x": 1}}', '{"__proto__": {"x": 1}, "n": 12345678901234567890}']) {
      const { value } = documentOf(text);
      expect(Object.keys(value as object)).toContain('__proto__');
      expect((value as { x?: number }).x).toBeUndefined();
    }
  });

  it('reads JSON with a byte order mark, tabs and Windows line ends', () => {
    const document = documentOf('\ufeff{\r\n\t"a": 1\r\n}\r\n');
    expect(document.value).toEqual({ a: 1 });
    expect(document.placeOf(['a'])).toEqual({ line: 2, column: 2 });
  });

  it('refuses depth without running out of stack', () => {
    expect(refusalOf(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)).toBe(`f: ${TOO_DEEP}`);
    expect(refusalOf(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)).toBe(`f: ${TOO_DEEP}`);
    expect(refusalOf(`${'['.repeat(501)}${']'.repeat(501)}`)).toBe(`f: ${TOO_DEEP}`);
    expect(refusalOf(`${'['.repeat(500)}${']'.repeat(500)}`)).toBe('read');
  });

  it('gives no places of a text that is too large to be read twice', () => {
    const document = documentOf(`{"a": 1, "b": "${'x'.repeat(16 * 1024 * 1024)}"}`);
    expect(document.placeOf(['a'])).toBeUndefined();
    expect(document.duplicates).toEqual([]);
  });

  it('has no limit of size', () => {
    expect(refusalOf(`["${'x'.repeat(65 * 1024 * 1024)}"]`)).toBe('read');
  });
});

describe('readDocuments of what is neither', () => {
  it.each([
    ['an empty text', ''],
    ['blanks', ' \n\n'],
    ['comments', '# nothing here\n'],
    ['a byte order mark alone', '\ufeff'],
  ])('finds no document in %s', (_name, text) => {
    expect(readDocuments({ file: 'f', text })).toEqual({ documents: [] });
  });

  it.each([
    [
      'a NUL byte',
      'a: 1\nb: \u0000',
      'f:2:4: holds the control character U+0000, so it is neither YAML nor JSON; give a text file',
    ],
    [
      'binary junk',
      '\u007fELF\u0002',
      'f:1:1: holds the control character U+007F, so it is neither YAML nor JSON; give a text file',
    ],
    [
      'a vertical tab',
      'a\u000b',
      'f:1:2: holds the control character U+000B, so it is neither YAML nor JSON; give a text file',
    ],
    [
      'an escape',
      'ab\u001b',
      'f:1:3: holds the control character U+001B, so it is neither YAML nor JSON; give a text file',
    ],
    [
      'JSON that does not end',
      '{"a": 1,',
      'f:1:9: is not YAML: Flow map must end with a }; mend this line or the one before it',
    ],
  ])('refuses %s', (_name, text, sentence) => {
    expect(refusalOf(text)).toBe(sentence);
  });

  it('says of large broken JSON that it is broken, not that it is YAML', () => {
    const message =
      'f: is no JSON, though it begins like it, and is too large to be YAML (64 MB); it may be cut off or damaged, so make it anew';
    expect(refusalOf(` {"a":"${'x'.repeat(64 * 1024 * 1024)}`)).toBe(message);
    expect(refusalOf(`[${'1,'.repeat(32 * 1024 * 1024)}`)).toBe(message);
  });

  it('refuses more than 64 MB of YAML, and at once', () => {
    const message =
      'f: is YAML of more than 64 MB, which takes too long and too much memory; give the same as JSON (kubectl get -o json)';
    const started = performance.now();
    expect(refusalOf('a: b\n'.repeat(14 * 1024 * 1024))).toBe(message);
    expect(performance.now() - started).toBeLessThan(2000);
    expect(refusalOf(`# ${'x'.repeat(64 * 1024 * 1024 - 2)}`)).toMatch(
      /^f:1:1: holds a YAML document of more than 8 MB/,
    );
    expect(refusalOf(`# ${'x'.repeat(64 * 1024 * 1024 - 1)}`)).toBe(message);
  });
});

describe('readFirstDocument', () => {
  const first = (text: string) => readFirstDocument({ file: 'f.yaml', text });

  it.each([
    ['the only one', 'a: 1\n', { a: 1 }, undefined],
    ['one with its marker and an end', '---\na: 1\n---\n# the end\n', { a: 1 }, undefined],
    ['what follows comments and a marker', '# hello\n\n---\na: 1\n', { a: 1 }, undefined],
    ['the first of two', 'a: 1\n---\nb: 2\n', { a: 1 }, { line: 2, column: 1 }],
    [
      'the first of three behind comments',
      '# x\n---\na: 1\n--- # y\n---\nc: 3\n',
      { a: 1 },
      { line: 5, column: 1 },
    ],
    ['one followed by what is no YAML', 'a: 1\n---\nb: [\n', { a: 1 }, { line: 2, column: 1 }],
    ['an empty one before another', '---\n# nothing\n---\na: 1\n', null, { line: 3, column: 1 }],
    ['none in an empty text', '', undefined, undefined],
    ['JSON', '{"a": 1}', { a: 1 }, undefined],
  ])('reads %s', (_, text, value, followedAt) => {
    const reading = first(text);
    if ('finding' in reading) throw new Error(reading.finding.message);
    expect(reading.document?.value).toEqual(value);
    expect(reading.followedAt).toEqual(followedAt);
  });

  it('refuses a first document that is no YAML, at its own line', () => {
    expect(first('# x\n---\na: [\n---\nb: 1\n')).toMatchObject({
      finding: { file: 'f.yaml', line: 4, path: '' },
    });
  });
});
