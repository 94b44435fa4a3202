import type { TextFile } from '../../config/finding.ts';

/** Reads a file that the command line names; throws a Failure (66, 77, 74, 65) with a sentence. */
export function readInputFile(_path: string): TextFile {
  throw new Error('not built yet');
}
