import type { SchedulingPod } from '../../model/cluster.ts';
import type { Load } from '../fit/load.ts';
import type { PlacedMember, Places, Site } from './places.ts';

/** Members that stand next to each other in the order in which they are placed, and are the same to every node. */
interface Run {
  readonly pod: SchedulingPod;
  readonly load: Load;
  readonly size: number;
  /** How many of them each site has, by its index. */
  readonly counts: Map<number, number>;
  placed: number;
  /** The last site that has some, 0 where none has: every site before it has all that it can hold. */
  tail: number;
  /** Sites that have no room for one of them even without members. They never will: what is given back stays. */
  readonly spent: Set<number>;
}

/** What becomes of a run: the counts that change, how many are placed, and its new tail. */
interface Flowed {
  readonly changed: ReadonlyMap<number, number>;
  readonly placed: number;
  readonly tail: number;
}

/**
 * The first-fit placement of members, kept up to date while units are given back: it is what placing all of them anew comes to,
 * without doing so for each of many thousands of units. Of members that are alike every site but the last has as many as it can
 * hold, so that only sites with less or more room than before, and the end of each run, have to be looked at. Members take no
 * room of their sites but while they are counted.
 */
export class Flow {
  readonly #places: Places;
  readonly #runs: readonly Run[];
  #hasMoved = false;

  /** `pending` are all members in the order in which they are placed, `placed` those of them that first fit placed. */
  constructor(pending: readonly SchedulingPod[], placed: readonly PlacedMember[], places: Places) {
    this.#places = places;
    this.#runs = runsOf(pending, placed, places);
  }

  /** Whether members are elsewhere than where they were placed at first. */
  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  /** Whether as many members find a place beside what was given back on these sites; if so, they are moved. */
  findsRoomBeside(touched: ReadonlySet<Site>): boolean {
    const dirty = new Set([...touched].map(({ index }) => index));
    if ([...dirty].every((at) => this.#stillFitsOn(at))) return true;
    const flowed: Flowed[] = [];
    let gained = 0;
    for (const run of this.#runs) {
      const next = this.#flow(run, { dirty, before: flowed, touched });
      flowed.push(next);
      gained += next.placed - run.placed;
      for (const at of next.changed.keys()) dirty.add(at);
    }
    if (gained < 0) return false;
    this.#take(flowed);
    return true;
  }

  #take(flowed: readonly Flowed[]): void {
    this.#hasMoved = true;
    for (const [at, run] of this.#runs.entries()) {
      const next = flowed[at];
      if (next === undefined) continue;
      run.placed = next.placed;
      run.tail = next.tail;
      for (const [site, count] of next.changed) {
        if (count === 0) run.counts.delete(site);
        else run.counts.set(site, count);
      }
    }
  }

  #stillFitsOn(at: number): boolean {
    const room = this.#places.siteAt(at)?.room;
    const held = this.#runs.flatMap(({ load, counts }) => repeated(load, counts.get(at) ?? 0));
    let added = 0;
    for (; added < held.length; added += 1) {
      const load = held[added];
      if (load === undefined || room?.fits(load) === false) break;
      room?.add(load);
    }
    for (const load of held.slice(0, added)) room?.remove(load);
    return added === held.length;
  }

  #flow(run: Run, change: Change): Flowed {
    const changed = new Map<number, number>();
    const { tail } = run;
    let sure = run.placed - (change.dirty.has(tail) ? 0 : (run.counts.get(tail) ?? 0));
    for (const at of change.dirty) {
      const held = run.counts.get(at) ?? 0;
      if (at <= tail) sure -= held;
      if (at >= tail) continue;
      const holds = this.#capacity(run, at, run.size, change);
      if (holds !== held) changed.set(at, holds);
      sure += holds;
    }
    return sure >= run.size
      ? drawnBack(run, changed, sure - run.size)
      : this.#spread(run, changed, run.size - sure, change);
  }

  /** Puts those that are left on the sites from the tail on. */
  #spread(run: Run, changed: Map<number, number>, left: number, change: Change): Flowed {
    let tail = run.tail;
    let rest = left;
    for (let at = run.tail; at < this.#places.size && rest > 0; at += 1) {
      if (run.spent.has(at)) continue;
      const holds = this.#capacity(run, at, rest, change);
      if (holds !== (run.counts.get(at) ?? 0)) changed.set(at, holds);
      if (holds === 0) continue;
      rest -= holds;
      tail = at;
    }
    return { changed, placed: run.size - rest, tail };
  }

  /** How many of a run a site holds beside the runs before it, at most so many. */
  #capacity({ pod, load, spent }: Run, at: number, most: number, { before, touched }: Change): number {
    const site = this.#places.siteAt(at);
    if (site === undefined || spent.has(at)) return 0;
    if (!this.#places.admits(pod, site) || !site.room.fits(load)) {
      // What a unit takes that is only just given back may be free again.
      if (!touched.has(site)) spent.add(at);
      return 0;
    }
    const others = this.#loadsBefore(at, before);
    for (const other of others) site.room.add(other);
    const holds = site.room.holds(load, most);
    for (const other of others) site.room.remove(other);
    return holds;
  }

  #loadsBefore(at: number, before: readonly Flowed[]): readonly Load[] {
    return this.#runs
      .slice(0, before.length)
      .flatMap(({ load, counts }, index) =>
        repeated(load, before[index]?.changed.get(at) ?? counts.get(at) ?? 0),
      );
  }
}

function repeated(load: Load, times: number): readonly Load[] {
  return Array.from({ length: times }, () => load);
}

/** What is different from the placement that a run has. */
interface Change {
  /** Sites of which the room, or what runs before take of it, is another one. */
  readonly dirty: ReadonlySet<number>;
  readonly before: readonly Flowed[];
  readonly touched: ReadonlySet<Site>;
}

/** Takes those back that are too many on the sites before the tail, from its end on; the tail itself has none left. */
function drawnBack(run: Run, changed: Map<number, number>, tooMany: number): Flowed {
  changed.set(run.tail, 0);
  let excess = tooMany;
  let at = run.tail - 1;
  for (; at > 0; at -= 1) {
    const held = changed.get(at) ?? run.counts.get(at) ?? 0;
    if (held > excess) break;
    if (held === 0) continue;
    changed.set(at, 0);
    excess -= held;
  }
  changed.set(at, (changed.get(at) ?? run.counts.get(at) ?? 0) - excess);
  return { changed, placed: run.size, tail: at };
}

function runsOf(
  pending: readonly SchedulingPod[],
  placed: readonly PlacedMember[],
  places: Places,
): readonly Run[] {
  const siteOf = new Map(placed.map(({ pod, site }) => [pod, site.index]));
  const runs: (Run & { size: number; like: string })[] = [];
  for (const pod of pending) {
    const like = places.likenessOf(pod);
    let run = runs.at(-1);
    if (run?.like !== like) {
      run = {
        like,
        pod,
        load: places.loadOf(pod),
        size: 0,
        counts: new Map(),
        placed: 0,
        tail: 0,
        spent: new Set(),
      };
      runs.push(run);
    }
    const at = siteOf.get(pod);
    run.size += 1;
    if (at === undefined) continue;
    run.placed += 1;
    run.tail = Math.max(run.tail, at);
    run.counts.set(at, (run.counts.get(at) ?? 0) + 1);
  }
  return runs;
}
