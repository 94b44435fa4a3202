import type { AgentEvent, AgentMode, AgentPart } from '../model/agent-event.ts';
import type { TickRecord } from '../model/tick.ts';
import type { Clock, EventSink } from '../ports.ts';
import { endsInTime } from './patience.ts';

/** How long the agent waits until what happens is on record. */
const PATIENCE_MS = 1000;

/**
 * Tells every sink what happens, in the order in which it happens and in the order of the sinks. A sink that throws is
 * left out from then on, which is said to the others, and one that takes too long is not waited for: no log is worth the
 * agent.
 */
export class Announcer {
  readonly #clock: Clock;
  #mode: AgentMode;
  #sinks: readonly EventSink[];
  readonly #troubles = new Map<AgentPart, string>();
  #telling: Promise<void> = Promise.resolve();
  /** Events that some sink has not taken yet. */
  #untold = 0;
  #isBehind = false;

  constructor(sinks: readonly EventSink[], clock: Clock, mode: AgentMode) {
    this.#sinks = sinks;
    this.#clock = clock;
    this.#mode = mode;
  }

  /** Events from now on are of this mode. */
  use(mode: AgentMode): void {
    this.#mode = mode;
  }

  /**
   * Resolves when every sink has the event, which for the audit log means that it was written; or when that takes too long,
   * and then at once for all that follows until the sinks have caught up. Never rejects.
   */
  async event(event: AgentEvent): Promise<void> {
    const timed = { event, wallMs: this.#clock.wallMs(), mode: this.#mode };
    this.#untold += 1;
    this.#telling = this.#telling.then(async () => {
      for (const sink of this.#sinks) {
        await this.#guarded(sink, () => sink.event(timed));
      }
      this.#untold -= 1;
      this.#isBehind &&= this.#untold > 0;
    });
    if (!this.#isBehind) {
      this.#isBehind = !(await endsInTime(this.#telling, PATIENCE_MS, this.#clock));
    }
  }

  /** Shows a finished tick to the sinks that want ticks. */
  tick(record: TickRecord): void {
    for (const sink of this.#sinks) {
      void this.#guarded(sink, () => {
        sink.tick?.(record);
      });
    }
  }

  /** Says what a part cannot do, once per change of the sentence; undefined: it can. */
  async trouble(part: AgentPart, sentence: string | undefined): Promise<void> {
    const before = this.#troubles.get(part);
    if (before === sentence) return;
    if (sentence === undefined) this.#troubles.delete(part);
    else this.#troubles.set(part, sentence);
    await this.event({
      kind: 'trouble',
      part,
      sentence: sentence ?? before ?? part,
      over: sentence === undefined,
    });
  }

  /** What is wrong at the moment, by part. */
  get troubles(): readonly string[] {
    const behind = this.#isBehind ? [`audit: ${this.#untold} records wait for a slow disk`] : [];
    return [...[...this.#troubles].map(([part, sentence]) => `${part}: ${sentence}`), ...behind].sort();
  }

  async #guarded(sink: EventSink, tell: () => Promise<void> | void): Promise<void> {
    try {
      await tell();
    } catch (error) {
      this.#sinks = this.#sinks.filter((other) => other !== sink);
      const why = error instanceof Error ? error.message : String(error);
      const sentence = `${sink.name} failed and is told nothing more: ${why}`;
      // Not awaited: the failing sink was told by the very chain that this one is added to.
      void this.event({ kind: 'trouble', part: 'audit', sentence, over: false });
    }
  }
}
