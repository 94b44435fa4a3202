/**
 * One thing that is wrong, or surely a mistake, in a file that an operator wrote. `line` and `column` start at 1 and are
 * absent where there is none (a file that is empty); `path` is the key's path, such as `evictionHard.memory.available`,
 * and the empty text for the document itself.
 */
export interface Finding {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly path: string;
  readonly message: string;
}

/** A file's name as an operator knows it, and its text. */
export interface TextFile {
  readonly file: string;
  readonly text: string;
}

/** `file:line:column: path: message`, leaving out what is not known: the way every finding is shown to a person. */
export function formatFinding(finding: Finding): string {
  const place = [finding.file, finding.line, finding.column].filter((part) => part !== undefined).join(':');
  return finding.path === ''
    ? `${place}: ${finding.message}`
    : `${place}: ${finding.path}: ${finding.message}`;
}
