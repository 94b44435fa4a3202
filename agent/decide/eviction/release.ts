import type { EvictionOrder, EvictionOutcome, PendingRelease } from '../../model/eviction.ts';
import type { Pod } from '../../model/pod.ts';
import type { EvictionPolicy } from './policy.ts';
import { type EvictionState, podKey } from './state.ts';

/** The eviction has begun: until the pod is gone, what it uses counts as coming back. Neither for dry-run nor for compat. */
export function evictionStarted(state: EvictionState, order: EvictionOrder, atMs: number): EvictionState {
  const { namespace, name, uid, cgroupUid } = order.pod;
  const pending: PendingRelease = {
    namespace,
    name,
    ...(uid === undefined ? {} : { uid }),
    ...(cgroupUid === undefined ? {} : { cgroupUid }),
    evictedAtMs: atMs,
    gracePeriodSeconds: order.gracePeriodSeconds,
    usage: order.usage,
  };
  return { ...state, pending: [...others(state, order.pod), pending] };
}

/**
 * The eviction has ended, one way or the other: nothing more comes back, and the pod is passed over for the back-off, after
 * success too, since a list that was made before may still hold it. A dry run changes nothing.
 */
export function evictionEnded(
  state: EvictionState,
  order: EvictionOrder,
  { outcome, atMs }: { readonly outcome: EvictionOutcome; readonly atMs: number },
  policy: EvictionPolicy,
): EvictionState {
  if (outcome.kind === 'dry-run') return state;
  const backOffUntilMs = new Map(state.backOffUntilMs).set(podKey(order.pod), atMs + policy.backOffMs);
  return { ...state, pending: others(state, order.pod), backOffUntilMs };
}

/**
 * Passes over, for the back-off, pods that are still being ended although their time is over, such as after a pause of the
 * whole machine: none is told to go a second time before it is known what became of the first.
 */
export function passOver(
  state: EvictionState,
  pods: readonly Pod[],
  atMs: number,
  policy: EvictionPolicy,
): EvictionState {
  const pending = new Set(state.pending.map(podKey));
  const overdue = pods.map(podKey).filter((key) => !pending.has(key));
  if (overdue.length === 0) return state;
  const until = overdue.map((key) => [key, atMs + policy.backOffMs] as const);
  return { ...state, backOffUntilMs: new Map([...state.backOffUntilMs, ...until]) };
}

/**
 * Takes over the evictions that a former run of the agent had begun, so that it does not take a second pod for the same
 * shortage. One that claims to be later than now counts from now.
 */
export function adoptPending(
  state: EvictionState,
  pending: readonly PendingRelease[],
  atMs: number,
): EvictionState {
  const known = new Set(state.pending.map(podKey));
  const adopted = pending
    .filter((release) => !known.has(podKey(release)))
    .map((release) => ({ ...release, evictedAtMs: Math.min(release.evictedAtMs, atMs) }));
  return { ...state, pending: [...adopted, ...state.pending] };
}

function others(state: EvictionState, pod: EvictionOrder['pod']): readonly PendingRelease[] {
  return state.pending.filter((release) => podKey(release) !== podKey(pod));
}
