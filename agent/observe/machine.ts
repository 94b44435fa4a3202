import type { NodeRoot } from './root.ts';

/** What a plan needs of the machine. A field that is absent could not be found out. */
export interface Machine {
  /** MemTotal of /proc/meminfo in bytes: what the kubelet reports as the node's capacity. */
  readonly memoryCapacityBytes?: bigint;
  /** MemAvailable of /proc/meminfo in bytes. */
  readonly memAvailableBytes?: bigint;
  /** Memory set aside for huge pages of the default size, in bytes. */
  readonly hugepagesBytes?: bigint;
  readonly pageSizeBytes: number;
  readonly kernelRelease?: string;
  /** Whether the cgroup2 mount in use has the option memory_recursiveprot. */
  readonly memoryRecursiveProt?: boolean;
  readonly bootId?: string;
}

/** Looks at a root's machine. Throws nothing. */
export function observeMachine(root: NodeRoot): Machine {
  throw new Error(`not there yet: ${root.name}`);
}
