import type { NodeCondition, Signal, Threshold } from '../../config/signal.ts';
import type { Pressure, Taint } from './node.ts';
import type { Pod, PodUsage } from './pod.ts';

/** The local storage limits that a pod can exceed, by the names of the kubelet's metric label. */
export type StorageLimit = 'emptydirfs.limit' | 'ephemeralpodfs.limit' | 'ephemeralcontainerfs.limit';

/** What of the node or of the pod's own use makes a pod go. */
type PressureCause =
  | {
      readonly kind: 'threshold';
      readonly threshold: Threshold;
      readonly available: bigint;
      readonly capacity: bigint;
    }
  /** `message` names the limit and the usage, in the kubelet's words. */
  | { readonly kind: 'storage-limit'; readonly limit: StorageLimit; readonly message: string };

/** The node has a NoExecute taint that the pod does not tolerate, or no longer; `message` says which of both. */
export interface TaintCause {
  readonly kind: 'taint';
  readonly taint: Taint;
  readonly message: string;
}

/** Why a pod has to go. */
export type EvictionCause = PressureCause | TaintCause;

/** One of those who could have gone, as a record of an eviction shows them (cli contract: candidates). */
export interface EvictionCandidate {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | null;
  readonly priority: number;
  /** Its PodGroup and its own priority, where the priority that counts is that of a group. */
  readonly group?: string;
  readonly ownPriority?: number;
  readonly usage: bigint | null;
  readonly request: bigint | null;
  readonly overRequest: bigint | null;
  readonly evictable: boolean;
  readonly why: string;
}

/** How the node stood when an eviction was decided, beside the number that its threshold goes by. */
export interface EvictionEvidence {
  /** MemAvailable of /proc/meminfo: what the kernel takes for available, page cache that it can give included. */
  readonly memAvailableBytes?: bigint;
  /** null: the kernel has none. */
  readonly psi?: Pressure | null;
  /** Since when the threshold has been met, wall clock; absent for a limit of the pod's own. */
  readonly metSinceMs?: number;
}

/** A pod that is to be evicted, and everything that a record of it has to say. */
export interface EvictionOrder<Cause extends EvictionCause = EvictionCause> {
  readonly pod: Pod;
  readonly cause: Cause;
  /** Already bounded as the cause has it: 1 for hard thresholds and storage limits. */
  readonly gracePeriodSeconds: number;
  /** The pod's usage when this was decided; undefined where it was not measured. */
  readonly usage: PodUsage | undefined;
  /** The first ten of the ranking; empty for storage limits and taints, which rank nobody. */
  readonly candidates: readonly EvictionCandidate[];
  /** The text that goes with the eviction to whoever owns the pod. */
  readonly message: string;
  /** Absent where nobody looked: in what was worked out from a trace, and in what a former run had begun. */
  readonly evidence?: EvictionEvidence;
}

/** An eviction that a threshold or a local storage limit leads to. */
export type PressureOrder = EvictionOrder<PressureCause>;

/** A pod that was told to go and has not gone yet: it counts as coming back with its last usage (decisions: pending release). */
export interface PendingRelease {
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
  readonly cgroupUid?: string;
  readonly evictedAtMs: number;
  readonly gracePeriodSeconds: number;
  /** undefined: it was never measured and counts 0. */
  readonly usage: PodUsage | undefined;
  /** What an agent that was killed meanwhile needs to see it through: where the pod was, and what it had to go for. */
  readonly unfinished?: UnfinishedEviction;
  /** The shortage that it went for; absent where it went for a limit of its own. */
  readonly shortage?: Shortage;
  /** When it was seen to be gone, by its evictor or on the list: what it used is still on its way, and counts until it is seen to be back. */
  readonly goneAtMs?: number;
}

/** The number that shows what comes back of a pod: what was available when it was told to go, and the most that came back since. */
export interface Shortage {
  readonly signal: Signal;
  readonly available: bigint;
  readonly back: bigint;
}

/** An eviction that was begun, as it is kept on disk. */
export interface UnfinishedEviction {
  readonly cause: EvictionCause;
  /** Its cgroup, and which one of that name; absent where the tree had none, as for a pod that the API knows and nobody here. */
  readonly place?: { readonly cgroup: string; readonly inode: bigint };
}

/** What became of an eviction that was tried. */
export type EvictionOutcome =
  | { readonly kind: 'gone' }
  | { readonly kind: 'still-there'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string }
  /** Nothing was done, as asked for; `because` says by what, where that is known. */
  | { readonly kind: 'dry-run'; readonly because?: string };

/** One threshold after a look. */
export interface ThresholdStatus {
  readonly threshold: Threshold;
  /** undefined: its signal was not observed. */
  readonly met: boolean | undefined;
  /** Since when it has been met without a look that said otherwise; undefined when it is not met. */
  readonly metSinceMs: number | undefined;
  /** Met, and waiting for the end of its grace. */
  readonly inGrace: boolean;
}

/** Why nobody is evicted although a threshold is past its grace. */
export interface Withheld {
  readonly signal: Signal;
  readonly why: string;
}

/** Why a pod stays although a NoExecute taint of the node would have it go. */
export interface WithheldForTaint {
  readonly pod: Pick<Pod, 'namespace' | 'name' | 'uid'>;
  readonly taint: Taint;
  readonly why: string;
}

/** What one look leads to. */
export interface EvictionDecision {
  /** Every threshold of the policy, in the policy's order. */
  readonly thresholds: readonly ThresholdStatus[];
  /** Those past their grace, or met by their minimum reclaim; by signal, hard before soft, then value. */
  readonly thresholdsMet: readonly Threshold[];
  /** Sorted. */
  readonly conditions: readonly NodeCondition[];
  /** At most one, but for the kubelet's own local storage evictions in its compat mode. */
  readonly evictions: readonly PressureOrder[];
  readonly withheld: readonly Withheld[];
}
