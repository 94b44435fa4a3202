import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs';
import { EXIT, Failure } from '../../exit.ts';

/** A trace that is being written, whole lines only. */
export class TraceFileWriter {
  /** How many lines are in it. */
  lines = 0;
  readonly #path: string;
  readonly #descriptor: number;
  readonly #isRegular: boolean;
  #bytes = 0;

  private constructor(path: string, descriptor: number) {
    this.#path = path;
    this.#descriptor = descriptor;
    this.#isRegular = fstatSync(descriptor).isFile();
  }

  /**
   * Makes the file, which only its owner may read. Throws Failure: 64 where something is in it already and `replace` is not
   * given, 66 where its folder is missing, 77 where it may not be written, 74 for what else the system says.
   */
  static open(path: string, replace: boolean): TraceFileWriter {
    try {
      if (!replace && holdsSomething(path)) {
        throw new Failure(EXIT.usage, `${path} is already there; --force replaces it`);
      }
      return new TraceFileWriter(path, openSync(path, 'w', 0o600));
    } catch (error) {
      throw failureOf(path, error);
    }
  }

  /** Appends a line, all of it or nothing. Throws Failure 74. */
  append(line: string): void {
    const bytes = Buffer.from(line);
    try {
      for (let written = 0; written < bytes.length; ) {
        written += writeSync(this.#descriptor, bytes, written);
      }
    } catch (error) {
      // A full disk takes the beginning of a line and then no more.
      if (this.#isRegular) ftruncateSync(this.#descriptor, this.#bytes);
      throw failureOf(this.#path, error);
    }
    this.#bytes += bytes.length;
    this.lines += 1;
  }

  /** Closes the file with all that was appended on the disk. */
  close(): void {
    if (this.#isRegular) fsyncSync(this.#descriptor);
    closeSync(this.#descriptor);
  }
}

/** Pipes and devices hold nothing that could be lost. */
function holdsSomething(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size > 0;
}

function failureOf(path: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  switch (code) {
    case undefined:
      return error;
    case 'ENOENT':
    case 'ENOTDIR':
      return new Failure(EXIT.noInput, `${path}: the folder to write it in is not there; make it first`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new Failure(EXIT.notPermitted, `${path} may not be written by this user (${code})`);
    case 'EISDIR':
      return new Failure(EXIT.usage, `${path} is a folder; name a file such as node.trace`);
    default:
      return new Failure(EXIT.ioError, `${path} cannot be written (${code})`);
  }
}
