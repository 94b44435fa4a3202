import { compareBytewise } from '../../../cgroup/byte-order.ts';
import { parsePodCgroup, type QosClass } from '../../../cgroup/paths.ts';
import type { ContainerDetail, RuntimeContainer, Sandbox, SandboxDetail } from './facts.ts';

/** A pod as a runtime has it: its sandbox, and the containers in it that run. */
export interface RuntimePod {
  readonly sandbox: Sandbox;
  /** Each name once, in order of the names. */
  readonly containers: readonly RuntimeContainer[];
}

/** A pod with what was asked about it. */
export interface KnownPod extends RuntimePod {
  readonly runtime: string;
  readonly detail: SandboxDetail | 'unknown';
  readonly limits: ReadonlyMap<string, ContainerDetail | 'unknown'>;
}

/**
 * The pods that run: of several sandboxes with one UID the latest, and only one that is ready or still has a container that runs
 * (whose own process may have been killed). A container counts while it runs, or nobody knows better; one that ended and comes
 * back is another one. What is no longer there at all, such as an init container that is through, nobody has to plan for.
 */
export function runtimePods(
  sandboxes: readonly Sandbox[],
  containers: readonly RuntimeContainer[],
): readonly RuntimePod[] {
  const running = containers.filter(({ state }) => state === 'running' || state === 'unknown');
  const bySandbox = groupedBy(running, ({ sandboxId }) => sandboxId);
  const alive = sandboxes.filter(({ isReady, id }) => isReady || bySandbox.has(id));
  const byPod = groupedBy(alive, ({ uid, id }) => (uid === '' ? `sandbox ${id}` : uid));
  return [...byPod.values()].flatMap((attempts) => {
    const sandbox = latest(attempts);
    if (sandbox === undefined) return [];
    const byName = groupedBy(bySandbox.get(sandbox.id) ?? [], ({ name }) => name);
    const newest = [...byName.values()].flatMap((all) => latest(all) ?? []);
    return [{ sandbox, containers: newest.toSorted((a, b) => compareBytewise(a.name, b.name)) }];
  });
}

interface Attempt {
  readonly id: string;
  readonly attempt: number;
  readonly createdAtNs: bigint;
}

function latest<T extends Attempt>(attempts: readonly T[]): T | undefined {
  return attempts.toSorted(compareAttempts).at(-1);
}

function compareAttempts(a: Attempt, b: Attempt): number {
  if (a.createdAtNs !== b.createdAtNs) return a.createdAtNs < b.createdAtNs ? -1 : 1;
  return a.attempt - b.attempt || compareBytewise(a.id, b.id);
}

/** The class that the pod's place among cgroups gives it; undefined where that is not among those of pods. */
export function qosClassOf({ sandbox, detail }: KnownPod): QosClass | undefined {
  if (detail === 'unknown' || detail.cgroupParent === undefined) return undefined;
  const named = parsePodCgroup(detail.cgroupParent);
  if (named === undefined) return undefined;
  const isIts = named.cgroupUid.replaceAll('_', '-') === sandbox.uid.replaceAll('_', '-');
  return isIts ? named.qosClass : undefined;
}

function groupedBy<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}
