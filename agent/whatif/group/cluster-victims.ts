import type { Budgets } from '../preempt/budgets.ts';
import { BY_IMPORTANCE } from '../preempt/importance.ts';
import type { NodeVictims } from '../preempt/node-victims.ts';
import type { PreemptionUnit } from '../preempt/units.ts';
import { attemptGroup } from './attempt.ts';
import type { GroupBranch } from './group-hierarchy.ts';
import type { PlacedMember, Places } from './places.ts';
import { fixedSeating, movingSeating } from './seating.ts';

/** A cluster as the search for the victims of a group needs it. */
export interface ClusterSearch {
  readonly root: GroupBranch;
  /** What the nodes have left; it is changed while victims are looked for. */
  readonly places: Places;
  /** All units of lower effective priority. */
  readonly lower: readonly PreemptionUnit[];
  /** How many members find a place as things are: more of them must, for others to go. */
  readonly placedWithout: number;
  /** Whether members may be placed anew while units are given back, as 1.36 does; from 1.37 on the placement is fixed. */
  readonly mayMove: boolean;
}

/** Who would have to leave the cluster, and where the members go then. */
export interface ClusterVictims extends NodeVictims {
  readonly placed: readonly PlacedMember[];
}

/**
 * The victims of a group (scheduler: pod group preemption, the cluster being one domain): all lower units are taken away and
 * the group is placed; then units are given back one by one, most important first and those ahead whose end would break a
 * budget, and each one stays with which all that were placed still fit where they are. Undefined where no more members find a
 * place even without all of them; the rooms are then left without these units.
 */
export function victimsInCluster(search: ClusterSearch, budgets: Budgets): ClusterVictims | undefined {
  const { root, places, lower } = search;
  for (const unit of lower) places.takeAway(unit);
  const { placed: first } = attemptGroup(root, places);
  places.free(first);
  if (first.length <= search.placedWithout) return undefined;
  const seating = search.mayMove ? movingSeating(root, places, first) : fixedSeating(first);
  const split = budgets.split(lower.toSorted(BY_IMPORTANCE));
  const victims: PreemptionUnit[] = [];
  const spared: PreemptionUnit[] = [];
  for (const unit of [...split.violating, ...split.others]) {
    if (seating.findsRoomBeside(places.giveBack(unit))) {
      spared.push(unit);
    } else {
      places.takeAway(unit);
      victims.push(unit);
    }
  }
  const { violatingPods } = split;
  return { victims: victims.toSorted(BY_IMPORTANCE), spared, violatingPods, placed: seating.placed() };
}
