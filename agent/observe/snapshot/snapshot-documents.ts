import { formatFinding, type TextFile } from '../../../config/finding.ts';
import { parseJson, readDocuments, type StructuredDocument } from '../../../config/text/document.ts';
import { splitJsonList } from '../../../config/text/json-list.ts';
import type { PlainValue } from '../../../config/text/plain-value.ts';
import { EXIT, Failure } from '../../exit.ts';

/** A document, and its items where they are read one by one. */
export interface SnapshotDocument {
  readonly document: StructuredDocument;
  readonly items?: Iterable<PlainValue>;
}

/** An item of a list that was taken apart is no JSON, so that its file has to be read as a whole. */
export class BrokenPiece extends Error {}

/** From this on a JSON List is read item by item. */
const LARGE_TEXT = 1024 * 1024;

/**
 * The documents of a file. JSON is only parsed, large Lists item by item: places are looked for when there is something to
 * say about them, since a snapshot of a large cluster takes as long to walk as to parse. Throws Failure 65 for a text that
 * is neither JSON nor YAML; taking items throws BrokenPiece.
 */
export function snapshotDocuments(input: TextFile, how: 'by-pieces' | 'whole'): readonly SnapshotDocument[] {
  const placeOf: StructuredDocument['placeOf'] = (path) => documentsOf(input)[0]?.placeOf(path);
  const list = how === 'whole' || input.text.length < LARGE_TEXT ? undefined : splitJsonList(input.text);
  if (list !== undefined) {
    return [{ document: { value: list.frame, duplicates: [], placeOf }, items: parsedItems(list.items) }];
  }
  const value = /^\s*[[{]/.test(input.text) ? parseJson(input.text) : undefined;
  return value === undefined
    ? documentsOf(input).map((document) => ({ document }))
    : [{ document: { value, duplicates: [], placeOf } }];
}

function* parsedItems(texts: Iterable<string>): Generator<PlainValue> {
  for (const text of texts) {
    const value = parseJson(text);
    if (value === undefined) throw new BrokenPiece();
    yield value;
  }
}

function documentsOf(input: TextFile): readonly StructuredDocument[] {
  const reading = readDocuments(input);
  if ('finding' in reading) throw new Failure(EXIT.badData, formatFinding(reading.finding));
  return reading.documents;
}
