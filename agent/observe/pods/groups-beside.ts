import { resolvedGroup } from '../../decide/group-priority.ts';
import { GroupTree } from '../../decide/group-tree.ts';
import type { Resolved } from '../../decide/priority.ts';
import type { CompositePodGroup, PodGroup, PriorityClass } from '../../model/cluster.ts';
import { Fields } from '../fields.ts';
import { readCompositePodGroup, readPodGroup } from '../snapshot/groups.ts';
import type { ManifestObject } from './manifest-objects.ts';

/** The groups that stand beside pods, as they are gathered; of two of one name the last one counts. */
export class GroupsBeside {
  readonly #podGroups: PodGroup[] = [];
  readonly #compositePodGroups: CompositePodGroup[] = [];

  /** Takes a group in; false for any other object, groups of another API too. Throws FieldFault. */
  add({ kind, value, path }: ManifestObject): boolean {
    if (kind !== 'PodGroup' && kind !== 'CompositePodGroup') return false;
    const fields = new Fields(value, path);
    if (fields.text('apiVersion')?.startsWith('scheduling.k8s.io/') === false) return false;
    if (kind === 'PodGroup') this.#podGroups.push(readPodGroup(fields));
    else this.#compositePodGroups.push(readCompositePodGroup(fields));
    return true;
  }

  get isEmpty(): boolean {
    return this.#podGroups.length + this.#compositePodGroups.length === 0;
  }

  /** The groups with their priorities, which admission has left in them, else those of their classes, and what to say of them. */
  tree(classes: readonly PriorityClass[]): Resolved<GroupTree> {
    const podGroups = this.#podGroups.map((group) => resolvedGroup(group, classes));
    const compositePodGroups = this.#compositePodGroups.map((group) => resolvedGroup(group, classes));
    return {
      value: new GroupTree({
        podGroups: podGroups.map(({ value }) => value),
        compositePodGroups: compositePodGroups.map(({ value }) => value),
      }),
      warnings: [...podGroups, ...compositePodGroups].flatMap(({ warnings }) => warnings),
    };
  }
}
