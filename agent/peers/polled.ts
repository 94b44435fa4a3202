import { EXIT, Failure } from '../exit.ts';
import type { PodsRead } from '../model/pods-read.ts';
import type { Clock, PodNews } from '../ports.ts';

/** A source that has to be asked again and again. */
export interface Polled {
  /** As people know it, such as `the kubelet at https://127.0.0.1:10250`. */
  readonly name: string;
  /** Asks once; may give the very list of the last time where nothing has changed. Throws Failure. */
  list(signal: AbortSignal): Promise<PodsRead>;
  readonly everyMs: number;
  /** How long one answer may take before it counts as none. */
  readonly deadlineMs: number;
  readonly clock: Clock;
}

/** The longest pause between two questions to somebody who does not answer. */
const LONGEST_PAUSE_MS = 30_000;

/**
 * Follows a source by asking it every `everyMs`: see RemotePods.follow. Whoever refuses is asked ever more rarely, at most
 * every 30 seconds, so that a kubelet with a wrong token is not flooded; one that is away is asked on, since it may be back any
 * moment and a question to a closed door costs nothing.
 */
export async function followByPolling(
  polled: Polled,
  told: (news: PodNews) => void,
  signal: AbortSignal,
): Promise<void> {
  const { everyMs, clock } = polled;
  let last: PodsRead | undefined;
  let lack: string | undefined;
  let refusals = 0;
  while (!signal.aborted) {
    const askedAtMs = clock.nowMs();
    const answer = await ask(polled, signal);
    if (signal.aborted) return;
    if (answer instanceof Failure) {
      if (answer.message !== lack) told({ kind: 'lack', failure: answer });
      lack = answer.message;
      refusals = answer.status === EXIT.unavailable ? 0 : refusals + 1;
    } else {
      if (answer !== last || lack !== undefined) told({ kind: 'pods', read: answer });
      last = answer;
      lack = undefined;
      refusals = 0;
    }
    const pauseMs = Math.max(everyMs, Math.min(LONGEST_PAUSE_MS, everyMs * 2 ** Math.min(refusals, 16)));
    const spentMs = clock.nowMs() - askedAtMs;
    await clock.sleep(Math.max(refusals === 0 ? 0 : everyMs, pauseMs - spentMs), signal);
  }
}

/** A list, or why there is none. An answer that comes too late is none. */
async function ask(polled: Polled, signal: AbortSignal): Promise<PodsRead | Failure> {
  const { name, deadlineMs, clock } = polled;
  const answered = new AbortController();
  const both = AbortSignal.any([signal, answered.signal]);
  const late = clock.sleep(deadlineMs, both).then(() => tooLate(name, deadlineMs));
  try {
    return await Promise.race([polled.list(both), late]);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  } finally {
    answered.abort();
  }
}

function tooLate(name: string, deadlineMs: number): Failure {
  const message = `${name} did not answer within ${deadlineMs / 1000} s; it is asked again`;
  return new Failure(EXIT.unavailable, message);
}
