import type { PlanEntry } from './plan.ts';

/** What keeps entries of a plan from being written now; places by `placeKey`. */
export interface ReconcileLimits {
  /** Not written, whatever they read: somebody else keeps changing them. */
  readonly leftAlone: ReadonlySet<string>;
  /** Not written again yet: the last try failed. */
  readonly putOff: ReadonlySet<string>;
  /** Being written. */
  readonly inFlight: ReadonlySet<string>;
  /** How many may be written at once. */
  readonly budget: number;
}

export function writesOfTick(
  _differing: readonly PlanEntry[],
  _limits: ReconcileLimits,
): readonly PlanEntry[] {
  throw new Error('not there yet');
}
