import type { Clock } from '../../ports.ts';

/** Resolves when the work has ended, or after so many milliseconds. */
export async function endedOrLate(work: Promise<void>, ms: number, clock: Clock): Promise<void> {
  const ended = new AbortController();
  await Promise.race([work, clock.sleep(ms, ended.signal)]);
  ended.abort();
}
