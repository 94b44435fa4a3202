import { attemptGroup } from './attempt.ts';
import { Flow } from './flow.ts';
import { type GroupBranch, pendingOf } from './group-hierarchy.ts';
import { type PlacedMember, type Places, type Site, stillFit } from './places.ts';

/** Where the members of a group are while units are given back one by one. */
export interface Seating {
  /** Whether the members that were placed have a place beside what was given back on these sites. */
  readonly findsRoomBeside: (touched: ReadonlySet<Site>) => boolean;
  /** Where they are now, in the order in which they are placed. */
  readonly placed: () => readonly PlacedMember[];
}

/** The members stay where they were placed at first. */
export function fixedSeating(placed: readonly PlacedMember[]): Seating {
  const bySite = new Map<Site, PlacedMember[]>();
  for (const member of placed) {
    const others = bySite.get(member.site);
    if (others === undefined) bySite.set(member.site, [member]);
    else others.push(member);
  }
  return {
    findsRoomBeside: (touched) => [...touched].every((site) => stillFit(bySite.get(site) ?? [])),
    placed: () => placed,
  };
}

/**
 * The members are placed anew beside each unit, at least as many as before. Where some of a composite group find no place, all
 * are tried for each unit, since a child group that gets too few gives back what it took.
 */
export function movingSeating(root: GroupBranch, places: Places, placed: readonly PlacedMember[]): Seating {
  const pending = pendingOf(root);
  if (root.group.kind === 'CompositePodGroup' && placed.length < pending.length) {
    return triedSeating(root, places, placed);
  }
  const flow = new Flow(pending, placed, places);
  return {
    findsRoomBeside: (touched) => flow.findsRoomBeside(touched),
    placed: () => (flow.hasMoved ? placedAnew(root, places) : placed),
  };
}

/** The same for any group, without remembering anything: the rule itself. */
export function triedSeating(
  root: GroupBranch,
  places: Places,
  placedAtFirst: readonly PlacedMember[],
): Seating {
  let placed = placedAtFirst;
  return {
    findsRoomBeside: (touched) => {
      // First fit finds the placement that it found before wherever that still holds, for no node has more room than then.
      if (stillFit(placed.filter(({ site }) => touched.has(site)))) return true;
      const anew = placedAnew(root, places);
      if (anew.length < placed.length) return false;
      placed = anew;
      return true;
    },
    placed: () => placed,
  };
}

function placedAnew(root: GroupBranch, places: Places): readonly PlacedMember[] {
  const { placed } = attemptGroup(root, places);
  places.free(placed);
  return placed;
}
