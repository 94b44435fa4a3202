import type { Signal } from '../../config/signal.ts';
import type { Taint } from '../../config/taints/taint.ts';
import type { Resources } from './pod.ts';

export type { Taint };

/** One look at one signal. `available` can be negative (working set above capacity). */
export interface SignalReading {
  readonly available: bigint;
  readonly capacity: bigint;
  /** Monotonic or wall-clock milliseconds of the sample, as its source has them; absent where the source has no time. */
  readonly atMs?: number;
  /** Where the number is from, for people: "root memory.stat and /proc/meminfo". */
  readonly source: string;
}

/** A signal that is absent was not observed: its thresholds are neither met nor forgotten. */
export type Readings = ReadonlyMap<Signal, SignalReading>;

/** How a node's filesystems lie (kubelet: dedicatedImageFs, splitContainerImageFs). */
export type FilesystemLayout = 'single' | 'dedicated-imagefs' | 'split';

/** One filesystem as statfs has it. Available is what an unprivileged process may take, as in df. */
export interface FilesystemFigures {
  readonly capacityBytes: bigint;
  readonly availableBytes: bigint;
  readonly inodes: bigint;
  readonly inodesFree: bigint;
}

/**
 * The filesystems that eviction looks at, by what they are to the kubelet: `nodefs` holds its folder, `imagefs` the runtime's
 * images, `containerfs` the writable layers. One that is absent was not observed; filesystems that are one have equal figures.
 */
export type NodeFilesystems = ReadonlyMap<string, FilesystemFigures>;

/** A condition of a Node with its status as written: True, False or Unknown. */
export interface ReportedCondition {
  readonly type: string;
  readonly status: string;
}

/** What a v1 Node object says, as far as it says it. */
export interface NodeObject {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  /** status.nodeInfo.kubeletVersion, such as v1.37.0. */
  readonly kubeletVersion?: string;
  readonly memoryCapacityBytes?: bigint;
  readonly memoryAllocatableBytes?: bigint;
  readonly hugepagesCapacityBytes: bigint;
  /** status.capacity; empty where it is not stated. */
  readonly capacity: Resources;
  /** status.allocatable: what pods may request together; absent where it is not stated. */
  readonly allocatable?: Resources;
  /** In the node's order; a node that is unschedulable has the taint for it, whether it is listed or not. */
  readonly taints: readonly Taint[];
  /** spec.unschedulable. */
  readonly isUnschedulable: boolean;
  /** Whether the taint for that is none of the node's list; absent where it is, and on a node that is schedulable. */
  readonly isCordonUnlisted?: boolean;
  /** Sorted by type. */
  readonly conditions: readonly ReportedCondition[];
  /** status.nodeInfo.operatingSystem: what its kubelet was built for. */
  readonly operatingSystem?: string;
  /** status.features.supplementalGroupsPolicy; false where it is not stated. */
  readonly hasSupplementalGroupsPolicy?: boolean;
}

/** A Node that taints were read from. */
export interface TaintedNode {
  readonly name: string;
  /** Its file, as people call it. */
  readonly file: string;
}

interface PressureAverages {
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
  readonly totalUs: bigint;
}

/** Pressure stall information; `full` is absent where the kernel prints none. */
export interface Pressure {
  readonly some: PressureAverages;
  readonly full?: PressureAverages;
}
