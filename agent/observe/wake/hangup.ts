import type { WakeSource } from '../../ports.ts';

/** Wakes on SIGHUP, by which an operator asks for a fresh look at everything. */
export const hangupWake: WakeSource = {
  name: 'SIGHUP',
  start: (wake, signal) => {
    process.on('SIGHUP', wake);
    signal.addEventListener('abort', () => process.off('SIGHUP', wake), { once: true });
    return undefined;
  },
};
