import type { Pod } from '../model/pod.ts';
import { isFinished } from './critical.ts';
import { counted } from './human.ts';

/**
 * The pods of a list that should have a cgroup on their node: they have a UID, have not ended, and are past Pending. A list
 * from a file may have no phases; its pods count.
 */
export function podsWithCgroups(pods: readonly Pod[]): readonly Pod[] {
  return pods.filter((pod) => pod.cgroupUid !== undefined && pod.phase !== 'Pending' && !isFinished(pod));
}

/**
 * Whether a list of pods is another node's: it names pods that should run, none of them has a cgroup here, and others do run.
 * `here` has the cgroup UIDs of all pods with a cgroup, `running` those of them with processes. Gives the sentence for it;
 * undefined for a list that may be of this node: an empty one, one of pending pods, and any list on a node where nothing runs.
 */
export function foreignList(
  pods: readonly Pod[],
  { here, running }: { readonly here: ReadonlySet<string>; readonly running: ReadonlySet<string> },
): string | undefined {
  const named = podsWithCgroups(pods);
  const isOfHere = pods.some(({ cgroupUid }) => cgroupUid !== undefined && here.has(cgroupUid));
  if (named.length === 0 || isOfHere || running.size === 0) return undefined;
  const list = counted(BigInt(named.length), 'pod, which does not run', 'pods, none of which runs');
  const others = counted(BigInt(running.size), 'other does', 'others do');
  return `the list names ${list} here, while ${others}: it is another node's; check the URL, --node-name or the file`;
}
