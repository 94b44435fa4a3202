import { describe, expect, it } from 'vitest';
import type { Io } from '../../../../agent/cli/console/io.ts';
import { drawTable, printDocument } from '../../../../agent/cli/console/print.ts';
import { visible } from '../../../../agent/report/visible.ts';

class Collected implements Io {
  text = '';
  readonly isTerminal = false;
  readonly columns = 100;
  readonly env = {};
  readonly signal: AbortSignal = new AbortController().signal;

  out(text: string): void {
    this.text += text;
  }

  err(): void {
    throw new Error('nothing belongs on stderr here');
  }

  warn(): void {
    throw new Error('nothing is to be warned of here');
  }
}

function printed(format: 'json' | 'yaml' | 'table', document: object): string {
  const io = new Collected();
  printDocument(io, format, document, () => 'for people\n');
  return io.text;
}

describe('documents', () => {
  it('are JSON of two spaces with exact integers, and leave out what is undefined', () => {
    expect(printed('json', { a: 1n, b: undefined, c: null, d: [-9007199254740991n] })).toBe(
      '{\n  "a": 1,\n  "c": null,\n  "d": [\n    -9007199254740991\n  ]\n}\n',
    );
  });
  it.each([
    ['one above what a double holds', 9007199254740993n],
    ['the largest int64', 9223372036854775807n],
    ['one below what a double holds', -9007199254740993n],
  ])('keep an integer exact that is %s', (_, value) => {
    expect(printed('json', { a: { b: 1n }, value })).toBe(
      `{\n  "a": {\n    "b": 1\n  },\n  "value": ${value}\n}\n`,
    );
  });
  it('are YAML without anchors, or what a person reads', () => {
    const shared = { min: 5n };
    expect(printed('yaml', { a: shared, b: shared })).toBe('a:\n  min: 5\nb:\n  min: 5\n');
    expect(printed('table', {})).toBe('for people\n');
  });
});

describe('names that are too long for a table', () => {
  const name = `${'a'.repeat(20)}-${'z'.repeat(20)}`;
  it.each([
    [46, name],
    [45, `${'a'.repeat(20)}…${'z'.repeat(19)}`],
    [35, `${'a'.repeat(15)}…${'z'.repeat(14)}`],
    [1, `${'a'.repeat(12)}…${'z'.repeat(11)}`],
  ])('are cut in the middle where %i columns are there', (columns, shown) => {
    const fit = { column: 1, columns };
    const lines = drawTable(['#', 'POD'], [['100', name]], { fit }).split('\n');
    expect(lines[1]).toBe(`100  ${shown}`);
  });
  it('are left alone without a width, and no other column is cut', () => {
    expect(drawTable(['POD'], [[name]])).toContain(name);
    expect(drawTable(['POD', 'X'], [['a', name]], { fit: { column: 0, columns: 10 } })).toContain(name);
  });
});

describe('tables', () => {
  it('align columns and leave no blanks at line ends', () => {
    expect(
      drawTable(
        ['POD', 'BYTES'],
        [
          ['a', '5'],
          ['long', '123456'],
        ],
        { right: [1] },
      ),
    ).toBe('POD    BYTES\na          5\nlong  123456\n');
  });
  it.each([
    ['an escape sequence', '\u001b[31mred', '\\u001b[31mred'],
    ['a line break', 'a\nb', 'a\\u000ab'],
    ['a C1 control', '\u009b1m', '\\u009b1m'],
    ['a Unicode line separator', 'a\u2028b', 'a\\u2028b'],
    ['a turn of the direction of writing', 'a\u202eb\u2066c\u200f', 'a\\u202eb\\u2066c\\u200f'],
    ['nothing but letters', 'pod-ü', 'pod-ü'],
  ])('show %s as text', (_, hostile, shown) => {
    expect(visible(hostile)).toBe(shown);
    expect(drawTable(['X'], [[hostile]])).toBe(`X\n${shown}\n`);
  });
});
