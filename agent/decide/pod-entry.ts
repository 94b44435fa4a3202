import type { ContainerType, Pod, QosClass } from '../model/pod.ts';

/** One container of a QosReport. Bytes; null where there is none. */
export interface ContainerEntry {
  readonly name: string;
  readonly type: ContainerType;
  readonly memoryRequestBytes: bigint;
  readonly memoryLimitBytes: bigint | null;
  readonly oomScoreAdj: number | null;
}

/** One pod of a QosReport, in the field order of the contract. */
export interface PodEntry {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | null;
  readonly qosClass: QosClass;
  readonly reportedQosClass: QosClass | null;
  readonly memoryRequestBytes: bigint;
  readonly memoryLimitBytes: bigint | null;
  readonly cpuRequestMilli: bigint;
  readonly priority: number;
  readonly critical: boolean;
  readonly containers: readonly ContainerEntry[];
}

export function podEntry(_pod: Pod, _capacityBytes: bigint | undefined): PodEntry {
  throw new Error('not built yet');
}
