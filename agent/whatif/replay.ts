import type { Amount, NodeCondition, Signal } from '../../config/signal.ts';
import { decideEviction } from '../decide/eviction/decide.ts';
import { withoutUnlisted } from '../decide/eviction/pending.ts';
import type { EvictionPolicy } from '../decide/eviction/policy.ts';
import { evictionStarted } from '../decide/eviction/release.ts';
import { type EvictionState, NO_HISTORY } from '../decide/eviction/state.ts';
import type { EvictionDecision, PressureOrder, StorageLimit } from '../model/eviction.ts';
import type { Observation } from '../model/observation.ts';

/** An eviction that would have been, as a replay shows it (cli contract, "record, replay"). */
export interface ReplayedEviction {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | null;
  /** What the pod goes for: a signal, or the local storage limit that it exceeds. */
  readonly signal: Signal | StorageLimit;
  readonly type: 'hard' | 'soft';
  readonly gracePeriodSeconds: number;
}

/** What one observation of a trace would have led to. */
export interface ReplayedLook {
  readonly atMs: number;
  readonly conditions: readonly NodeCondition[];
  readonly thresholdsMet: readonly {
    readonly signal: Signal;
    readonly type: 'hard' | 'soft';
    readonly value: Amount;
  }[];
  readonly evict: ReplayedEviction | null;
  /** The others of one look: only the kubelet's own rules make several pods go at once, for their local storage. */
  readonly alsoEvict?: readonly ReplayedEviction[];
}

/**
 * Plays a trace to the function that decides in the agent, one observation after the other, under one policy. An eviction is
 * begun at once and lasts until the trace lists the pod no more; what the trace goes on to show is what was measured then.
 */
export class Replay {
  readonly #policy: EvictionPolicy;
  #state: EvictionState = NO_HISTORY;

  constructor(policy: EvictionPolicy) {
    this.#policy = policy;
  }

  /** Observations come in the order of their times, in milliseconds. */
  look(observation: Observation): ReplayedLook {
    const before = withoutUnlisted(this.#state, observation, this.#policy);
    const { state, decision } = decideEviction(before, observation, this.#policy);
    // The kubelet remembers nobody whom it evicted.
    this.#state =
      this.#policy.compat === 'kubelet' ? state : withReleases(state, decision.evictions, observation.atMs);
    return replayed(observation.atMs, decision);
  }
}

function withReleases(
  state: EvictionState,
  evictions: readonly PressureOrder[],
  atMs: number,
): EvictionState {
  return evictions.reduce((before, order) => evictionStarted(before, order, atMs), state);
}

function replayed(atMs: number, decision: EvictionDecision): ReplayedLook {
  const [evict, ...alsoEvict] = decision.evictions.map(eviction);
  return {
    atMs,
    conditions: decision.conditions,
    thresholdsMet: decision.thresholdsMet.map(({ signal, type, value }) => ({ signal, type, value })),
    evict: evict ?? null,
    ...(alsoEvict.length === 0 ? {} : { alsoEvict }),
  };
}

function eviction({ pod, cause, gracePeriodSeconds }: PressureOrder): ReplayedEviction {
  const { namespace, name, uid = null } = pod;
  return cause.kind === 'threshold'
    ? {
        namespace,
        name,
        uid,
        signal: cause.threshold.signal,
        type: cause.threshold.type,
        gracePeriodSeconds,
      }
    : { namespace, name, uid, signal: cause.limit, type: 'hard', gracePeriodSeconds };
}

/** Every pod that a look would have made go. */
export function evictionsOf({ evict, alsoEvict = [] }: ReplayedLook): readonly ReplayedEviction[] {
  return evict === null ? [] : [evict, ...alsoEvict];
}
