import type { FileTree } from '../../cgroup/file-tree.ts';
import type { Pressure } from '../model/node.ts';

/** What /proc tells; a number that could not be read is absent. */
export interface ProcNumbers {
  readonly memTotalBytes?: bigint;
  readonly memAvailableBytes?: bigint;
  readonly pidMax?: bigint;
  readonly threadsMax?: bigint;
  readonly tasks?: bigint;
  /** /proc/pressure/memory; absent where the kernel has none or it is off. */
  readonly memoryPressure?: Pressure;
}

/** Reads /proc below a node's root. */
export function readProc(_files: FileTree): ProcNumbers {
  throw new Error('not yet');
}
