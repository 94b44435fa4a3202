import { podWarning, type Warning, warning } from '../../cgroup/warning.ts';
import { type Parsed, parsed, refused } from '../../config/result.ts';
import type { Pod } from '../model/pod.ts';
import { isFinished } from './critical.ts';
import { distinctPods } from './distinct-pods.ts';
import { podName } from './pod-name.ts';
import { podWarnings } from './pod-warnings.ts';

/** The pods that count on a node, in the order of the input, and what a person should know about them. */
export interface CountedPods {
  readonly pods: readonly Pod[];
  readonly warnings: readonly Warning[];
}

/**
 * The pods that hold something of one node: those that are scheduled to it or name no node because they come from files,
 * each once (a static pod stands for its mirror), until they have succeeded or failed; a terminating one still counts.
 * `nodeName` says which node; without it the pods may name one node only. Refused: pods of several nodes without a
 * choice, and a UID that occurs twice.
 */
export function podsOfNode(pods: readonly Pod[], nodeName: string | undefined): Parsed<CountedPods> {
  const selected = selectNode(pods, nodeName);
  if (!selected.ok) {
    return selected;
  }
  const distinct = distinctPods(selected.value);
  if (!distinct.ok) {
    return distinct;
  }
  const counted = distinct.value.filter((pod) => !isFinished(pod) && !isUnscheduled(pod));
  return parsed({
    pods: counted,
    warnings: [
      ...otherNodeWarning(pods, selected.value, nodeName),
      ...counted.flatMap((pod) => [...podWarnings(pod), ...missingUid(pod)]),
    ],
  });
}

/** The pods that are on a node of this name, and those that name none. */
export function podsNamingNode(pods: readonly Pod[], nodeName: string): readonly Pod[] {
  return pods.filter((pod) => pod.nodeName === undefined || pod.nodeName === nodeName);
}

function selectNode(pods: readonly Pod[], nodeName: string | undefined): Parsed<readonly Pod[]> {
  if (nodeName !== undefined) {
    return parsed(podsNamingNode(pods, nodeName));
  }
  const nodes = nodeNames(pods);
  return nodes.length > 1
    ? refused(`the pods are on ${nodes.length} nodes (${listed(nodes)}); say which one with --node-name`)
    : parsed(pods);
}

/** A warning where the choice of a node leaves out every pod that names one: most likely its name is mistyped. */
export function otherNodeWarning(
  pods: readonly Pod[],
  selected: readonly Pod[],
  nodeName: string | undefined,
): readonly Warning[] {
  const nodes = nodeNames(pods);
  if (nodeName === undefined || nodes.length === 0 || selected.some((pod) => pod.nodeName !== undefined)) {
    return [];
  }
  const message = `no pod is on node ${nodeName}; the pods are on ${listed(nodes)}`;
  return [warning('no-pods-of-node', message)];
}

/** Whether the API knows the pod and no scheduler has found a node for it: it holds nothing anywhere. */
export function isUnscheduled(pod: Pod): boolean {
  return pod.nodeName === undefined && pod.phase === 'Pending' && pod.uid !== undefined && !pod.isStatic;
}

function missingUid(pod: Pod): readonly Warning[] {
  if (pod.cgroupUid !== undefined) {
    return [];
  }
  const message = `pod ${podName(pod)} has no UID: it counts in sums, but its cgroup is not known`;
  return [podWarning('pod-without-uid', podName(pod), message)];
}

function nodeNames(pods: readonly Pod[]): readonly string[] {
  return [...new Set(pods.flatMap((pod) => pod.nodeName ?? []))].sort();
}

/** Up to five names; a list of a whole cluster would hide the sentence. */
function listed(names: readonly string[]): string {
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
}
