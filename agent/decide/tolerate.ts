import type { Taint } from '../model/node.ts';
import type { Pod, Toleration } from '../model/pod.ts';

/** What a node's taints mean for one pod, as an entry of `pods` in TaintReport. */
export interface PodTaintEntry {
  readonly namespace: string;
  readonly name: string;
  readonly schedulable: boolean;
  readonly firstUntolerated: Taint | null;
  readonly preferNoScheduleCount: number;
  readonly noExecute: 'stay' | 'evict-now' | 'evict-after';
  readonly evictAfterSeconds: number | null;
  readonly decidedBy: { readonly taint: Taint; readonly toleration: TolerationEntry | null } | null;
}

/** A toleration as a document shows it; what is empty is left out. */
export interface TolerationEntry {
  readonly key?: string;
  readonly operator: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: bigint;
}

/** Whether a toleration matches a taint (scheduler: ToleratesTaint, comparison operators on). */
export function tolerates(_toleration: Toleration, _taint: Taint): boolean {
  throw new Error('not yet');
}

/** Scheduling and NoExecute outcome of a pod on a node with these taints. */
export function podTaintEntry(_pod: Pod, _taints: readonly Taint[]): PodTaintEntry {
  throw new Error('not yet');
}
