import { quantityToMilli } from '../../config/numbers/quantity.ts';
import type { Container, ContainerType, Pod, QosClass } from '../model/pod.ts';
import { isCritical } from './critical.ts';
import { oomScoreAdj } from './oom-score.ts';
import { computeQosClass } from './qos-class.ts';
import {
  memoryLimitBytes,
  memoryRequestBytes,
  podMemoryLimitBytes,
  podMemoryRequestBytes,
  podRequest,
} from './resources.ts';

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

/**
 * What nodeqos says of one pod: its computed class, its effective resources in bytes and thousandths of a core, and each
 * container's own ones. A capacity of the machine in bytes, above 0, gives the oom_score_adj of each; without one it is
 * null. A pod without a priority has 0, which is what it is ranked by.
 */
export function podEntry(pod: Pod, capacityBytes: bigint | undefined): PodEntry {
  return {
    namespace: pod.namespace,
    name: pod.name,
    uid: pod.uid ?? null,
    qosClass: computeQosClass(pod),
    reportedQosClass: pod.reportedQosClass ?? null,
    memoryRequestBytes: podMemoryRequestBytes(pod),
    memoryLimitBytes: podMemoryLimitBytes(pod),
    cpuRequestMilli: quantityToMilli(podRequest(pod, 'cpu')),
    priority: pod.priority ?? 0,
    critical: isCritical(pod),
    containers: pod.containers.map((container) => containerEntry(pod, container, capacityBytes)),
  };
}

function containerEntry(pod: Pod, container: Container, capacityBytes: bigint | undefined): ContainerEntry {
  return {
    name: container.name,
    type: container.type,
    memoryRequestBytes: memoryRequestBytes(container),
    memoryLimitBytes: memoryLimitBytes(container),
    oomScoreAdj: capacityBytes === undefined ? null : oomScoreAdj(pod, container, capacityBytes),
  };
}
