import { type Warning, warning } from '../../cgroup/warning.ts';
import type { Pod, PodStanding } from '../model/pod.ts';
import { effectivePriority, type GroupTree } from './group-tree.ts';
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
  const group = { name: podName(own), root: podName(root), priority: effectivePriority(pod, groups) };
  return { ...pod, group };
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

/** One warning for the pods in groups that the input does not hold: each counts with its own priority. */
export function missingGroups(pods: readonly Pod[], rules: GroupRules): readonly Warning[] {
  const missing = pods.filter(({ podGroupName, group }) => podGroupName !== undefined && group === undefined);
  if (rules.groups === 'ignore' || rules.compat === 'kubelet' || missing.length === 0) return [];
  const names = [...new Set(missing.map(({ namespace, podGroupName }) => `${namespace}/${podGroupName}`))];
  const shown = names.toSorted().slice(0, 5).join(', ');
  const more = names.length > 5 ? ` and ${names.length - 5} more` : '';
  const who = missing.length === 1 ? '1 pod is' : `${missing.length} pods are`;
  const message = `${who} in groups that are not among the objects beside the pods (${shown}${more}), so that their own priority counts; add the PodGroup objects`;
  return [warning('group-not-known', message)];
}
