import type { Clock } from '../ports.ts';

/**
 * Waits for work at most so long, and says whether it has ended; it goes on all the same. A disk that takes seconds for a
 * write, as the disk of a node without memory does, must not keep the agent from what would help it.
 */
export async function endsInTime(work: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const ended = new AbortController();
  const late = clock.sleep(ms, ended.signal).then(() => ended.signal.aborted);
  const inTime = work.then(() => {
    ended.abort();
    return true;
  });
  return await Promise.race([inTime, late]);
}
