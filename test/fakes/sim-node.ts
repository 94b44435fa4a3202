import { qosClassInForce } from '../../agent/decide/qos-class.ts';
import type { Pod, PodUsage } from '../../agent/model/pod.ts';
import type { PodPlace } from '../../agent/ports.ts';
import type { MemoryFile } from '../../cgroup/memory-files.ts';
import { cgroupLayout } from '../../cgroup/paths.ts';
import type { Signal } from '../../config/signal.ts';
import { GI } from './ranking.ts';

/** How a pod takes being told to go: at once, late, only when killed, or not even then. */
export type Temper = 'obedient' | 'slow' | 'stubborn' | 'undying';

/** What a pod takes of the node. */
export interface Taken {
  memoryBytes: bigint;
  storageBytes: bigint;
  processes: bigint;
}

/** The limit files of one cgroup, byte for byte. */
export interface LimitGroup {
  readonly inode: bigint;
  readonly files: Record<MemoryFile, string>;
}

function newLimits(inode: bigint): LimitGroup {
  return { inode, files: { 'memory.min': '0\n', 'memory.low': '0\n', 'memory.high': 'max\n' } };
}

/** A pod's cgroup and what runs in it. One that is made again under its name is another object with another inode. */
export class SimCgroup {
  readonly cgroup: string;
  readonly inode: bigint;
  readonly pod: Pod;
  readonly temper: Temper;
  readonly taken: Taken;
  /** Without them its usage cannot be read. */
  isMeasured: boolean;
  isMemoryMeasured = true;
  containerRuns = true;
  sandboxRuns = true;
  isFrozen = false;
  isRemoved = false;
  readonly limits: LimitGroup;
  readonly containerLimits: LimitGroup;

  constructor(
    pod: Pod,
    place: PodPlace,
    parts: { readonly temper: Temper; readonly taken: Taken; readonly isMeasured: boolean },
  ) {
    this.pod = pod;
    this.cgroup = place.cgroup;
    this.inode = place.inode;
    this.temper = parts.temper;
    this.taken = parts.taken;
    this.isMeasured = parts.isMeasured;
    this.limits = newLimits(place.inode);
    this.containerLimits = newLimits(place.inode * 1000n + 1n);
  }

  get isPopulated(): boolean {
    return this.containerRuns || this.sandboxRuns;
  }

  get container(): string {
    const [container] = this.pod.containers;
    return `${this.cgroup}/${container?.containerId?.id ?? container?.name ?? 'main'}`;
  }

  /** Its container, or all of it, comes to an end and gives back what it took. */
  end(what: 'container' | 'whole'): void {
    this.containerRuns = false;
    if (what === 'whole') this.sandboxRuns = false;
    this.taken.memoryBytes = 0n;
    this.taken.processes = this.sandboxRuns ? 1n : 0n;
  }

  get usage(): PodUsage {
    const { memoryBytes, storageBytes, processes } = this.taken;
    return {
      ...(this.isMemoryMeasured ? { memoryWorkingSetBytes: memoryBytes } : {}),
      processCount: processes,
      ephemeralStorageBytes: storageBytes,
    };
  }
}

/** The signals that the simulated node has. */
export const SIM_SIGNALS = [
  'allocatableMemory.available',
  'memory.available',
  'nodefs.available',
  'pid.available',
] as const satisfies readonly Signal[];

export type SimSignal = (typeof SIM_SIGNALS)[number];

export const CAPACITY: Readonly<Record<SimSignal, bigint>> = {
  'allocatableMemory.available': 3n * GI,
  'memory.available': 4n * GI,
  'nodefs.available': 64n * GI,
  'pid.available': 32_768n,
};

/** A node as it is, whoever looks: cgroups with pods in them, and what everything else takes. */
export class SimNode {
  readonly layout = cgroupLayout('cgroupfs', '/');
  readonly cgroups: SimCgroup[] = [];
  /** What is taken by none of the pods; what is available comes out as wished for by turning it. */
  readonly others: Record<SimSignal, bigint> = {
    'allocatableMemory.available': 0n,
    'memory.available': 0n,
    'nodefs.available': 0n,
    'pid.available': 0n,
  };
  /** How long the node's memory stays taken after those who had it have ended. */
  sumsLagMs = 0;
  #inode = 100n;
  readonly #limits = new Map<string, LimitGroup>();

  constructor() {
    const { kubepods, burstable, besteffort } = this.layout;
    for (const [index, cgroup] of [kubepods, burstable, besteffort].entries()) {
      this.#limits.set(cgroup, newLimits(BigInt(index + 1)));
    }
  }

  /** The limits of the cgroup of that name: of all pods, of a tier, of a pod or of its container. */
  limitsOf(cgroup: string): LimitGroup | undefined {
    return this.#limits.get(cgroup);
  }

  /** The cgroups right below one. */
  childrenOf(cgroup: string): readonly string[] {
    return [...this.#limits.keys()].filter((name) => parentOf(name) === cgroup);
  }

  get limitGroups(): ReadonlyMap<string, LimitGroup> {
    return this.#limits;
  }

  cgroupOf(pod: Pod): string | undefined {
    return pod.cgroupUid === undefined
      ? undefined
      : this.layout.podCgroup(qosClassInForce(pod), pod.cgroupUid);
  }

  /** What has that name now. */
  at(cgroup: string | undefined): SimCgroup | undefined {
    return cgroup === undefined ? undefined : this.cgroups.find((one) => one.cgroup === cgroup);
  }

  of(pod: Pod): SimCgroup | undefined {
    return this.at(this.cgroupOf(pod));
  }

  /** Makes a pod's cgroup, anew where it has one. */
  make(pod: Pod, parts: ConstructorParameters<typeof SimCgroup>[2]): void {
    const cgroup = this.cgroupOf(pod);
    if (cgroup === undefined) return;
    this.remove(cgroup);
    this.#inode += 1n;
    const made = new SimCgroup(pod, { cgroup, inode: this.#inode }, parts);
    this.cgroups.push(made);
    this.#limits.set(cgroup, made.limits);
    this.#limits.set(made.container, made.containerLimits);
  }

  remove(cgroup: string): void {
    const index = this.cgroups.findIndex((one) => one.cgroup === cgroup);
    const [removed] = index < 0 ? [] : this.cgroups.splice(index, 1);
    if (removed === undefined) return;
    removed.end('whole');
    removed.taken.storageBytes = 0n;
    removed.isRemoved = true;
    this.#limits.delete(removed.cgroup);
    this.#limits.delete(removed.container);
  }

  available(signal: SimSignal): bigint {
    return CAPACITY[signal] - this.others[signal] - this.#takenByPods(signal);
  }

  /** Turns what others take, so that so much is left. */
  leave(signal: SimSignal, available: bigint): void {
    this.others[signal] = CAPACITY[signal] - this.#takenByPods(signal) - available;
  }

  /** So many bytes of memory more are taken by none of the pods. */
  shift(bytes: bigint): void {
    this.others['memory.available'] += bytes;
    this.others['allocatableMemory.available'] += bytes;
  }

  #takenByPods(signal: SimSignal): bigint {
    let sum = 0n;
    for (const { taken } of this.cgroups) {
      if (signal === 'pid.available') sum += taken.processes;
      else sum += signal === 'nodefs.available' ? taken.storageBytes : taken.memoryBytes;
    }
    return sum;
  }
}

/** The cgroup that one lies in. */
export function parentOf(cgroup: string): string {
  return cgroup.slice(0, Math.max(0, cgroup.lastIndexOf('/')));
}
