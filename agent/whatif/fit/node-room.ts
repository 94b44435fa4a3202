import type { HostPort, Resources } from '../../model/pod.ts';
import { isPortTaken } from './host-port.ts';
import { amountsOf, type Load, type ResourceNames } from './load.ts';

/** Something that a node has too little of for a load, with amounts as `Load` has them. */
export type Lack =
  | { readonly kind: 'resource'; readonly resource: string; readonly wanted: bigint; readonly free: bigint }
  | { readonly kind: 'pods'; readonly allowed: bigint }
  | { readonly kind: 'port'; readonly port: HostPort };

/**
 * What a node has left of the resources that a question is about (scheduler: NodeResourcesFit, NodePorts). Loads are added
 * and taken away one by one, so that a reprieve costs no more than the pod that it is about.
 */
export class NodeRoom {
  readonly #names: ResourceNames;
  readonly #allocatable: readonly bigint[];
  readonly #free: bigint[];
  /** Absent where the node does not say how many pods it takes: then their number decides nothing. */
  readonly #podsAllowed: bigint | undefined;
  #pods = 0;
  readonly #hostPorts: HostPort[] = [];

  /** The room of an empty node with this status.allocatable. */
  constructor(allocatable: Resources, names: ResourceNames) {
    this.#names = names;
    this.#allocatable = amountsOf(allocatable, names);
    this.#free = [...this.#allocatable];
    this.#podsAllowed = allocatable.has('pods') ? amountsOf(allocatable, ['pods'])[0] : undefined;
  }

  add(load: Load): void {
    this.#change(load, -1n);
    this.#pods += 1;
    this.#hostPorts.push(...load.hostPorts);
  }

  /** Takes away a load that was added. */
  remove(load: Load): void {
    this.#change(load, 1n);
    this.#pods -= 1;
    for (const port of load.hostPorts) this.#hostPorts.splice(this.#hostPorts.indexOf(port), 1);
  }

  fits(load: Load): boolean {
    return (
      this.#hasPlace() &&
      load.amounts.every((wanted, at) => wanted <= 0n || wanted <= (this.#free[at] ?? 0n)) &&
      !load.hostPorts.some((port) => this.#isTaken(port))
    );
  }

  /** How often a load fits at once, at most so many times; nothing is taken. */
  holds(load: Load, most: number): number {
    let times = 0;
    for (; times < most && this.fits(load); times += 1) this.add(load);
    for (let left = times; left > 0; left -= 1) this.remove(load);
    return times;
  }

  /** Everything that is missing for a load, in a fixed order; nothing where it fits. */
  lacks(load: Load): readonly Lack[] {
    const places: readonly Lack[] = this.#hasPlace()
      ? []
      : [{ kind: 'pods', allowed: this.#podsAllowed ?? 0n }];
    const resources = this.#short(load, this.#free);
    const ports = load.hostPorts
      .filter((port) => this.#isTaken(port))
      .map((port): Lack => ({ kind: 'port', port }));
    return [...places, ...resources, ...ports];
  }

  /** What the node could not give even if it were empty. */
  lacksForGood(load: Load): readonly Lack[] {
    return this.#short(load, this.#allocatable);
  }

  #short(load: Load, free: readonly bigint[]): readonly Lack[] {
    return this.#names.flatMap((resource, at): readonly Lack[] => {
      const wanted = load.amounts[at] ?? 0n;
      const left = free[at] ?? 0n;
      return wanted <= 0n || wanted <= left ? [] : [{ kind: 'resource', resource, wanted, free: left }];
    });
  }

  #hasPlace(): boolean {
    return this.#podsAllowed === undefined || BigInt(this.#pods) < this.#podsAllowed;
  }

  #isTaken(port: HostPort): boolean {
    return isPortTaken(port, this.#hostPorts);
  }

  #change(load: Load, sign: bigint): void {
    for (const [at, amount] of load.amounts.entries()) {
      this.#free[at] = (this.#free[at] ?? 0n) + sign * amount;
    }
  }
}
