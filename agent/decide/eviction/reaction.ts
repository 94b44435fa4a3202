import type { EvictionOrder, ThresholdStatus } from '../../model/eviction.ts';

/**
 * Milliseconds from when the threshold of an eviction was first seen past its grace to `nowMs`; undefined for storage limits,
 * which have no such moment.
 */
export function reactionMs(
  { cause }: EvictionOrder,
  thresholds: readonly ThresholdStatus[],
  nowMs: number,
): number | undefined {
  if (cause.kind !== 'threshold') return undefined;
  const status = thresholds.find(({ threshold }) => threshold.id === cause.threshold.id);
  return status?.metSinceMs === undefined
    ? undefined
    : nowMs - (status.metSinceMs + cause.threshold.gracePeriodMs);
}
