import { type Warning, warning } from '../../../cgroup/warning.ts';
import { isFinished } from '../../decide/critical.ts';
import { type AnyGroup, effectivePriority, GroupTree } from '../../decide/group-tree.ts';
import { podName } from '../../decide/pod-name.ts';
import { brokenHierarchies, type EndOfWalk, fewNames } from '../../decide/pod-standing.ts';
import type { ClusterSnapshot, PodGroup } from '../../model/cluster.ts';
import { groupCalled } from './preemptor-group.ts';

type Groups = Pick<ClusterSnapshot, 'pods' | 'podGroups' | 'compositePodGroups'>;

/**
 * What is missing or wrong about the groups of pods that may be victims, and what is made of that (of the pod or group that
 * preempts its plan tells itself). Groups that ask for what does not go together are told of, whoever is in them.
 */
export function hierarchyWarnings({ pods, podGroups, compositePodGroups }: Groups): readonly Warning[] {
  const tree = new GroupTree({ podGroups, compositePodGroups });
  const named = namedBy(pods.filter((pod) => pod.nodeName !== undefined && !isFinished(pod)));
  const occupied = podGroups.filter((group) => named.has(podName(group)));
  const known = new Set(occupied.map(podName));
  const roots = new Set(occupied.flatMap((group) => tree.withAncestors(group).at(-1) ?? []));
  const torn = [...podGroups, ...compositePodGroups].filter(
    ({ policy, disruptionMode }) => policy?.kind === 'basic' && disruptionMode === 'all',
  );
  return [
    ...missingGroups([...named].filter((name) => !known.has(name))),
    ...missingParents(
      [...roots].filter((root) => root.parent !== undefined && tree.parentOf(root) === undefined),
    ),
    ...brokenHierarchies(occupied.map((group) => endOfWalk(group, tree))),
    ...torn.map(allWithBasic),
  ];
}

function namedBy(pods: Groups['pods']): ReadonlySet<string> {
  return new Set(
    pods.flatMap(({ namespace, podGroupName }) =>
      podGroupName === undefined ? [] : [podName({ namespace, name: podGroupName })],
    ),
  );
}

function missingGroups(names: readonly string[]): readonly Warning[] {
  if (names.length === 0) return [];
  const message = `pods that run are in groups that the snapshot does not hold (${fewNames(names)}), so that each stands alone with its own priority; add what this prints: kubectl get podgroups -A -o yaml`;
  return [warning('group-not-in-snapshot', message)];
}

function missingParents(roots: readonly AnyGroup[]): readonly Warning[] {
  if (roots.length === 0) return [];
  const message = `groups of pods that run name parents that the snapshot does not hold (${fewNames(roots.map(groupCalled))}), so that they are taken to be roots; add what this prints: kubectl get compositepodgroups -A -o yaml`;
  return [warning('parent-not-in-snapshot', message)];
}

function endOfWalk(group: PodGroup, tree: GroupTree): EndOfWalk {
  const groups = tree.withAncestors(group);
  return {
    name: podName(group),
    root: podName(groups.at(-1) ?? group),
    priority: effectivePriority({}, groups),
    broken: tree.brokenAbove(group),
  };
}

/** With basic, members come one by one, and so they go (KEP-5710). */
function allWithBasic(group: AnyGroup): Warning {
  const message = `${groupCalled(group)}: its disruption mode all goes with the policy gang and not with basic (KEP-5710), so that an API server may refuse it; the plan goes by what it states`;
  return warning('mode-without-gang', message);
}
