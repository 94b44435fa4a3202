import type { ControlFiles, HeldCgroup } from '../../../cgroup/control-port.ts';
import { parseCgroupEvents } from '../../../cgroup/parse.ts';
import type { Clock, PodPlace } from '../../ports.ts';
import { waitUntil } from './wait.ts';

/** A process that the kernel holds back (memory.high, a dead disk) does not freeze; then it is signalled as it is. */
const LONGEST_FREEZING_MS = 500;

/**
 * Does something while no process of a cgroup can run, fork or end by itself, as far as it can be frozen, and lets them run
 * again. One that somebody else froze stays frozen. `act` must not wait. The end of the agent does not interrupt it.
 */
export async function whileFrozen<T>(cgroup: HeldCgroup, clock: Clock, act: () => T): Promise<T> {
  const before = cgroup.read('cgroup.freeze');
  if (before.kind !== 'read' || before.text.trim() !== '0') {
    return act();
  }
  try {
    if ((await cgroup.write('cgroup.freeze', '1')).kind === 'written') {
      await waitUntil(clock, () => isFrozen(cgroup), LONGEST_FREEZING_MS, new AbortController().signal);
    }
    return act();
  } finally {
    await cgroup.write('cgroup.freeze', '0');
  }
}

function isFrozen(cgroup: HeldCgroup): boolean {
  const events = cgroup.read('cgroup.events');
  // One that cannot be read, or is gone, will never say so.
  return events.kind !== 'read' || parseCgroupEvents(events.text).frozen === true;
}

/**
 * Lets a pod run again that an agent may have frozen and left so, since it was killed meanwhile. Gives a sentence where
 * that could not be done; a cgroup that is gone or another one by now needs nothing.
 */
export async function thawLeftBehind(control: ControlFiles, place: PodPlace): Promise<string | undefined> {
  const opened = control.isCgroup2 ? control.hold(place.cgroup, place.inode) : undefined;
  if (opened?.kind !== 'held') {
    return opened?.kind === 'failed' ? opened.error : undefined;
  }
  try {
    const frozen = opened.held.read('cgroup.freeze');
    if (frozen.kind !== 'read' || frozen.text.trim() === '0') {
      return undefined;
    }
    const thawed = await opened.held.write('cgroup.freeze', '0');
    return thawed.kind === 'failed' ? thawed.error : undefined;
  } finally {
    opened.held.release();
  }
}
