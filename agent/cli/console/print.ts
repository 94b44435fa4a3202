import Table from 'cli-table3';
import { stringify as stringifyYaml } from 'yaml';
import { jsonText } from '../../report/json-text.ts';
import { visible } from '../../report/visible.ts';
import type { Io } from './io.ts';

export type OutputFormat = 'table' | 'json' | 'yaml';

/** Prints a document of the contract as JSON: two spaces, bigint as exact integers, keys that are undefined left out. */
function printJson(io: Io, document: object): void {
  io.out(`${jsonText(document, 2)}\n`);
}

/** Prints a document as its format asks; `table` is the form for people and is only made when it is wanted. */
export function printDocument(io: Io, format: OutputFormat, document: object, table: () => string): void {
  switch (format) {
    case 'json':
      printJson(io, document);
      return;
    case 'yaml':
      io.out(stringifyYaml(document, { aliasDuplicateObjects: false, lineWidth: 0 }));
      return;
    case 'table':
      io.out(table());
  }
}

/** How a table is laid out. */
export interface TableForm {
  /** The columns that are aligned to the right. */
  readonly right?: readonly number[];
  /** The column whose cells are cut in the middle where the table would be wider than `columns`. */
  readonly fit?: { readonly column: number; readonly columns: number };
}

/**
 * Draws rows under a head as plain columns without borders; text is aligned to the left unless `form` says otherwise.
 * Control characters of the cells are made visible, so that a pod's name cannot move the cursor.
 */
export function drawTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { right = [], fit }: TableForm = {},
): string {
  const cells = fitted(
    [head, ...rows].map((row) => row.map(visible)),
    fit,
  );
  const table = new Table({
    head: [...(cells[0] ?? [])],
    chars: EMPTY_FRAME,
    style: { 'padding-left': 0, 'padding-right': 2, head: [], border: [] },
    colAligns: head.map((_, column) => (right.includes(column) ? 'right' : 'left')),
  });
  table.push(...cells.slice(1).map((row) => [...row]));
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}

/** A name that is shorter than this says too little to tell one pod from another. */
const LEAST_NAME_COLUMNS = 24;
const GAP_COLUMNS = 2;

function fitted(
  lines: readonly (readonly string[])[],
  fit: TableForm['fit'],
): readonly (readonly string[])[] {
  if (fit === undefined) return lines;
  const width = (column: number): number => Math.max(...lines.map((line) => (line[column] ?? '').length));
  const others = (lines[0] ?? []).map((_, column) =>
    column === fit.column ? 0 : width(column) + GAP_COLUMNS,
  );
  const left = fit.columns - others.reduce((sum, one) => sum + one, 0);
  return lines.map((line) =>
    line.map((cell, column) =>
      column === fit.column ? shortened(cell, Math.max(left, LEAST_NAME_COLUMNS)) : cell,
    ),
  );
}

/** A text of at most `width` characters, cut in the middle: names differ at their ends. */
export function shortened(text: string, width: number): string {
  const kept = width - 1;
  return text.length <= width
    ? text
    : `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(text.length - Math.floor(kept / 2))}`;
}

const EMPTY_FRAME = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
};
