import type { TickRecord } from '../../model/tick.ts';

/**
 * A monotonic time as wall clock, both in milliseconds, by the two clocks as they stood when the tick that tells of it had
 * finished: however long ticks take, one moment is told as the same by all of them.
 */
export function wallClockMs(
  { atMs, tookMs, wallMs }: Pick<TickRecord, 'atMs' | 'tookMs' | 'wallMs'>,
  thenMs: number,
): number {
  return wallMs - (atMs + tookMs - thenMs);
}
