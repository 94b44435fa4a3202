import { memoryStatText } from './memory-stat.ts';
import type { MemoryUsage } from './memory-usage.ts';
import { wholePages } from './memory-usage.ts';

/** One cgroup of a fake node. Its counters include those of the cgroups below it, as the kernel's do. */
export interface FakeCgroup {
  /** Relative to the mount. */
  readonly cgroup: string;
  readonly usage: MemoryUsage;
  readonly maxBytes: bigint | null;
  /** A container's own cgroup dies whole in an OOM and may not swap, as the kubelet sets it. */
  readonly isContainer: boolean;
  /** Processes in the cgroup itself; only leaves have any. */
  readonly processIds: readonly number[];
  /** Tasks in it and below. */
  readonly tasks: number;
}

/** The files that hold what an agent writes; a fake node that goes on keeps them. */
export const LIMIT_FILES = ['memory.min', 'memory.low', 'memory.high'] as const;

const CONTROLLERS = 'cpuset cpu io memory hugetlb pids rdma misc\n';
const EVENTS = 'low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n';
const NO_PRESSURE =
  'some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n';

/** The files of a cgroup below the root with their contents, as Linux 6.1 has them right after it was made. */
export function cgroupFiles(cgroup: FakeCgroup): ReadonlyMap<string, string> {
  const { usage, maxBytes, isContainer, processIds, tasks } = cgroup;
  return new Map([
    ['cgroup.controllers', CONTROLLERS],
    ['cgroup.events', `populated ${tasks > 0 ? 1 : 0}\nfrozen 0\n`],
    ['cgroup.freeze', '0\n'],
    ['cgroup.kill', ''],
    ['cgroup.procs', processIds.map((processId) => `${processId}\n`).join('')],
    // A cgroup with processes of its own may not hand controllers down.
    ['cgroup.subtree_control', processIds.length > 0 ? '' : CONTROLLERS],
    ['cgroup.type', 'domain\n'],
    ['memory.current', `${usage.currentBytes}\n`],
    ['memory.events', EVENTS],
    ['memory.events.local', EVENTS],
    ['memory.high', 'max\n'],
    ['memory.low', '0\n'],
    ['memory.max', maxBytes === null ? 'max\n' : `${wholePages(maxBytes)}\n`],
    ['memory.min', '0\n'],
    ['memory.oom.group', isContainer ? '1\n' : '0\n'],
    ['memory.peak', `${usage.currentBytes}\n`],
    ['memory.pressure', NO_PRESSURE],
    ['memory.reclaim', ''],
    ['memory.stat', memoryStatText(usage)],
    ['memory.swap.current', '0\n'],
    ['memory.swap.events', 'high 0\nmax 0\nfail 0\n'],
    ['memory.swap.high', 'max\n'],
    ['memory.swap.max', isContainer ? '0\n' : 'max\n'],
    ['pids.current', `${tasks}\n`],
    ['pids.max', 'max\n'],
  ]);
}

/** The root's files: it has neither limits nor memory.current. */
export function rootCgroupFiles(usage: MemoryUsage): ReadonlyMap<string, string> {
  return new Map([
    ['cgroup.controllers', CONTROLLERS],
    ['cgroup.procs', ''],
    ['cgroup.subtree_control', CONTROLLERS],
    ['memory.pressure', NO_PRESSURE],
    ['memory.reclaim', ''],
    ['memory.stat', memoryStatText(usage)],
  ]);
}
