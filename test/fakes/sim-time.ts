import type { Clock } from '../../agent/ports.ts';

interface Happening {
  readonly atMs: number;
  readonly order: number;
  readonly act: () => void;
}

/** The time of a simulated machine, and what is to happen on it. Nothing happens but by `next`, one thing after the other. */
export class SimTime {
  nowMs = 5000;
  #order = 0;
  readonly #happenings: Happening[] = [];

  /** Gives what takes it back. */
  in(ms: number, act: () => void): () => void {
    const happening = { atMs: this.nowMs + Math.max(0, ms), order: this.#order, act };
    this.#order += 1;
    const before = this.#happenings.findIndex(({ atMs }) => atMs > happening.atMs);
    this.#happenings.splice(before < 0 ? this.#happenings.length : before, 0, happening);
    return () => {
      const index = this.#happenings.indexOf(happening);
      if (index >= 0) this.#happenings.splice(index, 1);
    };
  }

  /** Makes the next thing happen; one that is overdue, since everything stood still, happens now. */
  next(): void {
    const happening = this.#happenings.shift();
    if (happening === undefined) throw new Error('nothing will ever happen again');
    this.nowMs = Math.max(this.nowMs, happening.atMs);
    happening.act();
  }
}

/** What a port throws to an agent that was killed. */
export class Killed extends Error {
  constructor() {
    super('the agent was killed');
  }
}

/** One process of the agent: it can be killed before or after each thing that it does, and then does nothing any more. */
export class Lifeline {
  isDead = false;
  /** The step at which it dies, counted down. */
  stepsLeft = Number.POSITIVE_INFINITY;
  /** What it was about to do, or had just done, when it died. */
  diedAt: string | undefined;
  /** Called after each step: the machine may stand still, and the world go on. */
  readonly #pause: (what: string) => void;

  constructor(pause: (what: string) => void) {
    this.#pause = pause;
  }

  kill(what: string): void {
    if (this.isDead) return;
    this.isDead = true;
    this.diedAt = what;
  }

  /** A step that others wait for. */
  now<T>(what: string, act: () => T): T {
    if (!this.#lives(`before ${what}`)) throw new Killed();
    const result = act();
    if (!this.#lives(`after ${what}`)) throw new Killed();
    return result;
  }

  /** A step that takes its time: for one who is dead it never ends. */
  later<T>(what: string, act: () => T | Promise<T>): Promise<T> {
    if (!this.#lives(`before ${what}`)) return new Promise<T>(() => undefined);
    const result = act();
    if (this.#lives(`after ${what}`)) return Promise.resolve(result);
    // What becomes of it is nobody's matter any more.
    Promise.resolve(result).catch(() => undefined);
    return new Promise<T>(() => undefined);
  }

  #lives(what: string): boolean {
    if (this.isDead) return false;
    this.#pause(what);
    this.stepsLeft -= 1;
    if (this.stepsLeft <= 0) this.kill(what);
    return !this.isDead;
  }
}

/** The clock of one process on that machine. Who sleeps when the process dies never wakes. */
export class SimClock implements Clock {
  readonly #time: SimTime;
  readonly #lifeline: Lifeline;

  constructor(time: SimTime, lifeline: Lifeline) {
    this.#time = time;
    this.#lifeline = lifeline;
  }

  nowMs(): number {
    return this.#time.nowMs;
  }

  wallMs(): number {
    return 1_700_000_000_000 + this.#time.nowMs;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const takeBack = this.#time.in(ms, () => {
        signal.removeEventListener('abort', wake);
        if (!this.#lifeline.isDead) resolve();
      });
      const wake = (): void => {
        takeBack();
        if (!this.#lifeline.isDead) resolve();
      };
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}

/** Lets everything that can go on go on, until it waits for time. */
export async function untilAllWait(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
