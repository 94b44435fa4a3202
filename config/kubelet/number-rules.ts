import type { Fault } from '../fault.ts';
import { parseDuration } from '../numbers/duration.ts';
import type { PlainRecord, PlainValue } from '../text/plain-value.ts';

/** Field, lowest and highest value (ValidateKubeletConfiguration). */
const RANGES: readonly (readonly [string, number, number])[] = [
  ['eventBurst', 0, Number.POSITIVE_INFINITY],
  ['eventRecordQPS', 0, Number.POSITIVE_INFINITY],
  ['healthzPort', 0, 65535],
  ['imageGCHighThresholdPercent', 0, 100],
  ['imageGCLowThresholdPercent', 0, 100],
  ['iptablesDropBit', 0, 31],
  ['iptablesMasqueradeBit', 0, 31],
  ['kubeAPIBurst', 0, Number.POSITIVE_INFINITY],
  ['kubeAPIQPS', 0, Number.POSITIVE_INFINITY],
  ['maxOpenFiles', 0, Number.POSITIVE_INFINITY],
  ['maxParallelImagePulls', 1, Number.POSITIVE_INFINITY],
  ['maxPods', 0, Number.POSITIVE_INFINITY],
  ['nodeLeaseDurationSeconds', 1, Number.POSITIVE_INFINITY],
  ['oomScoreAdj', -1000, 1000],
  ['podsPerCore', 0, Number.POSITIVE_INFINITY],
  ['port', 0, 65535],
  ['readOnlyPort', 0, 65535],
  ['registryBurst', 0, Number.POSITIVE_INFINITY],
  ['registryPullQPS', 0, Number.POSITIVE_INFINITY],
];

/** The rules on single numbers and on numbers that go together, of ValidateKubeletConfiguration. */
export function numberFaults(configuration: PlainRecord): readonly Fault[] {
  return [
    ...rangeFaults(configuration),
    ...imageFaults(configuration),
    ...pullFaults(configuration),
    ...shutdownFaults(configuration),
    ...quotaFaults(configuration),
    ...factorFaults(configuration),
  ];
}

function rangeFaults(configuration: PlainRecord): readonly Fault[] {
  return RANGES.flatMap(([field, lowest, highest]): Fault[] => {
    const value = numberOf(configuration[field]);
    if (value === undefined || (value >= lowest && value <= highest)) {
      return [];
    }
    const range = Number.isFinite(highest) ? `from ${lowest} to ${highest}` : `of ${lowest} or more`;
    return [{ path: [field], message: `${value} is out of range; give a number ${range}` }];
  });
}

function numberOf(value: PlainValue | undefined): number | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}

function durationOf(value: PlainValue | undefined): number | undefined {
  const duration = typeof value === 'string' ? parseDuration(value) : undefined;
  return duration?.ok === true ? duration.value : undefined;
}

function imageFaults(configuration: PlainRecord): readonly Fault[] {
  const faults: Fault[] = [];
  const low = numberOf(configuration['imageGCLowThresholdPercent']);
  const high = numberOf(configuration['imageGCHighThresholdPercent']);
  if (low !== undefined && high !== undefined && low >= high) {
    const message = `${low} must be below imageGCHighThresholdPercent, which is ${high}; lower this or raise that`;
    faults.push({
      path: ['imageGCLowThresholdPercent'],
      message,
      cause: ['imageGCHighThresholdPercent'],
    });
  }
  const oldest = durationOf(configuration['imageMaximumGCAge']) ?? 0;
  const youngest = durationOf(configuration['imageMinimumGCAge']) ?? 0;
  if (oldest !== 0 && oldest <= youngest) {
    const message = 'must be longer than imageMinimumGCAge; raise it, or write 0s for no limit';
    faults.push({ path: ['imageMaximumGCAge'], message });
  }
  return faults;
}

function pullFaults(configuration: PlainRecord): readonly Fault[] {
  const parallel = numberOf(configuration['maxParallelImagePulls']) ?? 1;
  return parallel > 1 && configuration['serializeImagePulls'] === true
    ? [
        {
          path: ['maxParallelImagePulls'],
          message: 'cannot be above 1 while serializeImagePulls is true; set that to false',
        },
      ]
    : [];
}

function shutdownFaults(configuration: PlainRecord): readonly Fault[] {
  const all = durationOf(configuration['shutdownGracePeriod']) ?? 0;
  const critical = durationOf(configuration['shutdownGracePeriodCriticalPods']) ?? 0;
  const faults = [...periodFaults('shutdownGracePeriod', all)];
  if (critical > all) {
    const message = 'must not be longer than shutdownGracePeriod; lower this or raise that';
    return [...faults, { path: ['shutdownGracePeriodCriticalPods'], message }];
  }
  return [...faults, ...periodFaults('shutdownGracePeriodCriticalPods', critical)];
}

function periodFaults(field: string, ms: number): readonly Fault[] {
  return ms < 0 || (ms > 0 && ms < 1000)
    ? [{ path: [field], message: 'must be 0s, or 1s or more; correct it' }]
    : [];
}

function quotaFaults(configuration: PlainRecord): readonly Fault[] {
  const period = durationOf(configuration['cpuCFSQuotaPeriod']);
  return period !== undefined && (period < 1 || period > 1000)
    ? [{ path: ['cpuCFSQuotaPeriod'], message: 'must be from 1ms to 1s; correct it' }]
    : [];
}

function factorFaults(configuration: PlainRecord): readonly Fault[] {
  const factor = numberOf(configuration['memoryThrottlingFactor']);
  return factor !== undefined && (factor <= 0 || factor > 1)
    ? [
        {
          path: ['memoryThrottlingFactor'],
          message: `${factor} must be above 0 and at most 1; for no throttling remove it`,
        },
      ]
    : [];
}
