import type { ControlWritten, HeldCgroup } from '../../../cgroup/control-port.ts';
import type { Clock } from '../../ports.ts';
import { whileFrozen } from './freeze.ts';
import { isEmpty, type PodCgroup, processesIn } from './pod-cgroup.ts';
import type { Processes } from './processes.ts';
import { waitUntil } from './wait.ts';

/** Without cgroup.kill, a process that would not freeze may have a child meanwhile, which is met in the next round. */
const ROUNDS = 5;
const ROUND_MS = 200;

/**
 * Kills what runs in a pod: each container by its cgroup.kill, then the whole pod, the sandbox with it. On a kernel without
 * it (before 5.14) every process is killed by itself. Gives a sentence where nothing could be killed; to be killed is not
 * to be gone yet.
 */
export async function killPod(
  { whole, containers }: PodCgroup,
  processes: Processes | undefined,
  clock: Clock,
): Promise<string | undefined> {
  for (const container of containers) {
    await container.write('cgroup.kill', '1');
  }
  // The pod's own kill reaches everything below it, so it alone decides whether this worked.
  const killed = await whole.write('cgroup.kill', '1');
  if (killed.kind === 'missing' && processes !== undefined) {
    return await killEach(whole, processes, clock);
  }
  return failureOf(whole, killed);
}

function failureOf(whole: HeldCgroup, killed: ControlWritten): string | undefined {
  if (killed.kind === 'missing') {
    return `${whole.cgroup} has no cgroup.kill, so nothing was killed`;
  }
  return killed.kind === 'failed' ? killed.error : undefined;
}

async function killEach(whole: HeldCgroup, processes: Processes, clock: Clock): Promise<string | undefined> {
  let failure: string | undefined;
  for (let round = 0; round < ROUNDS && !isEmpty(whole); round += 1) {
    failure = await whileFrozen(whole, clock, () => signalEach(whole, processes));
    await waitUntil(clock, () => isEmpty(whole), ROUND_MS, new AbortController().signal);
  }
  return failure;
}

/** Gives a sentence where processes were seen and not one could be killed. */
function signalEach(whole: HeldCgroup, processes: Processes): string | undefined {
  let failure: string | undefined;
  let sent = 0;
  for (const pid of processesIn(whole)) {
    const held = processes.hold(pid);
    if (held !== undefined) {
      // The pod is read again for each: with its process held, a PID that is in it is this process.
      const signalled = processesIn(whole).includes(pid) ? held.signal('SIGKILL') : undefined;
      held.release();
      sent += signalled?.kind === 'sent' ? 1 : 0;
      failure =
        signalled?.kind === 'failed' ? `process ${pid} could not be killed (${signalled.code})` : failure;
    }
  }
  return sent > 0 ? undefined : failure;
}
