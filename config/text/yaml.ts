import { isAlias, isMap, isScalar, isSeq, type Node, parseAllDocuments, type YAMLError } from 'yaml';
import type { Finding, TextFile } from '../finding.ts';
import { type KeyPath, placeAt, type StructuredDocument, TOO_DEEP } from './place.ts';
import { asList, asRecord, type PlainValue } from './plain-value.ts';
import { type ListPieces, type Piece, splitDocuments, splitItems } from './yaml-split.ts';
import { keyText, YamlFault, YamlWalk } from './yaml-walk.ts';

type Reading = { readonly documents: readonly StructuredDocument[] } | { readonly finding: Finding };

/** Above this a text is read in pieces, since its syntax tree takes a hundred times its size; places are not kept then. */
const LARGEST_WHOLE = 2 * 1024 * 1024;
const LARGEST_PIECE = 8 * 1024 * 1024;

/**
 * Reads the documents of a YAML text as the kubelet does (sigs.k8s.io/yaml over go-yaml v2): YAML 1.1 scalars, merge keys in
 * the order they stand in, the last one of doubled keys. Aliases that would multiply the document are refused.
 */
export function readYamlDocuments(input: TextFile): Reading {
  if (input.text.length <= LARGEST_WHOLE || input.text.startsWith('%')) {
    return readWhole(input);
  }
  const documents: StructuredDocument[] = [];
  for (const piece of splitDocuments(input.text)) {
    const list = piece.text.length > LARGEST_WHOLE ? splitItems(piece) : undefined;
    const reading = list === undefined ? readPiece(input.file, piece) : readList(input.file, list);
    if ('finding' in reading) {
      return reading;
    }
    documents.push(...reading.documents.map(({ value }) => withoutPlaces(value)));
  }
  return { documents };
}

function readList(file: string, { frame, groups }: ListPieces): Reading {
  const around = readPiece(file, frame);
  if ('finding' in around) {
    return around;
  }
  const items: PlainValue[] = [];
  for (const group of groups) {
    const reading = readPiece(file, group);
    if ('finding' in reading) {
      return reading;
    }
    items.push(...(asList(reading.documents[0]?.value) ?? []));
  }
  const record = asRecord(around.documents[0]?.value) ?? {};
  return { documents: [withoutPlaces({ ...record, items })] };
}

function readPiece(file: string, { text, linesBefore }: Piece): Reading {
  if (text.length > LARGEST_PIECE) {
    const message =
      'holds a YAML document of more than 8 MB that is no list of items, which takes too much memory; give it as JSON';
    return { finding: { file, line: linesBefore + 1, column: 1, path: '', message } };
  }
  const reading = readWhole({ file, text });
  if (!('finding' in reading) || reading.finding.line === undefined) {
    return reading;
  }
  return { finding: { ...reading.finding, line: reading.finding.line + linesBefore } };
}

function withoutPlaces(value: PlainValue): StructuredDocument {
  return { value, placeOf: () => undefined, duplicates: [] };
}

function readWhole(input: TextFile): Reading {
  const nodes = parseAllDocuments(input.text, {
    schema: 'failsafe',
    uniqueKeys: false,
    prettyErrors: false,
    resolveKnownTags: false,
    logLevel: 'error',
  });
  if (!Array.isArray(nodes)) {
    return { documents: [] };
  }
  const documents: StructuredDocument[] = [];
  for (const node of nodes) {
    const [error] = node.errors;
    if (error !== undefined) {
      return { finding: syntaxFinding(input, error) };
    }
    const document = yamlDocument(node.contents, input.text);
    if (document instanceof YamlFault) {
      const message = document.message;
      return { finding: { file: input.file, ...placeAt(input.text, document.offset), path: '', message } };
    }
    documents.push(document);
  }
  return { documents };
}

function syntaxFinding(input: TextFile, error: YAMLError): Finding {
  if (error.message.startsWith('Maximum call stack size exceeded')) {
    return { file: input.file, path: '', message: TOO_DEEP };
  }
  const message = `is not YAML: ${error.message.replace(/\.$/, '')}; mend this line or the one before it`;
  return { file: input.file, ...placeAt(input.text, error.pos[0]), path: '', message };
}

function yamlDocument(contents: Node | null, text: string): StructuredDocument | YamlFault {
  const walk = new YamlWalk();
  const value = walk.valueOf(contents, []);
  if (value instanceof YamlFault) {
    return value;
  }
  return {
    value,
    placeOf: (path) => {
      const offset = offsetOf(contents, path, walk);
      return offset === undefined ? undefined : placeAt(text, offset);
    },
    duplicates: walk.duplicates.map(({ path, offset }) => ({ path, ...placeAt(text, offset) })),
  };
}

function offsetOf(contents: Node | null, path: KeyPath, walk: YamlWalk): number | undefined {
  let node: unknown = contents;
  let offset = contents?.range?.[0];
  for (const part of path) {
    const target: unknown = isAlias(node) ? walk.targetOf(node) : node;
    if (isSeq(target) && typeof part === 'number') {
      node = target.items[part];
      offset = nodeOffset(node);
    } else if (isMap(target)) {
      const pair = target.items.findLast(({ key }) => isScalar(key) && keyText(key) === String(part));
      node = pair?.value;
      offset = nodeOffset(pair?.key);
    } else {
      return undefined;
    }
  }
  return offset;
}

function nodeOffset(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}
