import { type FileHandle, open } from 'node:fs/promises';
import { EXIT, Failure } from '../../exit.ts';
import { failedRead } from '../input-file.ts';

/** Some lines of a trace, in order. */
export interface TraceLines {
  readonly lines: readonly string[];
  /** The place of the first of them in the file, from 1. */
  readonly firstNumber: number;
  /** Whether the last of them is not ended: the file was read while it was written, or its writer was ended. */
  readonly isTorn: boolean;
  readonly bytesRead: number;
  /** undefined for a pipe. */
  readonly bytesInAll: number | undefined;
}

/** Larger ones keep more lines alive at once and let the peak of memory grow, for no time that could be noticed. */
const CHUNK_BYTES = 1 << 16;
/** A line of a node with thousands of whole v1 pods is some ten times smaller. */
const LONGEST_LINE_BYTES = 128 << 20;
const LINE_FEED = 10;

/**
 * Reads a trace chunk by chunk, so that a day of it needs no more memory than a minute. Throws Failure: 66 for what is missing
 * or a folder, 77 for what may not be read, 65 for a line too long to be an observation, 74 for what else the system says.
 */
export async function* traceLines(file: string): AsyncGenerator<TraceLines> {
  const handle = await attempt(file, () => open(file, 'r'));
  try {
    const stats = await handle.stat();
    yield* linesOf(file, handle, stats.isFile() ? stats.size : undefined);
  } finally {
    await handle.close();
  }
}

async function* linesOf(
  file: string,
  handle: FileHandle,
  bytesInAll: number | undefined,
): AsyncGenerator<TraceLines> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const rest = new Rest();
  let firstNumber = 1;
  let bytesRead = 0;
  for (;;) {
    const { bytesRead: length } = await attempt(file, () => handle.read(chunk, 0, CHUNK_BYTES, null));
    if (length === 0) break;
    bytesRead += length;
    const lines = wholeLines(chunk.subarray(0, length), rest);
    if (rest.bytes > LONGEST_LINE_BYTES) throw tooLong(file, firstNumber + lines.length);
    if (lines.length > 0) yield { lines, firstNumber, isTorn: false, bytesRead, bytesInAll };
    firstNumber += lines.length;
  }
  if (rest.bytes > 0) yield { lines: [rest.take()], firstNumber, isTorn: true, bytesRead, bytesInAll };
}

/** The beginning of a line whose end was not read yet. */
class Rest {
  bytes = 0;
  #parts: Buffer[] = [];

  add(part: Buffer): void {
    if (part.length === 0) return;
    this.#parts.push(Buffer.from(part));
    this.bytes += part.length;
  }

  take(): string {
    const text = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.bytes = 0;
    return text;
  }
}

function wholeLines(chunk: Buffer, rest: Rest): readonly string[] {
  const lines: string[] = [];
  let start = 0;
  for (;;) {
    const end = chunk.indexOf(LINE_FEED, start);
    if (end === -1) break;
    if (rest.bytes > 0) {
      rest.add(chunk.subarray(start, end));
      lines.push(rest.take());
    } else {
      lines.push(chunk.toString('utf8', start, end));
    }
    start = end + 1;
  }
  rest.add(chunk.subarray(start));
  return lines;
}

function tooLong(file: string, line: number): Failure {
  return new Failure(
    EXIT.badData,
    `${file}:${line}: the line is longer than 128 MB, so it is no observation; a trace has one a line`,
  );
}

async function attempt<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    if (code === 'ENOENT') {
      throw new Failure(EXIT.noInput, `${file}: there is no such file; check the path`);
    }
    throw failedRead(file, code, 'give a trace, as nodeqos record writes it');
  }
}
