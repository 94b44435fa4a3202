import { closeSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolders } from '../../../cgroup/disk/make-folders.ts';
import type { Observation } from '../../model/observation.ts';
import { type TraceLine, traceLine } from './trace-line.ts';

const TAIL_STEP_BYTES = 1 << 20;
/** Enough for the time that a line begins with. */
const HEAD_BYTES = 64;
const LINE_FEED = 10;

export interface TraceRingOptions {
  /** The file that is written; what came before it is in FILE.1. */
  readonly file: string;
  /** Of both files together. */
  readonly maxBytes: bigint;
}

/**
 * The last observations, for `replay`: a file that grows to half of what is allowed and is then put aside for a new one. Each
 * file begins with a line that holds everything, so that either can be read alone, and holds whole lines only, also after
 * the writer was killed in the middle of one.
 */
export class TraceRing {
  readonly #file: string;
  readonly #maxFileBytes: number;
  #open: OpenTrace | undefined;
  #before: TraceLine | undefined;

  constructor({ file, maxBytes }: TraceRingOptions) {
    this.#file = file;
    this.#maxFileBytes = Number(maxBytes / 2n);
  }

  /** Adds an observation. Gives a sentence where it could not; the next one is tried anew. Never throws for what a disk does. */
  write(observation: Observation): string | undefined {
    try {
      return this.#write(observation);
    } catch (error) {
      this.close();
      const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
      if (code === undefined) throw error;
      return `${this.#file}: this observation is not in the trace, since writing it failed (${code})`;
    }
  }

  /** Closes the file; the next write opens it again. */
  close(): void {
    const open = this.#open;
    this.#open = undefined;
    this.#before = undefined;
    if (open === undefined) return;
    try {
      closeSync(open.descriptor);
    } catch {
      // What was written is written; a descriptor that cannot be closed is gone either way.
    }
  }

  #write(observation: Observation): string | undefined {
    let open = this.#opened();
    let line = traceLine(observation, this.#before);
    const isFull = open.bytes + Buffer.byteLength(line.text) > this.#maxFileBytes;
    // After a boot time begins anew, and a trace in which it steps back cannot be replayed.
    if (open.bytes > 0 && (isFull || open.lastMs > observation.atMs)) {
      this.close();
      renameSync(this.#file, `${this.#file}.1`);
      open = this.#opened();
      line = traceLine(observation, undefined);
    }
    const bytes = Buffer.from(line.text);
    if (bytes.length > this.#maxFileBytes) {
      return `${this.#file}: one observation of ${bytes.length} bytes does not fit into half of trace.maxBytes; raise it`;
    }
    appendWhole(open, bytes);
    open.lastMs = observation.atMs;
    this.#before = line;
    return undefined;
  }

  /** A file that is there already is gone on with, but for a last line that was not written to its end. */
  #opened(): OpenTrace {
    if (this.#open !== undefined) {
      if (fstatSync(this.#open.descriptor).nlink > 0) return this.#open;
      // Somebody removed the file: what is written into it is lost.
      this.close();
    }
    makeFolders(dirname(this.#file), 0o750);
    const open: OpenTrace = {
      descriptor: openSync(this.#file, 'a+', 0o600),
      bytes: 0,
      lastMs: Number.NEGATIVE_INFINITY,
    };
    this.#open = open;
    const { size } = fstatSync(open.descriptor);
    open.bytes = afterLineBreak(open.descriptor, size);
    if (open.bytes < size) ftruncateSync(open.descriptor, open.bytes);
    open.lastMs = lastTime(open);
    return open;
  }
}

interface OpenTrace {
  readonly descriptor: number;
  bytes: number;
  /** The time of the last line. */
  lastMs: number;
}

/** Appends all of it or nothing. */
function appendWhole(open: OpenTrace, bytes: Buffer): void {
  try {
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(open.descriptor, bytes, written);
    }
  } catch (error) {
    takeBack(open);
    throw error;
  }
  open.bytes += bytes.length;
}

/** A full disk takes the beginning of a line and then no more. What cannot be taken back is, when the file is opened again. */
function takeBack({ descriptor, bytes }: OpenTrace): void {
  try {
    ftruncateSync(descriptor, bytes);
  } catch {
    // Why the line could not be written says more.
  }
}

/** Where the last line begins that ends before `end`: behind the line break before it, or at the file's beginning. */
function afterLineBreak(descriptor: number, end: number): number {
  const step = Buffer.allocUnsafe(TAIL_STEP_BYTES);
  for (let until = end; until > 0; ) {
    const start = Math.max(0, until - step.length);
    const length = readSync(descriptor, step, 0, until - start, start);
    const at = step.subarray(0, length).lastIndexOf(LINE_FEED);
    if (at !== -1) return start + at + 1;
    until = start;
  }
  return 0;
}

/** The time of the last line, which begins with it. */
function lastTime({ descriptor, bytes }: OpenTrace): number {
  if (bytes === 0) return Number.NEGATIVE_INFINITY;
  const head = Buffer.alloc(HEAD_BYTES);
  const length = readSync(descriptor, head, 0, HEAD_BYTES, afterLineBreak(descriptor, bytes - 1));
  const time = /^\{"atMs":(-?[0-9.e+]+)/.exec(head.toString('latin1', 0, length))?.[1];
  // What begins otherwise is nobody's trace, and is put aside.
  return time === undefined ? Number.POSITIVE_INFINITY : Number(time);
}
