import { amountIn } from '../../config/numbers/percent.ts';
import type { Threshold } from '../../config/signal.ts';
import type { ThresholdStatus } from '../model/eviction.ts';
import type { Readings, SignalReading } from '../model/node.ts';

/** Between which bounds a look follows the one before, in milliseconds. */
export interface PaceRules {
  readonly intervalMs: number;
  readonly minIntervalMs: number;
}

/** Two looks at the signals; the earlier one is absent at the first. */
export interface TwoLooks {
  readonly before?: { readonly readings: Readings; readonly atMs: number };
  readonly now: { readonly readings: Readings; readonly atMs: number };
}

/** How many looks there shall be at least before a signal that goes on falling as fast reaches its threshold. */
const LOOKS_BEFORE_CROSSING = 4;
/** A signal with less than this share of its capacity above its threshold can be gone within one interval. */
const NARROW_SHARE = 0.02;

/**
 * How long to wait until the next look, in milliseconds: the interval while there is headroom, shorter the sooner a signal
 * would reach its threshold at the speed at which it fell since the last look, and the shortest while a hard threshold is
 * met. A soft one that waits for its grace is looked at when the grace is over at the latest.
 */
export function nextLookInMs(
  looks: TwoLooks,
  thresholds: readonly ThresholdStatus[],
  rules: PaceRules,
): number {
  const waits = thresholds.map((status) => waitFor(status, looks, rules));
  return Math.min(rules.intervalMs, Math.max(rules.minIntervalMs, Math.min(rules.intervalMs, ...waits)));
}

function waitFor(status: ThresholdStatus, looks: TwoLooks, rules: PaceRules): number {
  const { threshold, met, metSinceMs } = status;
  const reading = looks.now.readings.get(threshold.signal);
  if (reading === undefined) return rules.intervalMs;
  if (met === true) {
    const graceLeftMs = metSinceMs === undefined ? 0 : metSinceMs + threshold.gracePeriodMs - looks.now.atMs;
    return graceLeftMs;
  }
  const headroom = headroomOf(threshold, reading);
  const narrow = headroom < NARROW_SHARE * Number(reading.capacity) ? rules.intervalMs / 4 : rules.intervalMs;
  return Math.min(narrow, timeToCrossMs(threshold, headroom, looks) / LOOKS_BEFORE_CROSSING);
}

/** How far available is above the threshold; enough precision for a speed. */
function headroomOf(threshold: Threshold, reading: SignalReading): number {
  return Number(reading.available - amountIn(threshold.value, reading.capacity));
}

/** When the threshold would be reached at the speed since the last look; Infinity while the signal does not fall. */
function timeToCrossMs(threshold: Threshold, headroom: number, { before, now }: TwoLooks): number {
  const earlier = before?.readings.get(threshold.signal);
  const current = now.readings.get(threshold.signal);
  if (before === undefined || earlier === undefined || current === undefined) return Infinity;
  const fell = Number(earlier.available - current.available);
  const tookMs = now.atMs - before.atMs;
  return fell > 0 && tookMs > 0 ? (headroom * tookMs) / fell : Infinity;
}
