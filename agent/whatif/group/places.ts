import { podName } from '../../decide/pod-name.ts';
import type { SchedulingPod } from '../../model/cluster.ts';
import type { Load, Loads } from '../fit/load.ts';
import { nodeFit } from '../fit/node-fit.ts';
import type { NodeRoom } from '../fit/node-room.ts';
import type { OccupiedNode } from '../fit/occupied-nodes.ts';
import type { PreemptionUnit } from '../preempt/units.ts';

/** A node that says what it has, with what of it is left. */
export interface Site {
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
  readonly sites: readonly Site[];
  readonly #loads: Loads;
  readonly #given: GivenPlacement | undefined;
  readonly #byNode: ReadonlyMap<string, Site>;

  constructor(sites: readonly Site[], loads: Loads, given: GivenPlacement | undefined) {
    this.sites = sites;
    this.#loads = loads;
    this.#given = given;
    this.#byNode = new Map(sites.map((site) => [site.occupied.node.name, site]));
  }

  /** Takes room for a member on the first node that it fits on, or on the given one; undefined where there is none. */
  take(pod: SchedulingPod): PlacedMember | undefined {
    const load = this.#loads.of(pod);
    const site = this.#sitesFor(pod).find(
      ({ room, occupied }) => room.fits(load) && nodeFit({ pod, load }, occupied.node, room).kind === 'fits',
    );
    if (site === undefined) return undefined;
    site.room.add(load);
    return { pod, load, site };
  }

  /** Gives the room of members back. */
  free(members: readonly PlacedMember[]): void {
    for (const { site, load } of members) site.room.remove(load);
  }

  /** What a unit holds on the nodes of the snapshot. */
  sharesOf(unit: PreemptionUnit): readonly Share[] {
    return unit.pods.flatMap((pod) => {
      const site = this.#byNode.get(pod.nodeName ?? '');
      return site === undefined ? [] : [{ site, load: this.#loads.of(pod) }];
    });
  }

  #sitesFor(pod: SchedulingPod): readonly Site[] {
    if (this.#given === undefined) return this.sites;
    const site = this.#byNode.get(this.#given.get(podName(pod)) ?? '');
    return site === undefined ? [] : [site];
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
