import type { Finding, TextFile } from './finding.ts';
import type { PlainValue } from './plain-value.ts';

export type KeyPath = readonly (string | number)[];

/** Where something stands in a text; both start at 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
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

export type DocumentsReading =
  | { readonly documents: readonly StructuredDocument[] }
  | { readonly finding: Finding };

export function readDocuments(input: TextFile): DocumentsReading {
  throw new Error(`not there yet: ${input.file}`);
}
