import type { Fault, Faults } from '../fault.ts';
import { asRecord, type PlainRecord, type PlainValue, valueAt } from '../text/plain-value.ts';
import { allocatableFaults } from './allocatable-rules.ts';
import { KNOWN_GATES } from './gates.ts';
import { numberFaults } from './number-rules.ts';

/** Fields with a closed list of values; the empty text stands for the default. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  cgroupDriver: ['cgroupfs', 'systemd'],
  configMapAndSecretChangeDetectionStrategy: ['Get', 'Cache', 'Watch'],
  hairpinMode: ['none', 'hairpin-veth', 'promiscuous-bridge'],
  memoryReservationPolicy: ['None', 'TieredReservation'],
  topologyManagerPolicy: ['none', 'best-effort', 'restricted', 'single-numa-node'],
  topologyManagerScope: ['container', 'pod'],
};

/** The former default factor, which the kubelet goes on taking with the MemoryQoS gate off. */
const FORMER_FACTOR = 0.9;

/** The rules over a whole configuration, thresholds and reserved amounts apart. */
export function checkRules(configuration: PlainRecord): Faults {
  return {
    errors: [
      ...numberFaults(configuration),
      ...allocatableFaults(configuration),
      ...choiceFaults(configuration),
      ...cgroupFaults(configuration),
      ...gateFaults(configuration),
    ],
    warnings: [...unknownGates(configuration), ...graceWarnings(configuration)],
  };
}

/** What the MemoryQoS gate is stated to be; null counts as false, as Go decodes it. */
export function memoryQosGateOf(configuration: PlainRecord): boolean | undefined {
  const value = valueAt(asRecord(configuration['featureGates']), 'MemoryQoS');
  return value === null ? false : typeof value === 'boolean' ? value : undefined;
}

function choiceFaults(configuration: PlainRecord): readonly Fault[] {
  return Object.entries(CHOICES).flatMap(([field, choices]): Fault[] => {
    const value = configuration[field];
    return typeof value === 'string' && value !== '' && !choices.includes(value)
      ? [
          {
            path: [field],
            message: `${JSON.stringify(value)} is not known here; write ${choices.join(' or ')}`,
          },
        ]
      : [];
  });
}

function cgroupFaults(configuration: PlainRecord): readonly Fault[] {
  const isEmpty = (value: PlainValue | undefined): boolean => (value ?? '') === '';
  return !isEmpty(configuration['systemCgroups']) && isEmpty(configuration['cgroupRoot'])
    ? [{ path: ['systemCgroups'], message: 'needs cgroupRoot; set that too' }]
    : [];
}

function gateFaults(configuration: PlainRecord): readonly Fault[] {
  if (memoryQosGateOf(configuration) !== false) {
    return [];
  }
  const faults: Fault[] = [];
  if (configuration['memoryReservationPolicy'] === 'TieredReservation') {
    const message =
      'TieredReservation needs the feature gate MemoryQoS, which is stated false; turn it on or write None';
    faults.push({ path: ['memoryReservationPolicy'], message });
  }
  const factor = configuration['memoryThrottlingFactor'] ?? FORMER_FACTOR;
  if (factor !== FORMER_FACTOR) {
    const message =
      'a factor other than 0.9 needs the feature gate MemoryQoS, which is stated false; turn it on or remove the factor';
    faults.push({ path: ['memoryThrottlingFactor'], message });
  }
  return faults;
}

function unknownGates(configuration: PlainRecord): readonly Fault[] {
  return Object.keys(asRecord(configuration['featureGates']) ?? {})
    .filter((gate) => !KNOWN_GATES.has(gate))
    .map((gate) => ({
      path: ['featureGates', gate],
      message: 'unknown feature gate, with which a kubelet of 1.36 or later does not start; remove it',
    }));
}

function graceWarnings(configuration: PlainRecord): readonly Fault[] {
  const grace = configuration['evictionMaxPodGracePeriod'];
  return typeof grace === 'number' && grace < 0
    ? [
        {
          path: ['evictionMaxPodGracePeriod'],
          message:
            "a negative number is read as the pod's own grace period, though a kubelet may kill at once; write 0 or more",
        },
      ]
    : [];
}
