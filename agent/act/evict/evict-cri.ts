import type { ControlFiles, HeldCgroup } from '../../../cgroup/control-port.ts';
import { Failure } from '../../exit.ts';
import type { EvictionOutcome } from '../../model/eviction.ts';
import type { CriClient } from '../../peers/cri/cri-client.ts';
import type { Clock, EvictionTarget, Evictor } from '../../ports.ts';
import { holdPodCgroup, isCgroupOf, isEmpty, processesIn } from './pod-cgroup.ts';
import { type RuntimeVictim, runtimeVictim } from './runtime-victim.ts';
import { waitUntil } from './wait.ts';

/** As long after its grace a pod may take to go: as in evict-cgroup.ts, a second less than what a pending release is granted. */
const LONGEST_DYING_MS = 29_000;
const MS_PER_SECOND = 1000;

/** What the runtime's evictor works with. */
export interface CriEvictorParts {
  readonly client: CriClient;
  readonly control: ControlFiles;
  /** By the PIDs of the namespace that nodeqos is in. */
  readonly ownPid: number;
  readonly clock: Clock;
  /** Whether dead sandboxes are taken off the runtime's list: where no kubelet does it. */
  readonly removes: boolean;
}

/**
 * Makes pods go through the container runtime: every container is asked to end and killed after the grace (StopContainer), then
 * what is left is ended with its sandbox (StopPodSandbox), which is removed where nobody else does it. The pod is what the
 * runtime has under its UID: another one of its name is never touched. When the agent ends meanwhile, nothing is ended any
 * more.
 */
export function createCriEvictor(parts: CriEvictorParts): Evictor {
  return {
    name: 'cri',
    evict: (target, signal) => evict(parts, target, signal),
  };
}

/** An eviction that is on its way. */
interface Eviction {
  readonly parts: CriEvictorParts;
  readonly target: EvictionTarget;
  /** undefined: the tree had none of it. */
  readonly cgroup: HeldCgroup | undefined;
  /** By when it has to be gone. */
  readonly graceEndsMs: number;
  /** The agent's own end, or the time is up. */
  readonly over: AbortSignal;
  /** The agent's own end. */
  readonly signal: AbortSignal;
}

/** The first thing of each kind that the runtime did not do. */
interface LeftUndone {
  readonly container: Failure | undefined;
  readonly sandbox: Failure | undefined;
}

async function evict(
  parts: CriEvictorParts,
  target: EvictionTarget,
  signal: AbortSignal,
): Promise<EvictionOutcome> {
  const { place, pod, gracePeriodSeconds } = target;
  if (place !== undefined && !isCgroupOf(place.cgroup, pod)) {
    return refused(`${place.cgroup} does not carry the UID of the pod; it is left alone`);
  }
  if (signal.aborted) return stillThere('the agent ended before anything was done');
  const held = place === undefined ? undefined : holdPodCgroup(parts.control, pod, place);
  if (held?.kind === 'refused') return refused(held.why);
  const podCgroup = held?.kind === 'held' ? held.podCgroup : undefined;
  const done = new AbortController();
  const late = new AbortController();
  const graceEndsMs = parts.clock.nowMs() + gracePeriodSeconds * MS_PER_SECOND;
  const longestMs = gracePeriodSeconds * MS_PER_SECOND + LONGEST_DYING_MS;
  void parts.clock.sleep(longestMs, AbortSignal.any([signal, done.signal])).then(() => {
    if (!done.signal.aborted) late.abort();
  });
  try {
    const over = AbortSignal.any([signal, late.signal]);
    return await evictHeld({ parts, target, cgroup: podCgroup?.whole, graceEndsMs, over, signal });
  } finally {
    done.abort();
    podCgroup?.release();
  }
}

