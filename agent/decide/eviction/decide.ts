import { sortThresholds } from '../../../config/eviction/threshold-order.ts';
import type { EvictionDecision, PendingRelease } from '../../model/eviction.ts';
import type { Observation } from '../../model/observation.ts';
import { lookAtPending } from './pending.ts';
import type { EvictionPolicy } from './policy.ts';
import { serveThresholds } from './serve.ts';
import type { EvictionState } from './state.ts';
import { lookAtStorage, storageOrders } from './storage-orders.ts';
import { lastSamples, lookAtThresholds } from './threshold-look.ts';

/** What one look leads to, and what is to be remembered of it. */
export interface EvictionLook {
  readonly state: EvictionState;
  readonly decision: EvictionDecision;
  /** Evictions whose time is over at this look with the pod still listed: they have failed. */
  readonly failed: readonly PendingRelease[];
}

/**
 * Decides on evictions at one look (kubelet eviction: synchronize, less what waits and acts): thresholds and conditions, pods
 * over their local storage limits, and else a pod for the most urgent threshold. What it decides has not begun: the caller
 * says so with `evictionStarted`, or not, as in a dry run.
 */
export function decideEviction(
  state: EvictionState,
  observation: Observation,
  policy: EvictionPolicy,
): EvictionLook {
  const pending = lookAtPending(state, observation, policy);
  const { statuses, past, conditions, ...seen } = lookAtThresholds(state, observation, policy);
  const storage = lookAtStorage(state.storage, observation);
  const ofLimits = storageOrders(storage.limited, observation, pending, policy);
  const served =
    ofLimits.length > 0 || past.length === 0
      ? { order: undefined, withheld: [] }
      : serveThresholds(past, { observation, policy, pending, lastSampleMs: state.lastSampleMs });
  return {
    state: {
      ...seen,
      lastSampleMs: lastSamples(state, observation.readings, policy),
      pending: pending.pending,
      backOffUntilMs: pending.backOffUntilMs,
      layout: observation.layout,
      storage,
    },
    decision: {
      thresholds: statuses,
      thresholdsMet: sortThresholds(past),
      conditions,
      evictions: served.order === undefined ? ofLimits : [served.order],
      withheld: served.withheld,
    },
    failed: pending.failed,
  };
}
