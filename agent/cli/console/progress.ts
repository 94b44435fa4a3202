import type { Io } from './io.ts';

/** What is done before nobody needs to be told how far it is. */
const QUIET_MS = 500;
const STEP_MS = 100;
const BAR_WIDTH = 30;

/** A bar on a person's terminal that shows how far a long command is; nothing anywhere else, and nothing for a short one. */
export class Progress {
  readonly #io: Io;
  readonly #what: string;
  readonly #nowMs: () => number;
  readonly #startMs: number;
  #shownMs: number | undefined;

  constructor(io: Io, what: string, nowMs: () => number) {
    this.#io = io;
    this.#what = what;
    this.#nowMs = nowMs;
    this.#startMs = nowMs();
  }

  /** `done` is the share that is done, from 0 to 1. */
  show(done: number): void {
    const nowMs = this.#nowMs();
    if (this.#io.isErrTerminal !== true || nowMs - this.#startMs < QUIET_MS) return;
    if (this.#shownMs !== undefined && nowMs - this.#shownMs < STEP_MS) return;
    this.#shownMs = nowMs;
    const full = Math.round(Math.min(1, done) * BAR_WIDTH);
    const bar = '#'.repeat(full).padEnd(BAR_WIDTH, '.');
    const percent = `${Math.floor(Math.min(1, done) * 100)}%`.padStart(4);
    this.#io.err(`\r${this.#what} [${bar}] ${percent}${this.#left(done, nowMs)}\u001b[K`);
  }

  /** Takes the bar away, so that what is said next stands on a line of its own. */
  clear(): void {
    if (this.#shownMs === undefined) return;
    this.#shownMs = undefined;
    this.#io.err('\r\u001b[K');
  }

  #left(done: number, nowMs: number): string {
    if (done <= 0 || done >= 1) return '';
    const seconds = Math.ceil(((nowMs - this.#startMs) * (1 - done)) / done / 1000);
    return `, ${seconds} s left`;
  }
}
