import type { EvictionOrder, EvictionOutcome, PendingRelease } from '../../model/eviction.ts';
import type { Pod } from '../../model/pod.ts';
import type { EvictionPolicy } from './policy.ts';
import { type EvictionState, podKey } from './state.ts';

/** The eviction has begun: until the pod is gone, what it uses counts as coming back. Neither for dry-run nor for compat. */
export function evictionStarted(state: EvictionState, order: EvictionOrder, atMs: number): EvictionState {
  return { ...state, pending: [...others(state, order.pod), pendingRelease(order, atMs)] };
}

function pendingRelease(
  { pod, cause, gracePeriodSeconds, usage }: EvictionOrder,
  atMs: number,
): PendingRelease {
  const { namespace, name, uid, cgroupUid } = pod;
  const shortage =
    cause.kind === 'threshold'
      ? { signal: cause.threshold.signal, available: cause.available, back: 0n }
      : undefined;
  return {
    namespace,
    name,
    ...(uid === undefined ? {} : { uid }),
    ...(cgroupUid === undefined ? {} : { cgroupUid }),
    evictedAtMs: atMs,
    gracePeriodSeconds,
    usage,
    ...(shortage === undefined ? {} : { shortage }),
  };
}

/** Notes why the pod has to go and where it was, for an agent that comes after this one. */
export function evictionPlaced(
  state: EvictionState,
  { pod, cause }: EvictionOrder,
  place: { readonly cgroup: string; readonly inode: bigint } | undefined,
): EvictionState {
  const unfinished = { cause, ...(place === undefined ? {} : { place }) };
  const pending = state.pending.map((release) =>
    podKey(release) === podKey(pod) ? { ...release, unfinished } : release,
  );
  return { ...state, pending };
}

/**
 * The eviction has ended, one way or the other, and the pod is passed over for the back-off, after success too, since a list
 * that was made before may still hold it. What a pod that is gone has used is not back at once: the kernel's sums lag, and
 * page cache and tmpfs stay for a while, so it goes on counting until it is seen to have come back (pending.ts). A dry run
 * changes nothing.
 */
export function evictionEnded(
  state: EvictionState,
  order: EvictionOrder,
  { outcome, atMs }: { readonly outcome: EvictionOutcome; readonly atMs: number },
  policy: EvictionPolicy,
): EvictionState {
  if (outcome.kind === 'dry-run') return state;
  const backOffUntilMs = new Map(state.backOffUntilMs).set(podKey(order.pod), atMs + policy.backOffMs);
  const settling = outcome.kind === 'gone' ? goneRelease(state, order, atMs) : [];
  return { ...state, pending: [...others(state, order.pod), ...settling], backOffUntilMs };
}

/** None for a pod that had to go for a limit of its own: no shortage waits for what it used. */
function goneRelease(state: EvictionState, order: EvictionOrder, atMs: number): readonly PendingRelease[] {
  const known = state.pending.find((release) => podKey(release) === podKey(order.pod));
  const release = known ?? pendingRelease(order, atMs);
  return release.shortage === undefined ? [] : [{ ...release, goneAtMs: atMs }];
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
    .map((release) => notLater(release, atMs));
  return { ...state, pending: [...adopted, ...state.pending] };
}

function notLater(release: PendingRelease, atMs: number): PendingRelease {
  const { goneAtMs, evictedAtMs } = release;
  return {
    ...release,
    evictedAtMs: Math.min(evictedAtMs, atMs),
    ...(goneAtMs === undefined ? {} : { goneAtMs: Math.min(goneAtMs, atMs) }),
  };
}

function others(state: EvictionState, pod: EvictionOrder['pod']): readonly PendingRelease[] {
  return state.pending.filter((release) => podKey(release) !== podKey(pod));
}
