import type { FileTree } from './file-tree.ts';
import type { Limit, MemoryFile } from './memory-files.ts';
import type { CgroupLayout } from './paths.ts';
import type { Warning } from './warning.ts';

/** What one cgroup had when it was read. A value that is undefined is not known, and `unreadable` says of which files. */
export interface CgroupReading {
  readonly cgroup: string;
  readonly min: Limit | undefined;
  readonly low: Limit | undefined;
  readonly high: Limit | undefined;
  readonly currentBytes: bigint | undefined;
  /** Absent files (the cgroup went away, or the memory controller is off), as opposed to unreadable ones. */
  readonly missing: readonly MemoryFile[];
  /** Only where it was asked for. */
  readonly workingSetBytes?: bigint;
  readonly children: readonly CgroupReading[];
}

export interface CgroupSnapshot {
  /** The kubepods cgroup and all below it; undefined where there is none. */
  readonly kubepods: CgroupReading | undefined;
  /** By path: kubepods, everything below it, and the reserved cgroups that were asked for. */
  readonly byCgroup: ReadonlyMap<string, CgroupReading>;
  /** Folders above kubepods, outermost first, with the other children of each: what nested effective protection needs. */
  readonly ancestors: readonly CgroupReading[];
  readonly warnings: readonly Warning[];
}

export interface SnapshotRequest {
  readonly layout: CgroupLayout;
  /** Cgroups outside kubepods whose limits are wanted as well. */
  readonly reserved: readonly string[];
  /** Whether memory.stat of the pods is read for their working sets. */
  readonly workingSets: boolean;
}

/** Reads kubepods in one pass. */
export function readCgroupSnapshot(tree: FileTree, request: SnapshotRequest): CgroupSnapshot {
  throw new Error(`not written yet: ${tree.nameOf(request.layout.kubepods)}`);
}
