import type { ControlFiles, HeldCgroup } from '../../../cgroup/control-port.ts';
import type { EvictionOutcome } from '../../model/eviction.ts';
import type { Clock, EvictionTarget, Evictor } from '../../ports.ts';
import { askToEnd } from './ask-to-end.ts';
import { killPod } from './kill-pod.ts';
import { holdPodCgroup, isCgroupOf, isEmpty, type PodCgroup, processesIn } from './pod-cgroup.ts';
import type { Processes } from './processes.ts';
import { waitUntil } from './wait.ts';

/**
 * How long what was killed may take to go before the eviction has failed: a process that waits for a disk dies only when
 * that answers, and as long as it may still go nobody else has to. A second less than what a pending release is granted after
 * its grace, so that whoever tried is the one who says that it failed.
 */
const LONGEST_DYING_MS = 29_000;
const MS_PER_SECOND = 1000;

/** What the cgroup evictor works with. */
export interface CgroupEvictorParts {
  readonly control: ControlFiles;
  /** undefined: no process of this machine is meant by the tree's PIDs (a fake tree), so none is signalled. */
  readonly processes: Processes | undefined;
  readonly clock: Clock;
  /** LONGEST_DYING_MS, unless somebody waits for the end of a single tick. */
  readonly longestDyingMs?: number;
}

/**
 * Makes pods go through the files of their cgroups: each container's first process is asked to end, and after the grace
 * cgroup.kill ends what is left. The pod is the cgroup with the target's inode and the pod's UID in its name, held from the
 * first to the last step: one that is made again under that name is never touched. When the agent ends meanwhile, nothing is
 * killed any more.
 */
export function createCgroupEvictor(parts: CgroupEvictorParts): Evictor {
  return {
    name: 'cgroup',
    evict: (target, signal) => evict(parts, target, signal),
  };
}

async function evict(
  parts: CgroupEvictorParts,
  target: EvictionTarget,
  signal: AbortSignal,
): Promise<EvictionOutcome> {
  const { place, pod } = target;
  if (place === undefined) {
    return refused('it has no cgroup on this node');
  }
  if (!isCgroupOf(place.cgroup, pod)) {
    return refused(`${place.cgroup} does not carry the UID of the pod; it is left alone`);
  }
  if (signal.aborted) {
    return stillThere('the agent ended before anything was done');
  }
  const held = holdPodCgroup(parts.control, pod, place);
  if (held.kind !== 'held') {
    return held.kind === 'gone' ? { kind: 'gone' } : refused(held.why);
  }
  try {
    return await evictHeld(parts, held.podCgroup, target, signal);
  } finally {
    held.podCgroup.release();
  }
}

async function evictHeld(
  parts: CgroupEvictorParts,
  podCgroup: PodCgroup,
  target: EvictionTarget,
  signal: AbortSignal,
): Promise<EvictionOutcome> {
  const { clock, processes } = parts;
  if (isEmpty(podCgroup.whole)) {
    return { kind: 'gone' };
  }
  if (processes === undefined || !parts.control.isCgroup2) {
    return await killAndWait(parts, podCgroup, signal);
  }
  if (processesIn(podCgroup.whole).includes(processes.ownPid)) {
    return refused('nodeqos itself runs in this pod');
  }
  const graceMs = target.gracePeriodSeconds * MS_PER_SECOND;
  if (graceMs > 0 && (await askToEnd(podCgroup, processes, clock)) > 0) {
    // The sandbox is not asked, and stays until the end: once the containers are gone there is nothing to wait for.
    const hasEnded = (): boolean => isEmpty(podCgroup.whole) || endedContainers(podCgroup);
    if ((await waitUntil(clock, hasEnded, graceMs, signal)) === 'aborted') {
      return stillThere('the agent ended before the grace was over; nothing was killed');
    }
  }
  return await killAndWait(parts, podCgroup, signal);
}

function endedContainers({ containers }: PodCgroup): boolean {
  return containers.length > 0 && containers.every(isEmpty);
}

async function killAndWait(
  parts: CgroupEvictorParts,
  podCgroup: PodCgroup,
  signal: AbortSignal,
): Promise<EvictionOutcome> {
  const { longestDyingMs: longestMs = LONGEST_DYING_MS } = parts;
  const isGone = (): boolean => isEmpty(podCgroup.whole);
  if (isGone()) {
    return { kind: 'gone' };
  }
  if (signal.aborted) {
    return stillThere('the agent ended before anything was killed');
  }
  const failure = await killPod(podCgroup, parts.processes, parts.clock);
  if (failure !== undefined) {
    return isGone() ? { kind: 'gone' } : stillThere(failure);
  }
  const waited = await waitUntil(parts.clock, isGone, longestMs, signal);
  if (waited === 'met') {
    return { kind: 'gone' };
  }
  return stillThere(
    waited === 'aborted'
      ? 'it was killed, and the agent ended before it was gone'
      : `it was killed and is still there after ${longestMs / MS_PER_SECOND} s (${leftIn(podCgroup.whole)})`,
  );
}

function leftIn(cgroup: HeldCgroup): string {
  const count = processesIn(cgroup).length;
  return count === 1 ? '1 process' : `${count} processes`;
}

function refused(why: string): EvictionOutcome {
  return { kind: 'refused', why };
}

function stillThere(why: string): EvictionOutcome {
  return { kind: 'still-there', why };
}
