import type { TickRecord } from '../model/tick.ts';

/** A monotonic time as wall clock, both in milliseconds, by the two clocks of the tick that tells of it. */
export function wallClockMs({ atMs, wallMs }: Pick<TickRecord, 'atMs' | 'wallMs'>, thenMs: number): number {
  return wallMs - (atMs - thenMs);
}
