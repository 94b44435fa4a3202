import type { PlainValue } from './plain-value.ts';

export type KeyPath = readonly (string | number)[];

/** Where something stands in a text; both start at 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The offset of a key, or of an item of a list, and the same for what is below it. */
export interface PlaceNode {
  readonly offset: number;
  readonly children: Map<string | number, PlaceNode>;
}

/** A key that a map holds more than once; the place is that of the later one. */
export interface DuplicateKey extends Place {
  readonly path: KeyPath;
}

/** One document of a file. */
export interface StructuredDocument {
  readonly value: PlainValue;
  /** Where the key (or list item) at a path stands; undefined where it is not there or the text is too large to look. */
  placeOf(path: KeyPath): Place | undefined;
  readonly duplicates: readonly DuplicateKey[];
}

/** The place of an offset, counted in UTF-16 units as editors do. */
export function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  return { line, column: offset - lineStart + 1 };
}

/** A path as people write it: `evictionHard.memory.available`, `registerWithTaints[0].key`. */
export function formatPath(path: KeyPath): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );
}

/** Whether a value is nested deeper than so many levels; it does not look below them. */
export function isDeeperThan(value: PlainValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  return levels === 0 || Object.values(value).some((child: PlainValue) => isDeeperThan(child, levels - 1));
}

/** Deeper than any configuration or pod; the walks over values use the call stack and must not run out of it. */
export const DEEPEST_LEVEL = 500;

export const TOO_DEEP = `is nested more than ${DEEPEST_LEVEL} levels deep; no configuration or pod is, so check what wrote this file`;
