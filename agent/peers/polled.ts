import { EXIT, Failure } from '../exit.ts';
import type { PodsRead } from '../model/pods-read.ts';
import type { Clock, PodNews } from '../ports.ts';

/** A question to a peer, and how long its answer may take. */
export interface Question<T> {
  /** As people know the peer, such as `the kubelet at https://127.0.0.1:10250`. */
  readonly name: string;
  /** Asks once. Throws Failure. */
  list(signal: AbortSignal): Promise<T>;
  readonly deadlineMs: number;
  readonly clock: Clock;
}

/** Somebody who has to be asked again and again, and may give the very answer of the last time where nothing has changed. */
export interface Polled<T> extends Question<T> {
  readonly everyMs: number;
}

/** The longest pause between two questions to somebody who refuses. */
const LONGEST_PAUSE_MS = 30_000;
/** So many doublings are beyond any pause; more would only make large numbers. */
const MOST_DOUBLINGS = 16;

/** Follows a source by asking it every `everyMs`: see RemotePods.follow. */
export async function followByPolling(
  polled: Polled<PodsRead>,
  told: (news: PodNews) => void,
  signal: AbortSignal,
): Promise<void> {
  const tell = (answer: PodsRead | Failure): void => {
    told(answer instanceof Failure ? { kind: 'lack', failure: answer } : { kind: 'pods', read: answer });
  };
  await poll(polled, tell, signal);
}

/**
 * Asks every `everyMs`, and tells every answer that is another one than the last, a failure when its sentence changes, and an
 * answer again after a failure. Whoever refuses is asked ever more rarely, at most every 30 seconds, so that a kubelet is not
 * flooded with a wrong token; one that is away is asked on, since it may be back any moment and a question to a closed door
 * costs nothing.
 */
export async function poll<T extends object>(
  polled: Polled<T>,
  told: (answer: T | Failure) => void,
  signal: AbortSignal,
): Promise<void> {
  const { everyMs, clock } = polled;
  let last: T | undefined;
  let lack: string | undefined;
  let refusals = 0;
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    const askedAtMs = clock.nowMs();
    const answer = await askInTime(polled, signal);
    if (isOver()) return;
    if (answer instanceof Failure) {
      if (answer.message !== lack) told(answer);
      lack = answer.message;
      refusals = answer.status === EXIT.unavailable ? 0 : refusals + 1;
    } else {
      if (answer !== last || lack !== undefined) told(answer);
      last = answer;
      lack = undefined;
      refusals = 0;
    }
    const pauseMs = Math.max(
      everyMs,
      Math.min(LONGEST_PAUSE_MS, everyMs * 2 ** Math.min(refusals, MOST_DOUBLINGS)),
    );
    await clock.sleep(Math.max(0, pauseMs - (clock.nowMs() - askedAtMs)), signal);
  }
}

/** The answer, or why there is none; one that comes too late is none. Throws what is no Failure. */
export async function askInTime<T>(question: Question<T>, signal: AbortSignal): Promise<T | Failure> {
  const { name, deadlineMs, clock } = question;
  const over = new AbortController();
  const end = (): void => {
    over.abort();
  };
  // Not AbortSignal.any: the long-lived signal would keep a little of each question for good.
  signal.addEventListener('abort', end, { once: true });
  const late = clock.sleep(deadlineMs, over.signal).then(() => tooLate(name, deadlineMs));
  try {
    return await Promise.race([question.list(over.signal), late]);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

function tooLate(name: string, deadlineMs: number): Failure {
  const message = `${name} did not answer within ${deadlineMs / 1000} s; it is asked again`;
  return new Failure(EXIT.unavailable, message);
}
