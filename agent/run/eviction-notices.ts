import { conditionOf, type NodeCondition } from '../../config/signal.ts';
import { podKey } from '../decide/eviction/state.ts';
import { podName } from '../decide/pod-name.ts';
import type { EvictionDecision, EvictionOutcome, PendingRelease, PressureOrder } from '../model/eviction.ts';
import type { Announcer } from './announcer.ts';
import type { EvictionRules } from './eviction-rules.ts';

/** Says what decisions come to, each thing once per change: a line a second with the same words is read by nobody. */
export class EvictionNotices {
  readonly #announcer: Announcer;
  #conditions: readonly NodeCondition[] = [];
  #dryRun: string | undefined;
  #withheld = new Map<string, string>();

  constructor(announcer: Announcer) {
    this.#announcer = announcer;
  }

  /** Evictions that dry-run kept from happening, and why nobody was evicted. */
  async decided(
    decision: EvictionDecision,
    { evictions, because }: Pick<EvictionRules, 'evictions' | 'because'>,
  ): Promise<void> {
    if (evictions === 'dry') await this.#wouldEvict(decision.evictions[0], because);
    await this.#withheldNow(decision);
  }

  /** Pods that were told to go by a former run, and have not gone in their time. */
  async failed(failed: readonly PendingRelease[]): Promise<void> {
    for (const release of failed) {
      const sentence = `${podName(release)} was told to go and is still there after its time; it is passed over for a while`;
      await this.#announcer.event({ kind: 'trouble', part: 'eviction', sentence, over: false });
    }
  }

  /** Conditions that came or went. */
  async conditions({ conditions, thresholds }: EvictionDecision): Promise<void> {
    const before = this.#conditions;
    this.#conditions = conditions;
    for (const type of conditions.filter((condition) => !before.includes(condition))) {
      const met = thresholds.filter(
        ({ threshold, met }) => met === true && conditionOf(threshold.signal) === type,
      );
      const signals = [...new Set(met.map(({ threshold }) => threshold.signal))].sort();
      await this.#announcer.event({ kind: 'condition', type, status: true, signals });
    }
    for (const type of before.filter((condition) => !conditions.includes(condition))) {
      await this.#announcer.event({ kind: 'condition', type, status: false, signals: [] });
    }
  }

  async #wouldEvict(order: PressureOrder | undefined, because: string | undefined): Promise<void> {
    const key = order === undefined ? undefined : `${podKey(order.pod)} ${causeKey(order)}`;
    const isNew = key !== this.#dryRun;
    this.#dryRun = key;
    if (order === undefined || !isNew) return;
    const outcome = dryOutcome(because);
    const event = {
      kind: 'eviction',
      order,
      evictor: 'dry',
      outcome,
      reactionMs: undefined,
      tookMs: 0,
    } as const;
    await this.#announcer.event(event);
  }

  async #withheldNow({ withheld }: EvictionDecision): Promise<void> {
    const before = this.#withheld;
    this.#withheld = new Map(withheld.map(({ signal, why }) => [signal, why]));
    for (const { signal, why } of withheld) {
      if (before.get(signal) !== why) await this.#announcer.event({ kind: 'no-eviction', signal, why });
    }
  }
}

/** What becomes of an eviction that is dry. */
export function dryOutcome(because: string | undefined): EvictionOutcome {
  return { kind: 'dry-run', ...(because === undefined ? {} : { because }) };
}

function causeKey({ cause }: PressureOrder): string {
  return cause.kind === 'threshold' ? cause.threshold.id : `${cause.limit} ${cause.message}`;
}
