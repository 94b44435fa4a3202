import fc from 'fast-check';
import type { ClusterSnapshot } from '../../agent/model/cluster.ts';

/** The objects of a snapshot in any order. */
export function shuffled(snapshot: ClusterSnapshot): fc.Arbitrary<ClusterSnapshot> {
  const all = <T>(things: readonly T[]): fc.Arbitrary<readonly T[]> =>
    fc.shuffledSubarray([...things], { minLength: things.length, maxLength: things.length });
  return fc.record({
    nodes: all(snapshot.nodes),
    pods: all(snapshot.pods),
    budgets: all(snapshot.budgets),
    priorityClasses: all(snapshot.priorityClasses),
    podGroups: all(snapshot.podGroups),
    compositePodGroups: all(snapshot.compositePodGroups),
  });
}
