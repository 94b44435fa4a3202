import type { ClusterSnapshot, CompositePodGroup, PodGroup } from '../model/cluster.ts';
import type { Pod } from '../model/pod.ts';
import { priorityOf } from './priority.ts';

/** A group of either kind. */
export type AnyGroup = PodGroup | CompositePodGroup;

/** Deeper hierarchies are not built (KEP-6012), and a walk up must end. */
export const MOST_LEVELS = 4;

/** Why a walk up from a group ends before the root: its parents go round, or there are more levels than there may be. */
export type BrokenHierarchy = 'circle' | 'too-deep';

/** A circle of more groups than that is called too deep, which it is as well. */
const LONGEST_CIRCLE = 64;

/** The groups of a snapshot, found by what pods and groups name. */
export class GroupTree {
  readonly #podGroups: ReadonlyMap<string, PodGroup>;
  readonly #compositePodGroups: ReadonlyMap<string, CompositePodGroup>;

  constructor({ podGroups, compositePodGroups }: Pick<ClusterSnapshot, 'podGroups' | 'compositePodGroups'>) {
    this.#podGroups = byName(podGroups);
    this.#compositePodGroups = byName(compositePodGroups);
  }

  /**
   * The groups that a pod is in, its own first, the root last, as far as the snapshot holds them: a group or parent that is
   * missing ends the walk, and so does one that was there before or is beyond the levels that there may be.
   */
  groupsOf({ namespace, podGroupName }: Pick<Pod, 'namespace' | 'podGroupName'>): readonly AnyGroup[] {
    if (podGroupName === undefined) return [];
    const leaf = this.#podGroups.get(key(namespace, podGroupName));
    return leaf === undefined ? [] : this.withAncestors(leaf);
  }

  /** A group, its parent, and so on to the root. */
  withAncestors(leaf: AnyGroup): readonly AnyGroup[] {
    const groups: AnyGroup[] = [];
    for (
      let group: AnyGroup | undefined = leaf;
      group !== undefined && groups.length < MOST_LEVELS && !groups.includes(group);
      group = this.parentOf(group)
    ) {
      groups.push(group);
    }
    return groups;
  }

  /** What is wrong with the hierarchy above a group; undefined where the walk up ends at a root. */
  brokenAbove(group: AnyGroup): BrokenHierarchy | undefined {
    const seen = new Set<AnyGroup>();
    let above: AnyGroup | undefined = group;
    while (above !== undefined && !seen.has(above) && seen.size < LONGEST_CIRCLE) {
      seen.add(above);
      above = this.parentOf(above);
    }
    if (above !== undefined && seen.has(above)) return 'circle';
    return seen.size > MOST_LEVELS ? 'too-deep' : undefined;
  }

  /** The group above, where the snapshot holds it. */
  parentOf({ namespace, parent }: AnyGroup): CompositePodGroup | undefined {
    return parent === undefined ? undefined : this.#compositePodGroups.get(key(namespace, parent));
  }
}

/**
 * The priority that counts for a pod: that of the root of its groups, a root without one being of 0; its own where it is
 * in no group that is there (scheduler 1.37; KEP-5710 speaks of the smallest group, the code goes by the root).
 */
export function effectivePriority(pod: Pick<Pod, 'priority'>, groups: readonly AnyGroup[]): number {
  const root = groups.at(-1);
  return root === undefined ? priorityOf(pod) : (root.priority ?? 0);
}

function byName<T extends AnyGroup>(groups: readonly T[]): ReadonlyMap<string, T> {
  return new Map(groups.map((group) => [key(group.namespace, group.name), group]));
}

function key(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
