import type { EvictionPolicy } from '../decide/eviction/policy.ts';
import type { TaintStanding } from '../decide/taints/taint-standing.ts';
import type { Evictor, PodLook, SignalLook, TaintLook } from '../ports.ts';

/** How evictions for NoExecute taints are decided and done, until a reload says otherwise. */
export interface TaintRules extends TaintStanding {
  look(nowMs: number): TaintLook;
}

/** How evictions are done, until a reload says otherwise. */
export interface EvictionRules {
  readonly policy: EvictionPolicy;
  readonly evictor: Evictor;
  readonly evictions: 'on' | 'dry' | 'off';
  /** Why they are dry or off. */
  readonly because?: string;
  /** undefined: taints do not evict. */
  readonly taints?: TaintRules;
  /** A sample that is older is none. */
  readonly maxSampleAgeMs: number;
  /** Whether somebody keeps the observations, for whom the usage of pods is read at every look. */
  readonly isTraced: boolean;
}

/** What a look has seen, besides what pods use. */
export interface Seen {
  readonly atMs: number;
  readonly signals: SignalLook;
  readonly pods: PodLook;
}
