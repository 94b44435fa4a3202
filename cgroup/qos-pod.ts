import type { MemoryQosPolicy } from '../config/policy.ts';
import type { Limit, MemoryFile } from './memory-files.ts';
import type { CgroupLayout, QosClass } from './paths.ts';

/** The least that Memory QoS needs of a container. */
export interface QosContainer {
  readonly name: string;
  readonly requestBytes: bigint;
  /** Its own limit; null for none, and a limit of 0 is none. */
  readonly limitBytes: bigint | null;
  /** Relative to the mount; null while it is not known. */
  readonly cgroup: string | null;
}

/** The least that Memory QoS needs of a pod. */
export interface QosPod {
  readonly namespace: string;
  readonly name: string;
  /** metadata.uid, for people. */
  readonly uid: string | null;
  readonly qosClass: QosClass;
  /** Aggregate or pod-level request, overhead included. */
  readonly requestBytes: bigint;
  /** Aggregate or pod-level limit, overhead included; null unless declared. */
  readonly limitBytes: bigint | null;
  /** Whether the pod has pod-level resources. */
  readonly podLevel: boolean;
  /** The pod-level limit alone: what stands in for a container's. */
  readonly podLevelLimitBytes: bigint | null;
  readonly cgroup: string | null;
  readonly containers: readonly QosContainer[];
  readonly workingSetBytes?: bigint;
}

/** A cgroup with a reservation that the kubelet enforces (kube-reserved, system-reserved). */
export interface ReservedCgroup {
  readonly name: 'kube-reserved' | 'system-reserved';
  readonly cgroup: string;
  readonly bytes: bigint;
}

interface QosNode {
  /** The kubelet's absolute allocatable; undefined where the capacity is not known. */
  readonly allocatableBytes: bigint | undefined;
  readonly pageSizeBytes: number;
  readonly reserved: readonly ReservedCgroup[];
  /** kubepods' memory.min as it is; with `protection: safe` it is left alone while it is nearly right. */
  readonly currentRootMin?: Limit;
}

export type QosLevel = 'node' | 'qos' | 'pod' | 'container';

/** One value that a file should have, and why. */
export interface DesiredValue {
  readonly level: QosLevel;
  readonly namespace: string | null;
  readonly pod: string | null;
  readonly uid: string | null;
  readonly container: string | null;
  readonly qosClass: QosClass | null;
  readonly cgroup: string | null;
  readonly file: MemoryFile;
  readonly desired: Limit;
  /** The formula with its numbers. */
  readonly reason: string;
}

export interface QosInputs {
  readonly node: QosNode;
  readonly policy: MemoryQosPolicy;
  readonly layout: CgroupLayout;
}
