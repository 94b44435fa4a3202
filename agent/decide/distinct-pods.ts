import { type Parsed, parsed, refused } from '../../config/result.ts';
import type { Pod } from '../model/pod.ts';
import { isStaticOrMirror } from './critical.ts';
import { podName } from './pod-name.ts';

/**
 * The pods, each once, in the order of the input. A static pod and its mirror, which have one cgroup, are one pod: the
 * static one. Any other UID that occurs twice is refused, since neither cgroups nor statistics could be told apart; only
 * static pods of different nodes may share one, for it is made from the manifest. Pods without UID are all different.
 */
export function distinctPods(pods: readonly Pod[]): Parsed<readonly Pod[]> {
  const mirrors = new Set<Pod>();
  for (const [cgroupUid, group] of sharing(pods, (pod) => pod.cgroupUid)) {
    const mirror = mirrorOfPair(group);
    if (mirror === undefined) {
      return doubledUid(cgroupUid, group);
    }
    mirrors.add(mirror);
  }
  const distinct = pods.filter((pod) => !mirrors.has(pod));
  for (const [uid, group] of sharing(distinct, (pod) => pod.uid)) {
    return doubledUid(uid, group);
  }
  return parsed(distinct);
}

/** The mirror among two pods of which the other one is its static pod; undefined for any other group. */
function mirrorOfPair(group: readonly Pod[]): Pod | undefined {
  const isPair = group.length === 2 && group.some((pod) => pod.isStatic && !pod.isMirror);
  return isPair ? group.find((pod) => pod.isMirror) : undefined;
}

/** The groups of two and more pods that share a UID on one node, in the order of the input. */
function sharing(
  pods: readonly Pod[],
  uidOf: (pod: Pod) => string | undefined,
): readonly (readonly [string, readonly Pod[]])[] {
  return [...groupedBy(pods, uidOf)].flatMap(([uid, group]) =>
    byNode(group)
      .filter((ofNode) => ofNode.length > 1)
      .map((ofNode) => [uid, ofNode] as const),
  );
}

/**
 * Pods that share a UID, split by node where they may: all are static or mirror ones, of two nodes and more. A manifest
 * that names no node and a mirror that names one still belong together.
 */
function byNode(group: readonly Pod[]): readonly (readonly Pod[])[] {
  const nodes = groupedBy(group, (pod) => pod.nodeName);
  return group.every(isStaticOrMirror) && nodes.size > 1
    ? [...nodes.values(), group.filter((pod) => pod.nodeName === undefined)]
    : [group];
}

/** The pods by a text of theirs; those that have none are in no group. */
function groupedBy(
  pods: readonly Pod[],
  keyOf: (pod: Pod) => string | undefined,
): ReadonlyMap<string, readonly Pod[]> {
  const groups = new Map<string, Pod[]>();
  for (const pod of pods) {
    const key = keyOf(pod);
    if (key !== undefined) {
      groups.set(key, [...(groups.get(key) ?? []), pod]);
    }
  }
  return groups;
}

function doubledUid(uid: string, group: readonly Pod[]): ReturnType<typeof refused> {
  const names = group.map(podName).sort().join(', ');
  return refused(`the UID ${uid} occurs ${group.length} times (${names}); each pod must be there once`);
}
