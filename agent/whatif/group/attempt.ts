import { type GroupBranch, minimumOf } from './group-hierarchy.ts';
import { type GroupVerdict, groupVerdict } from './group-verdict.ts';
import type { PlacedMember, Places } from './places.ts';

/** What came of one cycle for a group. */
export interface Attempt {
  readonly verdict: GroupVerdict;
  /** In the order in which they were placed, their room taken; none where the group failed. */
  readonly placed: readonly PlacedMember[];
}

/**
 * Places what is pending of a group, each pod for itself: all that fit get a place, also beyond the minimum. Members that run
 * count towards it. A group that does not get enough gives back what it took, so that a sibling may have it.
 */
export function attemptGroup(branch: GroupBranch, places: Places): Attempt {
  return branch.group.kind === 'PodGroup' ? attemptPods(branch, places) : attemptChildren(branch, places);
}

/** Of pods all that found no place count as such that preemption might help (scheduler: at the leaves both statuses do). */
function attemptPods(branch: GroupBranch, places: Places): Attempt {
  const placed = branch.pending.flatMap((pod) => places.take(pod) ?? []);
  const verdict = groupVerdict({
    minimum: minimumOf(branch.group),
    scheduled: branch.running.length + placed.length,
    remaining: 0,
    unschedulable: branch.pending.length - placed.length,
  });
  return kept(verdict, placed, places);
}

function attemptChildren(branch: GroupBranch, places: Places): Attempt {
  const attempts = branch.children.map((child) => attemptGroup(child, places));
  const count = (wanted: GroupVerdict): number => attempts.filter(({ verdict }) => verdict === wanted).length;
  const verdict = groupVerdict({
    minimum: minimumOf(branch.group),
    scheduled: count('success'),
    remaining: 0,
    unschedulable: count('unschedulable'),
  });
  return kept(
    verdict,
    attempts.flatMap(({ placed }) => placed),
    places,
  );
}

function kept(verdict: GroupVerdict, placed: readonly PlacedMember[], places: Places): Attempt {
  if (verdict === 'success') return { verdict, placed };
  places.free(placed);
  return { verdict, placed: [] };
}
