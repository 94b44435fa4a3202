import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../agent/ports.ts';

/** A clock that goes faster than the world, for pauses that are long beside what really has to be waited for. */
export class FastClock implements Clock {
  readonly #times: number;
  readonly #startedAtMs = performance.now();

  constructor(times: number) {
    this.#times = times;
  }

  nowMs(): number {
    return (performance.now() - this.#startedAtMs) * this.#times;
  }

  wallMs(): number {
    return Date.UTC(2026, 2, 4, 5, 6, 7) + this.nowMs();
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(ms / this.#times, undefined, { signal }).catch(() => undefined);
  }
}
