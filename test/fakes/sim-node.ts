import { qosClassInForce } from '../../agent/decide/qos-class.ts';
import type { Pod, PodUsage } from '../../agent/model/pod.ts';
import type { PodPlace } from '../../agent/ports.ts';
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
  }

  get isPopulated(): boolean {
    return this.containerRuns || this.sandboxRuns;
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
  #inode = 100n;

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
    this.cgroups.push(new SimCgroup(pod, { cgroup, inode: this.#inode }, parts));
  }

  remove(cgroup: string): void {
    const index = this.cgroups.findIndex((one) => one.cgroup === cgroup);
    const [removed] = index < 0 ? [] : this.cgroups.splice(index, 1);
    if (removed === undefined) return;
    removed.end('whole');
    removed.taken.storageBytes = 0n;
    removed.isRemoved = true;
  }

  available(signal: SimSignal): bigint {
    return CAPACITY[signal] - this.others[signal] - this.#takenByPods(signal);
  }

  /** Turns what others take, so that so much is left. */
  leave(signal: SimSignal, available: bigint): void {
    this.others[signal] = CAPACITY[signal] - this.#takenByPods(signal) - available;
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
