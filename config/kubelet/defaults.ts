import { parseDuration } from '../numbers/duration.ts';
import { isRecord, type PlainRecord, type PlainValue } from '../text/plain-value.ts';

/** The kubelet's hard thresholds on Linux where evictionHard is not given (eviction: DefaultEvictionHard). */
export const DEFAULT_EVICTION_HARD: Readonly<Record<string, string>> = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
};

const WHERE_ABSENT: Readonly<Record<string, PlainValue>> = {
  enforceNodeAllocatable: ['pods'],
  cgroupsPerQOS: true,
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
};
/** Fields that are no pointers: their zero value is the same as not given. */
const WHERE_ZERO: Readonly<Record<string, PlainValue>> = {
  evictionPressureTransitionPeriod: '5m0s',
  imageMinimumGCAge: '2m0s',
  cgroupDriver: 'cgroupfs',
  memoryReservationPolicy: 'None',
  hairpinMode: 'promiscuous-bridge',
  nodeLeaseDurationSeconds: 40,
};

/**
 * What the kubelet has before its drop-ins: the main file with the defaults in that matter to nodeqos or to a rule. Without
 * a main file but with drop-ins evictionHard stays empty (kubelet: it is filled in where the main file is loaded).
 */
export function withDefaults(main: PlainRecord | undefined, hasDropIns: boolean): PlainRecord {
  const record: Record<string, PlainValue> = { ...main };
  for (const [key, value] of Object.entries(WHERE_ABSENT)) {
    record[key] = record[key] ?? value;
  }
  for (const [key, value] of Object.entries(WHERE_ZERO)) {
    record[key] = isZero(record[key]) ? value : (record[key] ?? value);
  }
  const hard = record['evictionHard'] ?? null;
  if (hard === null && (main !== undefined || !hasDropIns)) {
    record['evictionHard'] = DEFAULT_EVICTION_HARD;
  } else if (isRecord(hard) && record['mergeDefaultEvictionSettings'] === true) {
    record['evictionHard'] = { ...DEFAULT_EVICTION_HARD, ...hard };
  }
  return record;
}

/** Whether a value is the zero value of its type, and so the same as not given: 0, the empty text, a duration of 0. */
export function isZero(value: PlainValue | undefined): boolean {
  if (typeof value === 'string') {
    const duration = parseDuration(value);
    return value === '' || (duration.ok && duration.value === 0);
  }
  return value === 0 || value === undefined || value === null;
}
