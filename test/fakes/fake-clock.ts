import type { Clock } from '../../agent/ports.ts';

interface Sleeper {
  readonly untilMs: number;
  readonly end: () => void;
}

/** A clock that moves only when it is told to; who sleeps is woken in the order of the times. */
export class FakeClock implements Clock {
  readonly slept: number[] = [];
  readonly #sleepers = new Set<Sleeper>();
  #nowMs: number;

  constructor(nowMs = 0) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return 1_700_000_000_000 + this.#nowMs;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    this.slept.push(ms);
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        untilMs: this.#nowMs + ms,
        end: () => {
          this.#sleepers.delete(sleeper);
          signal.removeEventListener('abort', sleeper.end);
          resolve();
        },
      };
      if (signal.aborted) {
        resolve();
        return;
      }
      this.#sleepers.add(sleeper);
      signal.addEventListener('abort', sleeper.end, { once: true });
    });
  }

  /** Moves the time on; everything that then goes on has gone as far as it can when this resolves. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settled();
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.#nowMs = next.untilMs;
      next.end();
      await settled();
    }
    this.#nowMs = untilMs;
  }

  #next(untilMs: number): Sleeper | undefined {
    return [...this.#sleepers]
      .filter((sleeper) => sleeper.untilMs <= untilMs)
      .sort((a, b) => a.untilMs - b.untilMs)[0];
  }
}

/** Lets promises that are ready run, and those that they make ready. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
