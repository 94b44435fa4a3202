import type { Clock } from '../../ports.ts';

const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
const GROWTH = 1.5;

export type Waited = 'met' | 'timed-out' | 'aborted';

/** Looks again and again, less often the longer it takes, until `isMet`, or `ms` have passed, or the signal aborts. */
export async function waitUntil(
  clock: Clock,
  isMet: () => boolean,
  ms: number,
  signal: AbortSignal,
): Promise<Waited> {
  const endMs = clock.nowMs() + ms;
  let pauseMs = SHORTEST_PAUSE_MS;
  for (;;) {
    if (isMet()) {
      return 'met';
    }
    const leftMs = endMs - clock.nowMs();
    if (signal.aborted || leftMs <= 0) {
      return signal.aborted ? 'aborted' : 'timed-out';
    }
    await clock.sleep(Math.min(pauseMs, leftMs), signal);
    pauseMs = Math.min(pauseMs * GROWTH, LONGEST_PAUSE_MS);
  }
}
