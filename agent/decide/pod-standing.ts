import { type Warning, warning } from '../../cgroup/warning.ts';
import type { Pod, PodStanding } from '../model/pod.ts';
import { firstOf } from './first-of.ts';
import { type BrokenHierarchy, effectivePriority, type GroupTree, MOST_LEVELS } from './group-tree.ts';
import { byText } from './ordered-by.ts';
import { podName } from './pod-name.ts';
import { priorityOf } from './priority.ts';
import type { Compatibility } from './resources.ts';

/** Whether a pod in a group counts with the priority of its group. */
export interface GroupRules {
  readonly groups: 'ignore' | 'count';
  /** The kubelet knows no groups. */
  readonly compat: Compatibility;
}

/** The pod with what its groups make of it, as far as they are known; a pod in none of them is the same object. */
export function withStanding(pod: Pod, tree: GroupTree): Pod {
  const groups = tree.groupsOf(pod);
  const own = groups[0];
  const root = groups.at(-1);
  if (own === undefined || root === undefined) return pod;
  const broken = tree.brokenAbove(own);
  const standing = { name: podName(own), root: podName(root), priority: effectivePriority(pod, groups) };
  return { ...pod, group: broken === undefined ? standing : { ...standing, broken } };
}

/** The pod's place among groups, where that counts. */
export function standingThatCounts(
  { group }: Pick<Pod, 'group'>,
  { groups, compat }: GroupRules,
): PodStanding | undefined {
  return groups === 'count' && compat === 'nodeqos' ? group : undefined;
}

/** The priority that a ranking goes by. */
export function rankingPriority(pod: Pod, rules: GroupRules): number {
  return standingThatCounts(pod, rules)?.priority ?? priorityOf(pod);
}

/** What a person should know of the groups of pods, where groups count. */
export function standingWarnings(pods: readonly Pod[], rules: GroupRules): readonly Warning[] {
  if (rules.groups === 'ignore' || rules.compat === 'kubelet') return [];
  return [...missingGroups(pods), ...brokenGroups(pods)];
}

/** One warning for the pods in groups that the input does not hold: each counts with its own priority. */
function missingGroups(pods: readonly Pod[]): readonly Warning[] {
  const missing = pods.filter(({ podGroupName, group }) => podGroupName !== undefined && group === undefined);
  if (missing.length === 0) return [];
  const names = missing.map(({ namespace, podGroupName }) => `${namespace}/${podGroupName}`);
  const who = missing.length === 1 ? '1 pod is' : `${missing.length} pods are`;
  const message = `${who} in groups that are not among the objects beside the pods (${fewNames(names)}), so that their own priority counts; add the PodGroup objects`;
  return [warning('group-not-known', message)];
}

function brokenGroups(pods: readonly Pod[]): readonly Warning[] {
  const groups = pods.flatMap(({ group }) => (group === undefined ? [] : [group]));
  return brokenHierarchies(
    groups.map(({ name, root, priority, broken }) => ({ name, root, priority, broken })),
  );
}

/** A group with where the walk up from it ends. */
export interface EndOfWalk {
  readonly name: string;
  readonly root: string;
  readonly priority: number;
  readonly broken: BrokenHierarchy | undefined;
}

/** One warning for each group above which no root is found, each once and by name: which priority counts instead. */
export function brokenHierarchies(groups: readonly EndOfWalk[]): readonly Warning[] {
  const broken = new Map(groups.filter((one) => one.broken !== undefined).map((one) => [one.name, one]));
  return [...broken.values()]
    .toSorted(byText(({ name }) => name))
    .map(({ name, root, priority, broken: how }) => {
      const what =
        how === 'circle'
          ? 'go round in a circle'
          : `go up more than the ${MOST_LEVELS} levels that there may be`;
      const message = `the groups above PodGroup ${name} ${what}, so the walk up ends at ${root}, whose priority ${priority} counts; correct parentCompositePodGroupName`;
      return warning('group-hierarchy-broken', message);
    });
}

/** The first names of some, each once and in order. */
export function fewNames(names: readonly string[]): string {
  return firstOf([...new Set(names)].toSorted());
}
