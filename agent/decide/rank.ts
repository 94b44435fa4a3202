import type { Signal } from '../../config/signal.ts';
import type { FilesystemLayout } from '../model/node.ts';
import type { Pod, QosClass, UsageByUid } from '../model/pod.ts';

export type Compat = 'nodeqos' | 'kubelet';

/** Pods that the operator never wants evicted (nodeqos.yaml eviction.protected). */
export interface ProtectedPods {
  readonly namespaces: readonly string[];
  readonly labels: ReadonlyMap<string, string>;
  readonly priorityAtLeast?: number;
}

export interface RankingRules {
  readonly signal: Signal;
  readonly layout: FilesystemLayout;
  readonly compat: Compat;
  readonly unmeasured: 'skip' | 'evict';
  readonly protected: ProtectedPods;
}

/** One pod's place, as an entry of `order` in EvictionRanking. */
export interface RankedPod {
  readonly rank: number;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | null;
  readonly qosClass: QosClass;
  readonly priority: number;
  readonly usage: bigint | null;
  readonly request: bigint | null;
  readonly exceedsRequest: boolean | null;
  readonly overRequest: bigint | null;
  readonly critical: boolean;
  readonly evictable: boolean;
  readonly why: string;
}

/** Who would be evicted for a signal, first to last; finished pods are left out. */
export function rankPods(
  _pods: readonly Pod[],
  _usage: UsageByUid,
  _rules: RankingRules,
): readonly RankedPod[] {
  throw new Error('not yet');
}
