import { type Parsed, parsed, refused } from '../../../config/result.ts';
import { podName } from '../../decide/pod-name.ts';
import type { ClusterSnapshot, SchedulingPod } from '../../model/cluster.ts';
import type { GivenPlacement } from './places.ts';

/** Reads `POD=NODE,POD=NODE…`, pods by their names, with the group's namespace and a slash before or not. Each is there once. */
export function parsePlacement(text: string): Parsed<ReadonlyMap<string, string>> {
  const places = new Map<string, string>();
  for (const part of text.split(',')) {
    const [pod = '', node = '', ...more] = part.split('=');
    if (pod === '' || node === '' || more.length > 0) {
      return refused(`${JSON.stringify(part)} is no place; write POD=NODE,POD=NODE`);
    }
    if (places.has(pod)) return refused(`pod ${pod} is there twice; give each pod one node`);
    places.set(pod, node);
  }
  return parsed(places);
}

/** The placement by namespace and name. Refused: pods that are not waiting members, nodes that are not in the snapshot. */
export function checkPlacement(
  placement: ReadonlyMap<string, string>,
  namespace: string,
  pending: readonly SchedulingPod[],
  { nodes }: ClusterSnapshot,
): Parsed<GivenPlacement> {
  const members = new Set(pending.map(podName));
  const nodeNames = new Set(nodes.map(({ name }) => name));
  const given = new Map<string, string>();
  for (const [name, node] of placement) {
    const called = name.includes('/') ? name : podName({ namespace, name });
    if (!members.has(called)) {
      return refused(`the placement names pod ${called}, which is no member that looks for a node`);
    }
    if (!nodeNames.has(node)) {
      return refused(`the placement puts ${called} on node ${node}, which the snapshot does not hold`);
    }
    if (given.has(called)) return refused(`the placement names pod ${called} twice; give each pod one node`);
    given.set(called, node);
  }
  return parsed(given);
}
