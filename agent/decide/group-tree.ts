import type { ClusterSnapshot, CompositePodGroup, PodGroup } from '../model/cluster.ts';
import type { Pod } from '../model/pod.ts';
import { priorityOf } from './priority.ts';

/** A group of either kind. */
export type AnyGroup = PodGroup | CompositePodGroup;

/** Deeper hierarchies are not built (KEP-6012), and a walk up must end. */
export const MOST_LEVELS = 4;

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
   * missing ends the walk, and so does one that was there before.
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
