import type {
  EvictionOrder,
  EvictionOutcome,
  PendingRelease,
  UnfinishedEviction,
} from '../../model/eviction.ts';
import type { Observation } from '../../model/observation.ts';
import { isOverdue, listedKeys } from './pending.ts';
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
 * page cache and tmpfs stay for a while, so it goes on counting until it is seen to have come back (pending.ts). That begins
 * with whoever is first to say that it is gone, the list or the evictor; what the other says later, or that it cannot tell,
 * neither ends nor prolongs it. A dry run changes nothing.
 */
export function evictionEnded(
  state: EvictionState,
  order: EvictionOrder,
  { outcome, atMs }: { readonly outcome: EvictionOutcome; readonly atMs: number },
  policy: EvictionPolicy,
): EvictionState {
  if (outcome.kind === 'dry-run') return state;
  const backOffUntilMs = new Map(state.backOffUntilMs).set(podKey(order.pod), atMs + policy.backOffMs);
  const settling = settlingRelease(state, order, outcome, atMs);
  return { ...state, pending: [...others(state, order.pod), ...settling], backOffUntilMs };
}

/** None for a pod that had to go for a limit of its own: no shortage waits for what it used. */
function settlingRelease(
  state: EvictionState,
  order: EvictionOrder,
  outcome: EvictionOutcome,
  atMs: number,
): readonly PendingRelease[] {
  const key = podKey(order.pod);
  const known = state.pending.find((release) => podKey(release) === key);
  if (known?.goneAtMs !== undefined) return [known];
  // Its time was over and it is gone at last; one that nobody passes over has left the list and settled before.
  const late = state.backOffUntilMs.has(key) ? pendingRelease(order, atMs) : undefined;
  const release = known ?? late;
  if (outcome.kind !== 'gone' || release?.shortage === undefined) return [];
  return [{ ...release, goneAtMs: atMs }];
}

/** An eviction whose evictor has not come to its end. */
interface RunningEviction {
  readonly order: EvictionOrder;
  readonly place: UnfinishedEviction['place'] | undefined;
  readonly startedAtMs: number;
}

/**
 * Holds what is pending against the evictions that go on. One whose pod had left the list and is on it again, as where a
 * source answers with less for a while, is pending as before. One whose time is over, such as after a pause of the whole
 * machine, is passed over for the back-off: nobody is told to go a second time before it is known what became of the first.
 */
export function evictionsGoOn(
  state: EvictionState,
  running: readonly RunningEviction[],
  { atMs, pods, podsAgeMs = 0 }: Pick<Observation, 'atMs' | 'pods' | 'podsAgeMs'>,
  policy: EvictionPolicy,
): EvictionState {
  const listed = podsAgeMs > policy.maxPodListAgeMs ? new Set<string>() : listedKeys(pods);
  return running.reduce((before, one) => goesOn(before, one, { atMs, listed }, policy), state);
}

function goesOn(
  state: EvictionState,
  running: RunningEviction,
  { atMs, listed }: { readonly atMs: number; readonly listed: ReadonlySet<string> },
  policy: EvictionPolicy,
): EvictionState {
  const key = podKey(running.order.pod);
  const isBack = listed.has(key);
  const known = state.pending.find((release) => podKey(release) === key);
  if (known !== undefined && (known.goneAtMs === undefined || !isBack)) return state;
  const { place, startedAtMs } = running;
  const order = { ...running.order, usage: known?.usage ?? running.order.usage };
  const again = pendingRelease(order, known?.evictedAtMs ?? startedAtMs);
  if (isBack && !isOverdue(again, atMs)) {
    return evictionPlaced(evictionStarted(state, order, again.evictedAtMs), order, place);
  }
  return { ...state, backOffUntilMs: new Map(state.backOffUntilMs).set(key, atMs + policy.backOffMs) };
}

/**
 * Takes over the evictions that a former run of the agent had begun, so that it does not take a second pod for the same
 * shortage. One that claims to be later than now counts from now. One whose pod left the list while no agent looked is not
 * taken over: nobody knows when it went, and an agent that is killed again and again would wait for it for good.
 */
export function adoptPending(
  state: EvictionState,
  pending: readonly PendingRelease[],
  { atMs, pods, podsAgeMs = 0 }: Pick<Observation, 'atMs' | 'pods' | 'podsAgeMs'>,
  policy: EvictionPolicy,
): EvictionState {
  const known = new Set(state.pending.map(podKey));
  const listed = podsAgeMs > policy.maxPodListAgeMs ? undefined : listedKeys(pods);
  const adopted = pending
    .filter((release) => !known.has(podKey(release)))
    .filter((release) => release.goneAtMs !== undefined || (listed?.has(podKey(release)) ?? true))
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
