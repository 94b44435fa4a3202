import type { Clock } from '../../ports.ts';

/** Listens to somebody who says something now and then, and gives up after too long a silence. */
export class Ear {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #stopped = new AbortController();
  #heardMs = 0;

  constructor(clock: Clock, patienceMs: number) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  /** Aborts after too long a silence, and when it is stopped. */
  get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  /** From now on silence counts. */
  begin(): void {
    this.#heardMs = this.#clock.nowMs();
    void this.#listen();
  }

  heard(): void {
    this.#heardMs = this.#clock.nowMs();
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #listen(): Promise<void> {
    while (!this.signal.aborted) {
      const leftMs = this.#heardMs + this.#patienceMs - this.#clock.nowMs();
      if (leftMs <= 0) {
        this.stop();
      } else {
        await this.#clock.sleep(leftMs, this.signal);
      }
    }
  }
}
