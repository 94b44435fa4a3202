import { podName } from '../../decide/pod-name.ts';
import type { SchedulingPod } from '../../model/cluster.ts';
import type { Load, Loads } from '../fit/load.ts';
import { nodeFit } from '../fit/node-fit.ts';
import type { NodeRoom } from '../fit/node-room.ts';
import type { OccupiedNode } from '../fit/occupied-nodes.ts';
import type { PreemptionUnit } from '../preempt/units.ts';
import { Likeness } from './likeness.ts';

/** A node that says what it has, with what of it is left. */
export interface Site {
  /** Its place among the sites, which are in name order of nodes. */
  readonly index: number;
  readonly occupied: OccupiedNode;
  readonly room: NodeRoom;
}

/** A member with the node that it gets. */
export interface PlacedMember {
  readonly pod: SchedulingPod;
  readonly load: Load;
  readonly site: Site;
}

/** Nodes by pods' namespace/name: where each member goes, if a person says so. */
export type GivenPlacement = ReadonlyMap<string, string>;

/** What pods of one unit hold on a site. */
interface Share {
  readonly site: Site;
  readonly load: Load;
}

/**
 * The nodes of a cluster while members of a group are placed and other pods are taken away and given back. Every change is
 * made to the rooms of the sites.
 */
export class Places {
  /** By name of the node. */
  readonly #sites: readonly Site[];
  readonly #loads: Loads;
  readonly #given: GivenPlacement | undefined;
  readonly #byNode: ReadonlyMap<string, Site>;
  readonly #likeness: Likeness;
  /** How many sites are of no use for members that are alike, since room was last made: a thousand of them look once. */
  readonly #passed = new Map<string, number>();
  /** What `admits` said of sites, by likeness. */
  readonly #admitted = new Map<string, boolean[]>();

  constructor(sites: readonly Omit<Site, 'index'>[], loads: Loads, given: GivenPlacement | undefined) {
    this.#sites = sites.map((site, index) => ({ ...site, index }));
    this.#loads = loads;
    this.#given = given;
    this.#byNode = new Map(this.#sites.map((site) => [site.occupied.node.name, site]));
    this.#likeness = new Likeness(loads);
  }

  get size(): number {
    return this.#sites.length;
  }

  siteAt(index: number): Site | undefined {
    return this.#sites[index];
  }

  loadOf(pod: SchedulingPod): Load {
    return this.#loads.of(pod);
  }

  /** A text that pods have in common exactly where they are the same to every node. */
  likenessOf(pod: SchedulingPod): string {
    return this.#likeness.of(pod);
  }

  /** Whether a node could have a pod if it were empty: what about the node itself keeps it away never changes. */
  admits(pod: SchedulingPod, site: Site): boolean {
    const like = this.#likeness.of(pod);
    const known = this.#admitted.get(like) ?? [];
    this.#admitted.set(like, known);
    const load = this.#loads.of(pod);
    return (known[site.index] ??=
      nodeFit({ pod, load }, site.occupied.node, site.room).kind !== 'unresolvable');
  }

  /** Takes room for a member on the first node that it fits on, or on the given one; undefined where there is none. */
  take(pod: SchedulingPod): PlacedMember | undefined {
    const load = this.#loads.of(pod);
    const site = this.#given === undefined ? this.#firstFor(pod, load) : this.#givenFor(pod, load);
    if (site === undefined) return undefined;
    site.room.add(load);
    return { pod, load, site };
  }

  /** Gives the room of members back. */
  free(members: readonly PlacedMember[]): void {
    this.#passed.clear();
    for (const { site, load } of members) site.room.remove(load);
  }

  /** Makes the room free that a unit holds. */
  takeAway(unit: PreemptionUnit): void {
    this.#passed.clear();
    for (const { site, load } of this.#sharesOf(unit)) site.room.remove(load);
  }

  /** Gives a unit back, and tells on which sites it holds something. */
  giveBack(unit: PreemptionUnit): ReadonlySet<Site> {
    const shares = this.#sharesOf(unit);
    for (const { site, load } of shares) site.room.add(load);
    return new Set(shares.map(({ site }) => site));
  }

  #sharesOf(unit: PreemptionUnit): readonly Share[] {
    return unit.pods.flatMap((pod) => {
      const site = this.#byNode.get(pod.nodeName ?? '');
      return site === undefined ? [] : [{ site, load: this.#loads.of(pod) }];
    });
  }

  #firstFor(pod: SchedulingPod, load: Load): Site | undefined {
    const like = this.#likeness.of(pod);
    for (let at = this.#passed.get(like) ?? 0; at < this.#sites.length; at += 1) {
      const site = this.#sites[at];
      if (site === undefined || !this.#fitsOn(site, pod, load)) continue;
      this.#passed.set(like, at);
      return site;
    }
    this.#passed.set(like, this.#sites.length);
    return undefined;
  }

  #givenFor(pod: SchedulingPod, load: Load): Site | undefined {
    const site = this.#byNode.get(this.#given?.get(podName(pod)) ?? '');
    return site !== undefined && this.#fitsOn(site, pod, load) ? site : undefined;
  }

  #fitsOn(site: Site, pod: SchedulingPod, load: Load): boolean {
    return site.room.fits(load) && this.admits(pod, site);
  }
}

/** Whether all these members still fit on their nodes, one after the other; nothing is taken. */
export function stillFit(members: readonly PlacedMember[]): boolean {
  const added: PlacedMember[] = [];
  for (const member of members) {
    if (!member.site.room.fits(member.load)) break;
    member.site.room.add(member.load);
    added.push(member);
  }
  for (const { site, load } of added) site.room.remove(load);
  return added.length === members.length;
}
