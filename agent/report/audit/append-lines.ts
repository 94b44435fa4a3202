import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolders } from '../../../cgroup/disk/make-folders.ts';
import { errorCode } from '../../../cgroup/disk/system-error.ts';

/** A file that lines are added to, and how large it and its predecessors may become. */
export interface RotatedFile {
  readonly file: string;
  /** In bytes; a file that a line would make larger is put aside first. One line alone may be larger. */
  readonly maxBytes: bigint;
  /** How many files that were put aside are kept: FILE.1 is the latest. */
  readonly keep: number;
}

/** How far it went. */
export interface Appended {
  /** How many of the lines are in the file, whole, from the first one on. */
  readonly written: number;
  /** The system's code, where not all are. */
  readonly failed?: string;
  /** The system's code, where the file could not be put aside; it grows on then. */
  readonly notRotated?: string;
}

/**
 * Adds lines, each with its line break, to the end of a file: all of a line or nothing of it, also on a full disk. The file
 * is opened anew each time, so one that was moved away, deleted or mounted over is no trouble; it is made for its owner
 * alone where it is missing. What is no regular file (a device, a pipe somebody reads) is written to and never put aside.
 */
export async function appendLines(target: RotatedFile, lines: readonly string[]): Promise<Appended> {
  const progress: Progress = { written: 0 };
  try {
    while (progress.written < lines.length) await appendSome(target, lines, progress);
    return progress;
  } catch (error) {
    return { ...progress, failed: errorCode(error) };
  }
}

interface Progress {
  written: number;
  notRotated?: string;
}

/** Fills the file that is there as far as it goes, or puts it aside. */
async function appendSome(target: RotatedFile, lines: readonly string[], progress: Progress): Promise<void> {
  const handle = await openForAppending(target.file);
  try {
    const size = await soundSize(handle);
    const grows = size === undefined || progress.notRotated !== undefined;
    const room = grows ? Infinity : Number(target.maxBytes) - size;
    const batch = thoseThatFit(lines.slice(progress.written), room, size);
    if (batch.length > 0) {
      await writeWhole(handle, batch.join(''), size);
      progress.written += batch.length;
      return;
    }
  } finally {
    await handle.close();
  }
  const code = await putAside(target);
  if (code !== undefined) progress.notRotated = code;
}

/** The lines that go into `room` bytes, from the first one on; one line goes into an empty file however long it is. */
function thoseThatFit(lines: readonly string[], room: number, size: number | undefined): readonly string[] {
  let left = room;
  const fitting: string[] = [];
  for (const line of lines) {
    left -= Buffer.byteLength(line);
    if (left < 0 && (size !== 0 || fitting.length > 0)) break;
    fitting.push(line);
  }
  return fitting;
}

/** A pipe that nobody reads is an error (ENXIO) and not a wait without end. */
const APPENDING = constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

async function openForAppending(file: string): Promise<FileHandle> {
  const isPlain = await isRegularOrMissing(file);
  // A regular file is also read: its last line may have been torn by a power cut.
  const flags = APPENDING | (isPlain ? constants.O_RDWR : constants.O_WRONLY);
  try {
    return await open(file, flags, 0o600);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    makeFolders(dirname(file), 0o700);
    return open(file, flags, 0o600);
  }
}

async function isRegularOrMissing(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true;
    throw error;
  }
}

/** The size of a regular file, after its end was made the end of a line; undefined for anything else. */
async function soundSize(handle: FileHandle): Promise<number | undefined> {
  const stats = await handle.stat();
  if (!stats.isFile()) return undefined;
  const { size } = stats;
  if (size === 0 || (await readAt(handle, size - 1, 1)) === '\n') return size;
  const start = Math.max(0, size - LONGEST_TAIL);
  const tail = await readAt(handle, start, size - start);
  const torn = tail.slice(tail.lastIndexOf('\n') + 1);
  if (!torn.startsWith(OWN_LINE)) {
    // Somebody else's text is not ours to cut.
    await writeWhole(handle, '\n', size);
    return size + 1;
  }
  const whole = size - Buffer.byteLength(torn, 'latin1');
  await handle.truncate(whole);
  return whole;
}

const LONGEST_TAIL = 1 << 20;
const OWN_LINE = '{"time":"';

async function readAt(handle: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.toString('latin1', 0, bytesRead);
}

/** Writes all of a text, or takes back what of it was written. */
async function writeWhole(handle: FileHandle, text: string, size: number | undefined): Promise<void> {
  const bytes = Buffer.from(text);
  try {
    for (let done = 0; done < bytes.length; ) {
      done += (await handle.write(bytes, done)).bytesWritten;
    }
  } catch (error) {
    // Where even that fails, the next opening finds the torn line.
    if (size !== undefined) await handle.truncate(size).catch(() => undefined);
    throw error;
  }
}

/** FILE becomes FILE.1, FILE.1 becomes FILE.2, and so on; what would be beyond `keep` goes. Gives the code of a failure. */
async function putAside({ file, keep }: RotatedFile): Promise<string | undefined> {
  try {
    for (let beyond = Math.max(keep, 1); await removed(`${file}.${beyond}`); beyond += 1);
    for (let place = keep; place > 1; place -= 1) await moved(`${file}.${place - 1}`, `${file}.${place}`);
    if (keep === 0) await removed(file);
    else await moved(file, `${file}.1`);
    return undefined;
  } catch (error) {
    return errorCode(error);
  }
}

async function removed(file: string): Promise<boolean> {
  try {
    await rm(file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

async function moved(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
