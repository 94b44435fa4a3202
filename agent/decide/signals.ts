import type { Limit } from '../../cgroup/memory-files.ts';
import type { NodeFilesystems, Readings } from '../model/node.ts';

/** Raw numbers of one look at a node; what is absent could not be read or is not there. */
export interface NodeCounters {
  readonly memTotalBytes?: bigint;
  /** memory.stat of the cgroup2 root. */
  readonly root?: {
    readonly anonBytes?: bigint;
    readonly fileBytes?: bigint;
    readonly inactiveFileBytes?: bigint;
  };
  /** The cgroup that holds all pods. */
  readonly kubepods?: {
    readonly max?: Limit;
    readonly currentBytes?: bigint;
    readonly inactiveFileBytes?: bigint;
  };
  readonly pidMax?: bigint;
  readonly threadsMax?: bigint;
  /** Tasks, threads included: the number behind the slash of /proc/loadavg. */
  readonly tasks?: bigint;
  readonly filesystems?: NodeFilesystems;
}

/** Turns counters into readings; a signal whose numbers are not all known is absent. */
export function signalReadings(_counters: NodeCounters): Readings {
  throw new Error('not yet');
}

/** usage - inactive_file, not below 0 (kubelet: container_memory_working_set_bytes). */
export function workingSetBytes(_usageBytes: bigint, _inactiveFileBytes: bigint): bigint {
  throw new Error('not yet');
}
