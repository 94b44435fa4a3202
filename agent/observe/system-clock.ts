import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../ports.ts';

/** The clocks of this machine. Node's high-resolution time is CLOCK_MONOTONIC, which all processes of one boot share. */
export const systemClock: Clock = {
  nowMs: () => Number(process.hrtime.bigint() / 1000n) / 1000,
  wallMs: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await sleep(ms, undefined, { signal });
    } catch (error) {
      // Being woken is how a sleep ends too.
      if (!signal.aborted) throw error;
    }
  },
};
