import type { EvictionOrder } from '../../model/eviction.ts';
import type { Readings } from '../../model/node.ts';
import type { EvictionPolicy } from './policy.ts';
import type { EvictionState } from './state.ts';

/** Whether an eviction is still right. */
export type SecondLook = { readonly stands: true } | { readonly stands: false; readonly why: string };

/** Whether the pods' statistics matter at this look; reading them costs, so a look at which all is well does without. */
export function needsUsage(
  _state: EvictionState,
  _readings: Readings,
  _policy: EvictionPolicy,
  _atMs: number,
): boolean {
  return true;
}

/** Judges an eviction by numbers that were read after it was decided, right before it is done. */
export function secondLook(
  _order: EvictionOrder,
  _fresh: { readonly readings: Readings; readonly atMs: number },
  _state: EvictionState,
  _policy: EvictionPolicy,
): SecondLook {
  return { stands: true };
}

/** The readings without those whose sample is older than `maxAgeMs`: an old number is none. Without a time it is new. */
export function freshReadings(readings: Readings, nowMs: number, maxAgeMs: number): Readings {
  const isOld = (atMs: number | undefined): boolean => atMs !== undefined && nowMs - atMs > maxAgeMs;
  if (![...readings.values()].some(({ atMs }) => isOld(atMs))) return readings;
  return new Map([...readings].filter(([, { atMs }]) => !isOld(atMs)));
}
