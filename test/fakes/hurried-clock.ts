import { systemClock } from '../../agent/observe/system-clock.ts';
import type { Clock } from '../../agent/ports.ts';

/** A clock on which so many times as much time goes by: for those who wait minutes for something. */
export function hurriedClock(times: number): Clock {
  return {
    nowMs: () => systemClock.nowMs() * times,
    wallMs: () => systemClock.wallMs(),
    sleep: async (ms, signal) => {
      await systemClock.sleep(ms / times, signal);
    },
  };
}
