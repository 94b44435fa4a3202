import type { TimedEvent } from '../../agent/model/agent-event.ts';
import type { EvictionDecision, PendingRelease } from '../../agent/model/eviction.ts';
import type { TickRecord } from '../../agent/model/tick.ts';

/** Where a simulated agent leaves its lines: what survives it when it is killed. */
export class Story {
  /** The newest lines, for a person who looks into a failure. */
  readonly last: string[] = [];
  readonly #keep: number;
  readonly #hear: (line: string) => void;

  constructor(keep: number, hear: (line: string) => void) {
    this.#keep = keep;
    this.#hear = hear;
  }

  say(line: string): void {
    this.#hear(line);
    this.last.push(line);
    if (this.last.length > this.#keep) this.last.shift();
  }
}

/** An event as the line that has to come out the same for the same seed. */
export function eventLine({ event, wallMs, mode }: TimedEvent): string {
  return JSON.stringify({ wallMs, mode, event }, exact);
}

/** A tick as a line. */
export function tickLine(record: TickRecord): string {
  const { atMs, nextInMs, decision, pending, memoryQos } = record;
  return `${atMs} tick next ${nextInMs} ${decisionText(decision)} pending ${pendingText(pending)} ${JSON.stringify(memoryQos ?? null)}`;
}

/** What a decision comes to. */
function decisionText({ thresholdsMet, conditions, evictions, withheld }: EvictionDecision): string {
  const orders = evictions.map(({ pod, cause }) => {
    const why = cause.kind === 'threshold' ? cause.threshold.id : cause.limit;
    return `${pod.namespace}/${pod.name} for ${why}`;
  });
  const met = thresholdsMet.map(({ id }) => id).join(', ');
  return `[${met}] ${conditions.join(' ')} evict [${orders.join(', ')}] not [${withheld.map(({ signal, why }) => `${signal}: ${why}`).join('; ')}]`;
}

function pendingText(pending: readonly PendingRelease[]): string {
  return `[${pending.map(({ namespace, name, evictedAtMs }) => `${namespace}/${name}@${evictedAtMs}`).join(', ')}]`;
}

function exact(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Map ? [...(value as ReadonlyMap<unknown, unknown>)] : value;
}