async function evictHeld(eviction: Eviction): Promise<EvictionOutcome> {
  const { parts, target, cgroup, over, signal } = eviction;
  if (cgroup !== undefined && processesIn(cgroup).includes(parts.ownPid)) {
    return refused('nodeqos itself runs in this pod');
  }
  const victim = await orFailure(() => runtimeVictim(parts.client, target.pod, over));
  if (victim instanceof Failure) return refused(victim.message);
  if (victim.kind === 'refused') return refused(victim.why);
  if (victim.kind === 'none') {
    return isGone(eviction)
      ? { kind: 'gone' }
      : refused(`${parts.client.name} has no pod with its UID, and its cgroup is not empty`);
  }
  const container = await stopContainers(eviction, victim);
  if (signal.aborted) return stillThere('the agent ended before the grace was over; its sandbox was left');
  return await ended(eviction, victim, { container, sandbox: await stopSandboxes(eviction, victim) });
}

/** Stops every container by itself, so that one that cannot be stopped takes no grace from the others. */
async function stopContainers(
  eviction: Eviction,
  { containerIds }: RuntimeVictim,
): Promise<Failure | undefined> {
  const { parts, target, graceEndsMs, over } = eviction;
  const stopped = await Promise.all(
    containerIds.map((id) =>
      orFailure(() => parts.client.stopContainer(id, target.gracePeriodSeconds, over)),
    ),
  );
  const failure = stopped.find((one) => one instanceof Failure);
  // What could not be asked to end has its grace all the same: the sandbox is ended without any.
  const leftMs = graceEndsMs - parts.clock.nowMs();
  if (failure !== undefined && leftMs > 0) await waitUntil(parts.clock, () => isGone(eviction), leftMs, over);
  return failure;
}

async function stopSandboxes(
  { parts, over }: Eviction,
  { sandboxIds }: RuntimeVictim,
): Promise<Failure | undefined> {
  const stopped = await Promise.all(
    sandboxIds.map((id) => orFailure(() => parts.client.stopSandbox(id, over))),
  );
  return stopped.find((one) => one instanceof Failure);
}

/** What became of it: as its cgroup says, and where it had none, the runtime. */
async function ended(eviction: Eviction, victim: RuntimeVictim, left: LeftUndone): Promise<EvictionOutcome> {
  const { parts, target, cgroup, over, signal } = eviction;
  const isEnded =
    cgroup === undefined
      ? left.sandbox === undefined
      : await isEmptied(eviction, cgroup, left.sandbox === undefined);
  if (isEnded) {
    if (parts.removes) await removeSandboxes(eviction, victim);
    return { kind: 'gone' };
  }
  if (signal.aborted) return stillThere('it was stopped, and the agent ended before it was gone');
  const because = (left.sandbox ?? left.container)?.message;
  if (!over.aborted && because !== undefined) return stillThere(because);
  const after = `${target.gracePeriodSeconds + LONGEST_DYING_MS / MS_PER_SECOND} s after it was told to go`;
  return stillThere(`it is still there ${after}${because === undefined ? '' : `: ${because}`}`);
}

/** As long as it may still go nobody else has to; what the runtime did not stop is not waited for. */
async function isEmptied(
  { parts, over }: Eviction,
  cgroup: HeldCgroup,
  isStopped: boolean,
): Promise<boolean> {
  if (!isStopped) return isEmpty(cgroup);
  return (await waitUntil(parts.clock, () => isEmpty(cgroup), Number.POSITIVE_INFINITY, over)) === 'met';
}

/** What cannot be removed holds nothing but a line in the runtime's list and files on its disk. */
async function removeSandboxes({ parts, over }: Eviction, { sandboxIds }: RuntimeVictim): Promise<void> {
  await Promise.all(sandboxIds.map((id) => orFailure(() => parts.client.removeSandbox(id, over))));
}

/** Whether nothing runs in its cgroup any more; where it never had one, nobody can say so. */
function isGone({ cgroup, target }: Eviction): boolean {
  return cgroup === undefined ? target.place !== undefined : isEmpty(cgroup);
}

async function orFailure<T>(ask: () => Promise<T>): Promise<T | Failure> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

function refused(why: string): EvictionOutcome {
  return { kind: 'refused', why };
}

function stillThere(why: string): EvictionOutcome {
  return { kind: 'still-there', why };
}
