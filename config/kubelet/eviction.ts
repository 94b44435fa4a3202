import { allocatableCopies, sortThresholds } from '../eviction/threshold-order.ts';
import { readThresholds, type ThresholdPaths, type ThresholdReading } from '../eviction/thresholds.ts';
import type { Fault } from '../fault.ts';
import type { Amount, Threshold } from '../signal.ts';
import { isRecord, type PlainRecord } from '../text/plain-value.ts';
import { enforcedKeys } from './allocatable-rules.ts';
import { DEFAULT_EVICTION_HARD } from './defaults.ts';

const PATHS: ThresholdPaths = {
  hard: ['evictionHard'],
  soft: ['evictionSoft'],
  softGracePeriod: ['evictionSoftGracePeriod'],
  minimumReclaim: ['evictionMinimumReclaim'],
};

/** The thresholds of a configuration that has its defaults and drop-ins in, with the allocatable copies, sorted. */
export function readEviction(configuration: PlainRecord): ThresholdReading {
  const reading = readThresholds(
    {
      hard: configuration['evictionHard'],
      soft: configuration['evictionSoft'],
      softGracePeriod: configuration['evictionSoftGracePeriod'],
      minimumReclaim: configuration['evictionMinimumReclaim'],
    },
    PATHS,
  );
  const copies = enforcedKeys(configuration).includes('pods') ? allocatableCopies(reading.thresholds) : [];
  return {
    thresholds: sortThresholds([...reading.thresholds, ...copies]),
    errors: reading.errors,
    warnings: [...reading.warnings, ...lostDefaults(configuration), ...idleSoft(reading.thresholds)],
  };
}

/** One key in evictionHard turns off all default thresholds that it does not name: the mistake that operators make most. */
function lostDefaults(configuration: PlainRecord): readonly Fault[] {
  const path = ['evictionHard'];
  const hard = configuration['evictionHard'] ?? null;
  if (hard === null) {
    const message =
      'there is no hard threshold, since the defaults go in with a main file only and null in a drop-in deletes them; state the thresholds that are wanted';
    return [{ path, message, cause: ['kind'] }];
  }
  const lost = Object.entries(DEFAULT_EVICTION_HARD).filter(
    ([signal]) => isRecord(hard) && !Object.hasOwn(hard, signal),
  );
  if (lost.length === 0) {
    return [];
  }
  const names = lost.map(([signal, value]) => `${signal} (${value})`).join(', ');
  const message = `without ${names}: giving evictionHard turns off the defaults that it does not name; add them, or set mergeDefaultEvictionSettings: true in the main file`;
  return [{ path, message }];
}

/** Soft thresholds that can never act, since a hard one of the same signal is met no later. */
function idleSoft(thresholds: readonly Threshold[]): readonly Fault[] {
  return thresholds
    .filter(({ type }) => type === 'soft')
    .filter((soft) =>
      thresholds.some(
        (hard) => hard.type === 'hard' && hard.signal === soft.signal && covers(hard.value, soft.value),
      ),
    )
    .map(({ signal }) => ({
      path: ['evictionSoft', signal],
      message: 'never acts, since the hard threshold is at least as high; raise this one or lower that one',
    }));
}

function covers(hard: Amount, soft: Amount): boolean {
  if ('quantity' in hard) {
    return 'quantity' in soft && hard.quantity >= soft.quantity;
  }
  return 'percentage' in soft && hard.percentage >= soft.percentage;
}
