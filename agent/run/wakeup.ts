import type { Clock } from '../ports.ts';

/** A sleep that anybody may end early. What wakes says "look now" and nothing else, so many calls are as good as one. */
export class Wakeup {
  readonly #clock: Clock;
  #isWanted = false;
  #end: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends the sleep that is on, or keeps the next one short. */
  wake(): void {
    this.#isWanted = true;
    this.#end?.();
  }

  /**
   * Sleeps `ms`, or until it is woken or the signal aborts; but always `leastMs`, so that a storm of wake-ups, such as a
   * hundred pods that start at once, is answered by a few looks and not by a hundred.
   */
  async sleep(ms: number, leastMs: number, signal: AbortSignal): Promise<void> {
    await this.#clock.sleep(Math.min(ms, leastMs), signal);
    if (!this.#isWanted && ms > leastMs && !signal.aborted) await this.#rest(ms - leastMs, signal);
    this.#isWanted = false;
  }

  async #rest(ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const end = (): void => {
      woken.abort();
    };
    this.#end = end;
    // Not AbortSignal.any: the long-lived signal would keep a little of each of them, tick after tick, for good.
    signal.addEventListener('abort', end, { once: true });
    try {
      await this.#clock.sleep(ms, woken.signal);
    } finally {
      signal.removeEventListener('abort', end);
      this.#end = undefined;
    }
  }
}
