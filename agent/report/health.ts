import type { TickRecord } from '../model/tick.ts';

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

export function health(_look: HealthLook): Health {
  throw new Error('not there yet');
}

export function readiness(_look: HealthLook): Health {
  throw new Error('not there yet');
}
