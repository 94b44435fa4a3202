import type { Fault } from './fault.ts';
import type { Finding, TextFile } from './finding.ts';
import { readFirstDocument } from './text/document.ts';
import { formatPath, type KeyPath, type Place, type StructuredDocument } from './text/place.ts';
import { isRecord, type PlainRecord, typeName } from './text/plain-value.ts';

/** What a configuration file must call itself. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A configuration file that was read as far as its first document. */
export interface Source {
  readonly file: string;
  readonly document: StructuredDocument;
  readonly record: PlainRecord;
}

export type SourceReading =
  | { readonly source: Source; readonly warnings: readonly Finding[] }
  | { readonly errors: readonly Finding[] };

/**
 * Reads one configuration file: its first document, as the kubelet does, which must be a map and call itself what is
 * wanted. `identity: 'optional'` allows a file that says neither.
 */
export function readSource(
  input: TextFile,
  wanted: Identity,
  identity: 'needed' | 'optional',
): SourceReading {
  const reading = readFirstDocument(input);
  if ('finding' in reading) {
    return { errors: [reading.finding] };
  }
  const { document, followedAt } = reading;
  const value = document?.value ?? null;
  if (document === undefined || value === null) {
    const message = `is empty; write apiVersion: ${wanted.apiVersion} and kind: ${wanted.kind}, or remove the file`;
    return { errors: [{ file: input.file, path: '', message }] };
  }
  if (!isRecord(value)) {
    const message = `expected a map, got ${typeName(value)}; write a ${wanted.kind}`;
    return { errors: [{ file: input.file, ...document.placeOf([]), path: '', message }] };
  }
  const source: Source = { file: input.file, document, record: value };
  const errors = identityFaults(value, wanted, identity).map((fault) => findingIn([source], fault));
  if (errors.length > 0) {
    return { errors };
  }
  const message = 'holds several documents, of which only the first one counts; remove the others';
  const warnings = followedAt === undefined ? [] : [{ file: input.file, ...followedAt, path: '', message }];
  return { source, warnings };
}

function identityFaults(
  record: PlainRecord,
  wanted: Identity,
  identity: 'needed' | 'optional',
): readonly Fault[] {
  return (['apiVersion', 'kind'] as const).flatMap((key): Fault[] => {
    const value = record[key] ?? '';
    if (value === wanted[key] || (value === '' && identity === 'optional')) {
      return [];
    }
    const got = typeof value === 'string' ? JSON.stringify(value) : typeName(value);
    const message = value === '' ? 'is missing' : `is ${got}`;
    return [{ path: [key], message: `${message}; write ${wanted[key]}` }];
  });
}

/**
 * A fault as a finding: in the last of the files that has its path, else where its cause stands, else at the nearest key
 * above the path that some file has, else in the first file, without a line.
 */
export function findingIn(sources: readonly Source[], { path, message, cause }: Fault): Finding {
  const above = path.map((_part, index) => path.slice(0, path.length - index));
  const places = [path, ...(cause === undefined ? [] : [cause]), ...above];
  const found = places.map((place) => placeIn(sources, place)).find((place) => place !== undefined);
  return { ...(found ?? { file: sources[0]?.file ?? '' }), path: formatPath(path), message };
}

function placeIn(sources: readonly Source[], path: KeyPath): (Place & { readonly file: string }) | undefined {
  for (const { file, document } of sources.toReversed()) {
    const place = document.placeOf(path);
    if (place !== undefined) {
      return { file, ...place };
    }
  }
  return undefined;
}

/** Findings in the order of the files, then by place, then by path and message. */
export function sortFindings(findings: readonly Finding[], files: readonly string[]): readonly Finding[] {
  return findings.toSorted(
    (a, b) =>
      files.indexOf(a.file) - files.indexOf(b.file) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0) ||
      compareTexts(a.path, b.path) ||
      compareTexts(a.message, b.message),
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
