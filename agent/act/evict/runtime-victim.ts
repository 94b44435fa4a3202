import { podName } from '../../decide/pod-name.ts';
import type { Pod } from '../../model/pod.ts';
import type { CriClient } from '../../peers/cri/cri-client.ts';

/** All that a runtime has of the pod that is to go. */
export interface RuntimeVictim {
  readonly kind: 'found';
  readonly sandboxIds: readonly string[];
  /** Those that have not ended. */
  readonly containerIds: readonly string[];
}

/** A victim, or why there is none. */
export type RuntimeVictimFound =
  | RuntimeVictim
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Finds what a runtime has under the UID of a pod: all its sandboxes, also those that are dead, and the containers in them. An ID
 * is never given twice, so that whatever is made under that name later has others. Throws Failure.
 */
export async function runtimeVictim(
  client: CriClient,
  pod: Pod,
  signal: AbortSignal,
): Promise<RuntimeVictimFound> {
  const uid = pod.cgroupUid;
  if (uid === undefined) {
    return { kind: 'refused', why: 'it has no UID by which the container runtime could know it' };
  }
  const [sandboxes, containers] = await Promise.all([client.sandboxes(signal), client.containers(signal)]);
  const its = sandboxes.filter((sandbox) => sandbox.uid === uid);
  const other = its.find((sandbox) => podName(sandbox) !== podName(pod));
  if (other !== undefined) {
    const why = `${client.name} has its UID as that of ${podName(other)}; it is left alone`;
    return { kind: 'refused', why };
  }
  const ids = new Set(its.map(({ id }) => id));
  const left = containers.filter(({ sandboxId, state }) => ids.has(sandboxId) && state !== 'exited');
  return its.length === 0
    ? { kind: 'none' }
    : { kind: 'found', sandboxIds: [...ids], containerIds: left.map(({ id }) => id) };
}
