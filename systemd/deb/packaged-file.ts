/** One file of the package, as it is installed. */
export interface PackagedFile {
  /** Relative to the root of the machine, without leading slash. */
  readonly path: string;
  readonly mode: 0o644 | 0o755;
  readonly content: string | Uint8Array | CopiedFile;
}

/** A file that is too large to be held in memory for long. */
interface CopiedFile {
  readonly copyOf: string;
}

/** A plain file that everybody may read. */
export function dataFile(path: string, content: PackagedFile['content']): PackagedFile {
  return { path, mode: 0o644, content };
}

/** A file that everybody may run. */
export function programFile(path: string, content: PackagedFile['content']): PackagedFile {
  return { path, mode: 0o755, content };
}
