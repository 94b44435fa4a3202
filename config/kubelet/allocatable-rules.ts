import type { Fault } from '../fault.ts';
import { asList, type PlainRecord } from '../text/plain-value.ts';

const KEYS = [
  'pods',
  'system-reserved',
  'system-reserved-compressible',
  'kube-reserved',
  'kube-reserved-compressible',
  'none',
];

/** What enforceNodeAllocatable names, texts only. */
export function enforcedKeys(configuration: PlainRecord): readonly string[] {
  return (asList(configuration['enforceNodeAllocatable']) ?? []).filter((key) => typeof key === 'string');
}

/** The rules of enforceNodeAllocatable and of the cgroups that it needs (ValidateKubeletConfiguration). */
export function allocatableFaults(configuration: PlainRecord): readonly Fault[] {
  const list = asList(configuration['enforceNodeAllocatable']) ?? [];
  const keys = enforcedKeys(configuration);
  const faults = list.flatMap((key, index): Fault[] => {
    const message = typeof key === 'string' ? keyFault(key, index, keys, configuration) : undefined;
    return message === undefined
      ? []
      : [{ path: ['enforceNodeAllocatable', index], message, cause: ['cgroupsPerQOS'] }];
  });
  return [...faults, ...cpuSetFaults(configuration)];
}

function keyFault(
  key: string,
  index: number,
  keys: readonly string[],
  configuration: PlainRecord,
): string | undefined {
  if (!KEYS.includes(key)) {
    return `${JSON.stringify(key)} is not known here; write ${KEYS.join(', ')}`;
  }
  if (keys.indexOf(key) !== index) {
    return `${key} is there twice; remove one`;
  }
  if (key === 'none') {
    return keys.length > 1 ? 'none must stand alone; remove it or the others' : undefined;
  }
  if (configuration['cgroupsPerQOS'] === false) {
    return 'needs cgroupsPerQOS: true; set that, or write ["none"] here';
  }
  return twinFault(key, keys) ?? cgroupFault(key, configuration);
}

function twinFault(key: string, keys: readonly string[]): string | undefined {
  return keys.includes(`${key}-compressible`)
    ? `${key} and ${key}-compressible exclude each other; remove one`
    : undefined;
}

function cgroupFault(key: string, configuration: PlainRecord): string | undefined {
  const field = key.startsWith('system') ? 'systemReservedCgroup' : 'kubeReservedCgroup';
  return key !== 'pods' && (configuration[field] ?? '') === ''
    ? `${key} needs ${field}; name the cgroup there or remove ${key}`
    : undefined;
}

function cpuSetFaults(configuration: PlainRecord): readonly Fault[] {
  const cpus = configuration['reservedSystemCPUs'] ?? '';
  if (cpus === '') {
    return [];
  }
  return ['systemReservedCgroup', 'kubeReservedCgroup']
    .filter((field) => (configuration[field] ?? '') !== '')
    .map((field) => ({
      path: ['reservedSystemCPUs'],
      message: `excludes ${field}; remove one of the two`,
    }));
}
