import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitJsonList } from '../../../config/text/json-list.ts';

/** The value that the pieces make, or undefined where the text is not taken apart. */
function putTogether(text: string): unknown {
  const pieces = splitJsonList(text);
  return pieces === undefined
    ? undefined
    : { ...pieces.frame, items: [...pieces.items].map((item): unknown => JSON.parse(item)) };
}

describe('a JSON List in pieces', () => {
  it.each([
    [
      'what kubectl prints',
      '{\n  "kind": "List",\n  "items": [\n    {"a": 1},\n    {"b": [2]}\n  ],\n  "metadata": {}\n}\n',
    ],
    ['no items', '{"items": [ ], "kind": "List"}'],
    ['brackets and quotes in strings', '{"k":"]}\\"","items":[{"a":"}\\\\"},{"b":"[\\"{"}]}'],
    ['a string that is called so', '{"kind":"items","items":[{}]}'],
    [
      'an inner list that is called so',
      '{"m":{"items":[1,{"items":[2]}]},"l":[["items"]],"items":[{"items":[3]}]}',
    ],
    ['blanks of all kinds', ' \t\r\n{ "items"\t:\r\n[ {} \n,\t{"a":{}} ] }'],
  ])('is the value of the text: %s', (_, text) => {
    expect(putTogether(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['a list', '[{"items":[]}]'],
    ['a map without items', '{"kind":"Pod","metadata":{"items":[]}}'],
    ['items that are no list', '{"items":{"a":1}}'],
    ['an item that is no map', '{"items":[1]}'],
    ['an item that is a list', '{"items":[[]]}'],
    ['items without a comma', '{"items":[{}{}]}'],
    ['a comma too many at the end', '{"items":[{},]}'],
    ['a comma too many at the start', '{"items":[,{}]}'],
    ['two commas', '{"items":[{},,{}]}'],
    ['something else between items', '{"items":[{}:{}]}'],
    ['items that do not end', '{"items":[{}'],
    ['an item that does not end', '{"items":[{"a":[}'],
    ['a string that does not end', '{"items":[{"a'],
    ['a key that does not end', '{"ite'],
    ['a map that does not end', '{"items":[{}]'],
    ['what is beside the items is no JSON', '{"a":,"items":[{}]}'],
    ['something behind the map', '{"items":[{}]} x'],
    ['two lists of that name', '{"items":[{}],"items":[{}]}'],
    ['YAML', 'items:\n- {}\n'],
    ['nothing', ''],
  ])('is not taken apart: %s', (_, text) => {
    expect(putTogether(text)).toBeUndefined();
  });

  it('is the value of any JSON that is taken apart', () => {
    const record = fc.dictionary(fc.string(), fc.jsonValue());
    const lists = fc.record({
      before: record,
      items: fc.array(record),
      after: record,
      blanks: fc.constantFrom(0, 1, 2),
    });
    fc.assert(
      fc.property(lists, ({ before, items, after, blanks }) => {
        const text = JSON.stringify({ before, items, after }, undefined, blanks);
        const value = putTogether(text);
        // A map behind the list may have a key of that name: then it is left to be parsed whole.
        if (value === undefined) expect(JSON.stringify(after)).toContain('"items"');
        else expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });
});
