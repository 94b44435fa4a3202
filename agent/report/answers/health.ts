import { humanDuration } from '../../decide/human.ts';
import type { TickRecord } from '../../model/tick.ts';

/** Whether the agent does its work, or the sentence that says why it does not. */
export type Health = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** What is known of the agent's ticks. Monotonic milliseconds. */
export interface HealthLook {
  /** undefined: no tick has finished yet. */
  readonly record: TickRecord | undefined;
  readonly startedAtMs: number;
  readonly nowMs: number;
  /** The configured interval between ticks. */
  readonly intervalMs: number;
}

/** An agent that has seen nothing for this many ticks protects nobody. */
const MOST_BLIND_TICKS = 5;
/** A tick may wait for a slow machine, and a machine that slow should not also lose its agent too soon. */
const MOST_INTERVALS = 10;
/** However short the interval is. */
const LEAST_PATIENCE_MS = 5000;

/**
 * Healthy: ticks finish, and they see what the node itself tells. The watchdog is fed as long as this holds, so what fails here
 * for long restarts the agent: that a peer does not answer is none of it, since a restart would not bring it back, and would
 * lose the last good list.
 */
export function health({ record, startedAtMs, nowMs, intervalMs }: HealthLook): Health {
  const lastMs = record === undefined ? startedAtMs : record.atMs + record.tookMs;
  if (nowMs - lastMs > Math.max(MOST_INTERVALS * intervalMs, LEAST_PATIENCE_MS)) {
    const since = humanDuration(nowMs - lastMs);
    const what = record === undefined ? 'no tick has finished since the start' : 'no tick has finished for';
    return { ok: false, why: record === undefined ? `${what}, ${since} ago` : `${what} ${since}` };
  }
  const blind = record?.agent.ownBlindTicks ?? 0;
  if (blind >= MOST_BLIND_TICKS) {
    return { ok: false, why: `blind for ${blind} ticks: ${blindness(record)}` };
  }
  return { ok: true };
}

/** Ready: healthy, and a tick has finished that saw memory and pods. */
export function readiness(look: HealthLook): Health {
  const state = health(look);
  if (!state.ok) return state;
  if (look.record === undefined) return { ok: false, why: 'no tick has finished yet' };
  if (look.record.agent.blindTicks > 0) return { ok: false, why: `blind: ${blindness(look.record)}` };
  return { ok: true };
}

function blindness(record: TickRecord | undefined): string {
  const troubles = record?.agent.troubles ?? [];
  return troubles.length === 0 ? 'memory.available or the list of pods is missing' : troubles.join('; ');
}
