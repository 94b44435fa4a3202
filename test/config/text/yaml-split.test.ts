import { describe, expect, it } from 'vitest';
import { readDocuments } from '../../../config/text/document.ts';
import { splitDocuments, splitItems } from '../../../config/text/yaml-split.ts';
import { refusalOf } from './documents.ts';

const filler = (size: number): string => `# ${'x'.repeat(size)}\n`;
const MB = 1024 * 1024;

function values(text: string): unknown {
  const reading = readDocuments({ file: 'f', text });
  return 'documents' in reading ? reading.documents.map(({ value }) => value) : reading.finding;
}

describe('splitDocuments', () => {
  it('cuts at markers at the start of a line only', () => {
    expect(splitDocuments('a: 1\n---\nb: ---\n  ---\n---x\n--- c\n---')).toEqual([
      { text: 'a: 1\n', linesBefore: 0 },
      { text: '---\nb: ---\n  ---\n---x\n', linesBefore: 1 },
      { text: '--- c\n', linesBefore: 5 },
      { text: '---', linesBefore: 6 },
    ]);
    expect(splitDocuments('---\na')).toEqual([{ text: '---\na', linesBefore: 0 }]);
  });
});

describe('splitItems', () => {
  it('finds none where there is no list of items at the top', () => {
    for (const text of ['a: 1\n', ' items:\n - a\n', 'items: [a]\n', 'items:\n  a: 1\n', 'items:\n-a\n']) {
      expect(splitItems({ text, linesBefore: 0 })).toBeUndefined();
    }
  });

  it.each(['', '  '])('takes items that are indented by %j from what is beside them', (indent) => {
    const big = `${indent}- a: |\n${indent}    - x\n${indent}  # ${'x'.repeat(600 * 1024)}\n`;
    const text = `kind: List\nitems: # all\n${big}${indent}- b\n# c\n\n${big}${indent}-\n${indent}  c\nmetadata: {}\n`;
    expect(splitItems({ text, linesBefore: 10 })).toEqual({
      frame: { text: 'kind: List\nmetadata: {}\n', linesBefore: 10 },
      groups: [
        { text: big, linesBefore: 12 },
        { text: `${indent}- b\n# c\n\n${big}`, linesBefore: 15 },
        { text: `${indent}-\n${indent}  c\n`, linesBefore: 21 },
      ].map((group) => group),
    });
  });
});

describe('large YAML', () => {
  it('gives what it gives in one piece', () => {
    const item = '- {a: "x\\ny", b: [1, yes]}\n- |\n  text\n  - no item\n';
    const head = 'kind: List\nitems:\n';
    const small = `${head}${item}metadata: {c: 1}\n`;
    const large = `${head}${filler(600 * 1024)}${item}${filler(2 * MB)}metadata: {c: 1}\n`;
    expect(values(large.replace(filler(600 * 1024), ''))).toEqual(values(small));
    expect(values(`a: 1\n---\n${filler(3 * MB)}b: 2\n---\n`)).toEqual([{ a: 1 }, { b: 2 }, null]);
  });

  it('counts the lines of its faults from the start of the file', () => {
    expect(refusalOf(`a: 1\n---\n${filler(3 * MB)}b: [`)).toMatch(/^f:4:5: is not YAML: /);
    const items = `- ${'x'.repeat(600 * 1024)}\n`.repeat(4);
    expect(refusalOf(`kind: List\nitems:\n${items}- [\n`)).toMatch(/^f:8:1: is not YAML: /);
    expect(refusalOf(`kind: [\nitems:\n${items}`)).toMatch(/^f:2:1: is not YAML: /);
  });

  it('is refused where one document is large and no list', () => {
    const message =
      'holds a YAML document of more than 8 MB that is no list of items, which takes too much memory; give it as JSON';
    expect(refusalOf(`a: 1\n---\n${filler(8 * MB)}`)).toBe(`f:2:1: ${message}`);
    expect(refusalOf(`a: 1\n---\n${filler(7 * MB)}`)).toBe('read');
  });
});
