import type { EvictionDecision, PendingRelease } from '../../model/eviction.ts';
import type { Observation } from '../../model/observation.ts';
import type { EvictionPolicy } from './policy.ts';
import type { EvictionState } from './state.ts';

/** What one look leads to, and what is to be remembered of it. */
export interface EvictionLook {
  readonly state: EvictionState;
  readonly decision: EvictionDecision;
  /** Evictions whose time is over at this look with the pod still listed: they have failed. */
  readonly failed: readonly PendingRelease[];
}

/** Decides on evictions at one look. Not started: the caller says so with `evictionStarted`, or not, as in dry-run. */
export function decideEviction(
  state: EvictionState,
  _observation: Observation,
  policy: EvictionPolicy,
): EvictionLook {
  const thresholds = policy.thresholds.map((threshold) => ({
    threshold,
    met: undefined,
    metSinceMs: undefined,
    inGrace: false,
  }));
  const decision = { thresholds, thresholdsMet: [], conditions: [], evictions: [], withheld: [] };
  return { state, decision, failed: [] };
}
