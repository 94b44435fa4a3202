import type { Finding, TextFile } from '../finding.ts';
import { type JsonScan, scanJson } from './json-scan.ts';
import {
  DEEPEST_LEVEL,
  type DuplicateKey,
  isDeeperThan,
  type KeyPath,
  type Place,
  type PlaceNode,
  placeAt,
  type StructuredDocument,
  TOO_DEEP,
} from './place.ts';
import type { PlainValue } from './plain-value.ts';
import { readYamlDocuments } from './yaml.ts';
import { splitDocuments } from './yaml-split.ts';

export type { KeyPath, StructuredDocument } from './place.ts';

/** The documents of a file, or the one thing that is wrong with its text. */
export type DocumentsReading =
  | { readonly documents: readonly StructuredDocument[] }
  | { readonly finding: Finding };

/** Above this a JSON text is not read a second time for places: its findings go without. */
const LARGEST_TEXT_WITH_PLACES = 16 * 1024 * 1024;
const LARGEST_YAML = 64 * 1024 * 1024;
const LARGE_YAML =
  'is YAML of more than 64 MB, which takes too long and too much memory; give the same as JSON (kubectl get -o json)';
const BROKEN_LARGE_JSON =
  'is no JSON, though it begins like it, and is too large to be YAML (64 MB); it may be cut off or damaged, so make it anew';

/**
 * Reads the documents of a file: as JSON where it is JSON, which has no limit of size but memory, else as YAML the way the
 * kubelet reads it. A text of blanks and comments has no documents. Integers come exactly; see PlainValue.
 */
export function readDocuments(input: TextFile): DocumentsReading {
  const text = input.text.startsWith('\ufeff') ? input.text.slice(1) : input.text;
  const isLikeJson = /^\s*[[{]/.test(text);
  const json = isLikeJson ? parseJson(text) : undefined;
  if (json !== undefined) {
    return isDeeperThan(json, DEEPEST_LEVEL)
      ? { finding: { file: input.file, path: '', message: TOO_DEEP } }
      : { documents: [jsonDocument(text, json)] };
  }
  if (text.length > LARGEST_YAML) {
    return { finding: { file: input.file, path: '', message: isLikeJson ? BROKEN_LARGE_JSON : LARGE_YAML } };
  }
  const control = controlCharacter(text);
  if (control !== undefined) {
    return { finding: { file: input.file, ...control, path: '' } };
  }
  return readYamlDocuments({ file: input.file, text });
}

/** The first document of a file, where there is any, and the line at which something follows it. */
export type FirstDocumentReading =
  | { readonly document: StructuredDocument | undefined; readonly followedAt?: Place }
  | { readonly finding: Finding };

/** Blanks, comments and at most a marker: what makes no document. */
const NO_CONTENT = /^(?:---)?(?:[ \t]*(?:#.*)?(?:\r?\n|$))*$/;

/**
 * Reads what the kubelet reads of a configuration or a manifest: the first document. What comes after it may be anything,
 * YAML or not, and is not looked at.
 */
export function readFirstDocument(input: TextFile): FirstDocumentReading {
  // What is too large is refused as a whole, before it is taken apart; JSON of any size has no pieces.
  const pieces =
    input.text.length > LARGEST_YAML ? [{ text: input.text, linesBefore: 0 }] : splitDocuments(input.text);
  const [first, second] = pieces;
  // What stands before the first marker is a document only if there is something in it.
  const isPrefix = first !== undefined && !first.text.startsWith('---') && NO_CONTENT.test(first.text);
  const own = pieces.slice(0, isPrefix && second !== undefined ? 2 : 1);
  const reading = readDocuments({ file: input.file, text: own.map(({ text }) => text).join('') });
  if ('finding' in reading) {
    return reading;
  }
  const next = pieces.slice(own.length).find(({ text }) => !NO_CONTENT.test(text));
  const document = reading.documents[0];
  return next === undefined
    ? { document }
    : { document, followedAt: { line: next.linesBefore + 1, column: 1 } };
}

/** An integer that a double may not hold and that stands outside a string, or looks as if it did. */
const LONG_INTEGER = /[:[,\s-](?:9[0-9]{15}|[0-9]{17})/;

/** Reads a text that has to be JSON, integers exactly; undefined where it is not JSON. It may be nested ever so deep. */
export function parseJson(text: string): PlainValue | undefined {
  let value: PlainValue;
  try {
    value = JSON.parse(text) as PlainValue;
  } catch {
    return undefined;
  }
  return LONG_INTEGER.test(text) ? scanJson(text, 'without-places').value : value;
}

function jsonDocument(text: string, value: PlainValue): StructuredDocument {
  let scan: JsonScan | undefined;
  const look = (): JsonScan | undefined => {
    scan ??= text.length > LARGEST_TEXT_WITH_PLACES ? undefined : scanJson(text, 'with-places');
    return scan;
  };
  return {
    value,
    placeOf: (path) => placeIn(look()?.root, path, text),
    get duplicates(): readonly DuplicateKey[] {
      return (look()?.duplicates ?? []).map(({ path, offset }) => ({ path, ...placeAt(text, offset) }));
    },
  };
}

function placeIn(root: PlaceNode | undefined, path: KeyPath, text: string): Place | undefined {
  let node = root;
  for (const part of path) {
    node = node?.children.get(part);
  }
  return node === undefined ? undefined : placeAt(text, node.offset);
}

function controlCharacter(text: string): (Place & { message: string }) | undefined {
  const offset = text.search(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/);
  if (offset === -1) {
    return undefined;
  }
  const code = text.charCodeAt(offset).toString(16).toUpperCase().padStart(4, '0');
  return {
    ...placeAt(text, offset),
    message: `holds the control character U+${code}, so it is neither YAML nor JSON; give a text file`,
  };
}
