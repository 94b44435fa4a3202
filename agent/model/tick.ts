import type { AgentMode } from './agent-event.ts';
import type { EvictionDecision, PendingRelease } from './eviction.ts';
import type { Pressure, Readings, Taint } from './node.ts';
import type { QosClass } from './pod.ts';

/** What one tier of pods has and is given, in bytes. */
export interface TierFigures {
  readonly qosClass: QosClass;
  readonly pods: number;
  readonly requestBytes: bigint;
  /** memory.current of the tier's cgroups; absent where it was not read. */
  readonly usageBytes?: bigint;
}

/** Where Memory QoS stands after a tick. */
export interface MemoryQosFigures {
  readonly write: number;
  readonly keep: number;
  readonly missing: number;
  /** Values that somebody else keeps changing and that are left alone for a while. */
  readonly leftAlone: number;
  /** Writes that have been started and not ended. */
  readonly inFlight: number;
}

/** A pod that a NoExecute taint of the node lets stay for a while. */
export interface WaitingForTaint {
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
  /** When its time is over, monotonic. */
  readonly evictAtMs: number;
}

/** Where evictions for NoExecute taints stand after a tick. */
export interface TaintFigures {
  readonly evictions: 'on' | 'dry';
  /** Why they are dry, for people; absent when they are on. */
  readonly evictionsBecause?: string;
  /** The NoExecute taints of the node, as they are known. */
  readonly taints: readonly Taint[];
  /** Those whose time runs or is over, the first to go first. */
  readonly waiting: readonly WaitingForTaint[];
}

/** How the agent itself stands. */
export interface AgentFigures {
  readonly pid: number;
  readonly version: string;
  readonly mode: AgentMode;
  /** Whether evictions are real: enforce, and not held back beside a live kubelet. */
  readonly evictions: 'on' | 'dry' | 'off';
  /** Why evictions are dry or off, for people; absent when they are on. */
  readonly evictionsBecause?: string;
  readonly startedAtMs: number;
  readonly configurationValid: boolean;
  readonly configurationError?: string;
  /** When the configuration in force was read, wall clock. */
  readonly configurationLoadedAtMs: number;
  readonly psiTrigger: boolean;
  /** Ticks in a row without memory.available, or without a list of pods. */
  readonly blindTicks: number;
  /** Of those the ones in a row that are not only for want of an answer over a connection, which no restart would bring. */
  readonly ownBlindTicks: number;
  /** What is wrong at the moment, one sentence a part. */
  readonly troubles: readonly string[];
}

/** Everything that one tick saw and led to; all that is shown of the agent is made from it. */
export interface TickRecord {
  /** Monotonic. */
  readonly atMs: number;
  /** When the tick had finished, wall clock; `atMs` is when it began. */
  readonly wallMs: number;
  readonly tookMs: number;
  readonly nextInMs: number;
  readonly readings: Readings;
  readonly psi?: Pressure | null;
  readonly memAvailableBytes?: bigint;
  readonly podCount: number;
  readonly podsAgeMs?: number;
  readonly tiers: readonly TierFigures[];
  readonly decision: EvictionDecision;
  /** Pods that were told to go and have not gone yet. */
  readonly pending: readonly PendingRelease[];
  /** absent: taints do not evict. */
  readonly taints?: TaintFigures;
  /** absent: Memory QoS is off, or the tree could not be read. */
  readonly memoryQos?: MemoryQosFigures;
  readonly agent: AgentFigures;
}
