import type { EvictionOrder, EvictionOutcome } from '../model/eviction.ts';
import type { Clock, Evictor, PodPlace } from '../ports.ts';

/** An eviction that was begun. */
export interface BegunEviction {
  readonly order: EvictionOrder;
  readonly evictor: Evictor;
  readonly place: PodPlace | undefined;
  /** What is left of the grace. */
  readonly gracePeriodSeconds: number;
  readonly startedAtMs: number;
  /** From when the threshold called for it to the call of the evictor; undefined where no threshold did. */
  readonly reactionMs: number | undefined;
}

/** One that has ended. */
export interface EndedEviction extends BegunEviction {
  readonly outcome: EvictionOutcome;
  readonly endedAtMs: number;
}

export interface RunningParts {
  readonly clock: Clock;
  /** Something has ended that a decision may be waiting for. */
  wake(): void;
  /** Aborted when the agent ends. */
  readonly signal: AbortSignal;
}

/** Evictions that go on beside the loop, since a pod may take as long as its grace to end. */
export class RunningEvictions {
  readonly #parts: RunningParts;
  readonly #running = new Map<Promise<void>, BegunEviction>();
  #ended: EndedEviction[] = [];

  constructor(parts: RunningParts) {
    this.#parts = parts;
  }

  /** Lets the evictor do its work. */
  start(begun: BegunEviction): void {
    const { evictor, order, place, gracePeriodSeconds } = begun;
    const running = evictor
      .evict({ pod: order.pod, place, gracePeriodSeconds }, this.#parts.signal)
      .catch((error: unknown) => failed(evictor, error))
      .then((outcome) => {
        this.end(begun, outcome);
        this.#running.delete(running);
        this.#parts.wake();
      });
    this.#running.set(running, begun);
  }

  /** Those that go on. */
  get begun(): readonly BegunEviction[] {
    return [...this.#running.values()];
  }

  /** Takes note of an end. */
  end(begun: BegunEviction, outcome: EvictionOutcome): void {
    this.#ended.push({ ...begun, outcome, endedAtMs: this.#parts.clock.nowMs() });
  }

  /** What has ended since it was asked for last. */
  take(): readonly EndedEviction[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  /** Resolves when none goes on. */
  async idle(): Promise<void> {
    await Promise.all(this.#running.keys());
  }
}

function failed(evictor: Evictor, error: unknown): EvictionOutcome {
  const why = error instanceof Error ? error.message : String(error);
  return { kind: 'still-there', why: `the ${evictor.name} evictor failed: ${why}` };
}
