import { workingSetBytes } from '../../cgroup/parse.ts';
import type { Signal } from '../../config/signal.ts';
import type {
  FilesystemFigures,
  FilesystemLayout,
  NodeFilesystems,
  Readings,
  SignalReading,
} from '../model/node.ts';

/** memory.stat of the cgroup2 root, as far as the node's usage needs it. */
interface RootMemory {
  readonly anonBytes?: bigint | undefined;
  readonly fileBytes?: bigint | undefined;
  readonly inactiveFileBytes?: bigint | undefined;
}

/** The cgroup that holds all pods. */
export interface KubepodsMemory {
  readonly max?: bigint | 'max' | undefined;
  readonly currentBytes?: bigint | undefined;
  readonly inactiveFileBytes?: bigint | undefined;
}

/** Raw numbers of one look at a node; what is absent could not be read or is not there. */
export interface NodeCounters {
  /** MemTotal of /proc/meminfo. */
  readonly memTotalBytes?: bigint | undefined;
  readonly root?: RootMemory | undefined;
  readonly kubepods?: KubepodsMemory | undefined;
  readonly pidMax?: bigint | undefined;
  readonly threadsMax?: bigint | undefined;
  /** Tasks, threads included: the number behind the slash of /proc/loadavg. */
  readonly tasks?: bigint | undefined;
  readonly filesystems?: NodeFilesystems | undefined;
}

/** The kubelet takes a memory limit above this for none (summary: 2^62, strictly above). */
const UNLIMITED_ABOVE = 1n << 62n;

/**
 * Turns counters into readings. A signal whose numbers are not all known is absent: it is neither met nor cleared. Sources
 * of the formulas: kubelet summary (cgroup v2) and eviction helpers; available may be negative.
 */
export function signalReadings(counters: NodeCounters): Readings {
  const readings = new Map<Signal, SignalReading>();
  const add = (signal: Signal, reading: SignalReading | undefined): void => {
    if (reading !== undefined) readings.set(signal, reading);
  };
  add('memory.available', nodeMemory(counters.memTotalBytes, counters.root));
  add('allocatableMemory.available', podsMemory(counters.kubepods));
  add('pid.available', processIds(counters));
  for (const name of ['nodefs', 'imagefs', 'containerfs'] as const) {
    const figures = counters.filesystems?.get(name);
    add(`${name}.available`, figures === undefined ? undefined : bytesOf(name, figures));
    add(`${name}.inodesFree`, figures === undefined ? undefined : inodesOf(name, figures));
  }
  return readings;
}

/**
 * anon + file in bytes: the usage of the cgroup2 root, which has no memory.current. Slab, kernel stacks and page tables are
 * not in it (runc's libcontainer, fs2).
 */
export function rootUsageBytes(anonBytes: bigint, fileBytes: bigint): bigint {
  return anonBytes + fileBytes;
}

/** Figures of which some may not be known, as a saved summary has them. */
export type PartialFigures = { readonly [K in keyof FilesystemFigures]?: bigint | undefined };

/**
 * How the filesystems lie: writable layers apart from the images are split; images that have neither the node's capacity nor
 * its free bytes are on a filesystem of their own. What is not known is taken for the same one.
 */
export function filesystemLayout(filesystems: ReadonlyMap<string, PartialFigures>): FilesystemLayout {
  const nodefs = filesystems.get('nodefs');
  const imagefs = filesystems.get('imagefs');
  const containerfs = filesystems.get('containerfs');
  if (imagefs === undefined || nodefs === undefined) return 'single';
  if (containerfs !== undefined && !(sameBytes(imagefs, containerfs) && sameInodes(imagefs, containerfs))) {
    return 'split';
  }
  return sameBytes(imagefs, nodefs) ? 'single' : 'dedicated-imagefs';
}

function sameBytes(a: PartialFigures, b: PartialFigures): boolean {
  return a.capacityBytes === b.capacityBytes && a.availableBytes === b.availableBytes;
}

function sameInodes(a: PartialFigures, b: PartialFigures): boolean {
  return a.inodes === b.inodes && a.inodesFree === b.inodesFree;
}

function nodeMemory(capacity: bigint | undefined, root: RootMemory | undefined): SignalReading | undefined {
  const { anonBytes, fileBytes, inactiveFileBytes } = root ?? {};
  if (capacity === undefined || anonBytes === undefined || fileBytes === undefined) return undefined;
  if (inactiveFileBytes === undefined) return undefined;
  const workingSet = workingSetBytes(rootUsageBytes(anonBytes, fileBytes), inactiveFileBytes);
  return {
    available: capacity - workingSet,
    capacity,
    source: 'MemTotal - (anon + file - inactive_file) of the root cgroup',
  };
}

function podsMemory(kubepods: KubepodsMemory | undefined): SignalReading | undefined {
  const { max, currentBytes, inactiveFileBytes } = kubepods ?? {};
  if (typeof max !== 'bigint' || max > UNLIMITED_ABOVE) return undefined;
  if (currentBytes === undefined || inactiveFileBytes === undefined) return undefined;
  return {
    available: max - workingSetBytes(currentBytes, inactiveFileBytes),
    capacity: max,
    source: 'memory.max - (memory.current - inactive_file) of the pods cgroup',
  };
}

function processIds(counters: NodeCounters): SignalReading | undefined {
  const { pidMax, threadsMax, tasks } = counters;
  const capacity = smaller(pidMax, threadsMax);
  if (capacity === undefined || tasks === undefined) return undefined;
  return {
    available: capacity - tasks,
    capacity,
    source: 'min(pid_max, threads-max) - tasks of /proc/loadavg',
  };
}

function smaller(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}

function bytesOf(name: string, figures: FilesystemFigures): SignalReading {
  return {
    available: figures.availableBytes,
    capacity: figures.capacityBytes,
    source: `statfs of ${name}`,
  };
}

function inodesOf(name: string, figures: FilesystemFigures): SignalReading | undefined {
  // A filesystem without a fixed number of inodes (btrfs) says 0 of 0, which is no observation.
  if (figures.inodes === 0n) return undefined;
  return { available: figures.inodesFree, capacity: figures.inodes, source: `statfs of ${name}` };
}
