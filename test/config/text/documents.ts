import { type Finding, formatFinding } from '../../../config/finding.ts';
import {
  type DocumentsReading,
  readDocuments,
  type StructuredDocument,
} from '../../../config/text/document.ts';

/** The only document of a text. Throws where there is another number of them. */
export function documentOf(text: string): StructuredDocument {
  const reading: DocumentsReading = readDocuments({ file: 'f', text });
  if ('finding' in reading || reading.documents.length !== 1) {
    throw new Error(JSON.stringify(reading));
  }
  const [document] = reading.documents;
  if (document === undefined) {
    throw new Error('no document');
  }
  return document;
}

/** The sentence that a text is refused with, or 'read'. */
export function refusalOf(text: string): string {
  const reading = readDocuments({ file: 'f', text });
  return 'finding' in reading ? formatFinding(reading.finding) : 'read';
}

/** Findings as the lines that a person sees. */
export function lines(findings: readonly Finding[]): readonly string[] {
  return findings.map(formatFinding);
}
