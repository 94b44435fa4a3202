import type { HeldCgroup } from '../../../cgroup/control-port.ts';
import type { Clock } from '../../ports.ts';
import { firstProcess } from './first-process.ts';
import { whileFrozen } from './freeze.ts';
import { type PodCgroup, processesIn } from './pod-cgroup.ts';
import type { Processes } from './processes.ts';

/**
 * Sends SIGTERM to the first process of each container of a pod, all of them frozen meanwhile, so that who is signalled is
 * who was looked at. Gives how many were told; 0 where none is seen or none may be signalled.
 */
export async function askToEnd(
  { whole, containers }: PodCgroup,
  processes: Processes,
  clock: Clock,
): Promise<number> {
  // A pod without cgroups of its own inside has its processes in itself.
  const asked = containers.length === 0 ? [whole] : containers;
  return await whileFrozen(
    whole,
    clock,
    () => asked.filter((container) => endFirstProcess(container, processes)).length,
  );
}

function endFirstProcess(container: HeldCgroup, processes: Processes): boolean {
  const pid = firstProcess(processesIn(container), processes);
  const held = pid === undefined ? undefined : processes.hold(pid);
  if (held === undefined) {
    return false;
  }
  try {
    // Only now is it certain that the process held is the one that was in the container: one with its PID is in it still.
    return processesIn(container).includes(held.pid) && held.signal('SIGTERM').kind === 'sent';
  } finally {
    held.release();
  }
}
