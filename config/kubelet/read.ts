import type { Fault } from '../fault.ts';
import type { Finding, TextFile } from '../finding.ts';
import { mergePatch } from '../merge-patch.ts';
import { parseDuration } from '../numbers/duration.ts';
import { findingIn, readSource, type Source, sortFindings } from '../source.ts';
import { formatPath } from '../text/place.ts';
import { asInteger, asList, asRecord, asString, type PlainRecord, valueAt } from '../text/plain-value.ts';
import { enforcedKeys } from './allocatable-rules.ts';
import { isZero, withDefaults } from './defaults.ts';
import { readEviction } from './eviction.ts';
import { KUBELET_FIELDS } from './fields.ts';
import { readReserved } from './reserved.ts';
import { checkRules, memoryQosGateOf } from './rules.ts';
import type { KubeletSettings } from './settings.ts';
import { checkShape } from './shape.ts';

const IDENTITY = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };

export interface KubeletReading {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** There exactly when there are no errors. */
  readonly settings?: KubeletSettings;
}

/**
 * Reads a KubeletConfiguration and its drop-ins as a kubelet of 1.37 does: defaults go in with the main file, drop-ins are
 * merge patches after that in the order given. What the kubelet would refuse is an error; what it accepts and is surely a
 * mistake is a warning. No file at all means the kubelet's defaults.
 */
export function readKubeletConfiguration(
  main: TextFile | undefined,
  dropIns: readonly TextFile[],
): KubeletReading {
  const errors: Finding[] = [];
  const warnings: Finding[] = [];
  const mainSource = main === undefined ? undefined : openSource(main, 'main', { errors, warnings });
  const dropInSources = dropIns
    .map((file) => openSource(file, 'drop-in', { errors, warnings }))
    .filter((source) => source !== undefined);
  const sources = [...(mainSource === undefined ? [] : [mainSource]), ...dropInSources];
  const read = deriveSettings(merged(mainSource?.record, dropInSources), sources);
  const files = [...(main === undefined ? [] : [main]), ...dropIns].map(({ file }) => file);
  const allErrors = sortFindings(
    [...errors, ...read.errors.map((fault) => findingIn(sources, fault))],
    files,
  );
  const allWarnings = sortFindings(
    [...warnings, ...read.warnings.map((fault) => findingIn(sources, fault))],
    files,
  );
  return allErrors.length === 0
    ? { errors: [], warnings: allWarnings, settings: read.settings }
    : { errors: allErrors, warnings: allWarnings };
}

interface Sink {
  readonly errors: Finding[];
  readonly warnings: Finding[];
}

/** Reads one file and checks it by itself; undefined where it holds nothing that could be looked into. */
function openSource(input: TextFile, role: 'main' | 'drop-in', sink: Sink): Source | undefined {
  const reading = readSource(input, IDENTITY, 'needed');
  if ('errors' in reading) {
    sink.errors.push(...reading.errors);
    return undefined;
  }
  const { source } = reading;
  sink.warnings.push(...reading.warnings);
  // Null in a patch deletes, whatever the type of the field is.
  const typed = role === 'main' ? source.record : mergePatch({}, source.record);
  const shape = checkShape(typed, KUBELET_FIELDS);
  sink.errors.push(...shape.errors.map((fault) => findingIn([source], fault)));
  sink.warnings.push(...shape.unknown.map((fault) => findingIn([source], fault)));
  for (const { path, line, column } of source.document.duplicates) {
    const place = { file: source.file, line, column, path: formatPath(path) };
    if (role === 'main') {
      sink.warnings.push({ ...place, message: 'is there twice, and the last one counts; remove one' });
    } else {
      sink.errors.push({ ...place, message: 'is there twice, which a drop-in must not have; remove one' });
    }
  }
  const roleWarnings = role === 'main' ? mainWarnings(source.record) : dropInWarnings(source.record);
  sink.warnings.push(...roleWarnings.map((fault) => findingIn([source], fault)));
  return source;
}

function mainWarnings(record: PlainRecord): readonly Fault[] {
  const period = record['evictionPressureTransitionPeriod'];
  return typeof period === 'string' && period !== '' && isZero(period)
    ? [
        {
          path: ['evictionPressureTransitionPeriod'],
          message: `${period} counts as not given, so it is 5m0s; for no delay set it in a drop-in or in nodeqos.yaml`,
        },
      ]
    : [];
}

function dropInWarnings(record: PlainRecord): readonly Fault[] {
  return (record['mergeDefaultEvictionSettings'] ?? null) === null
    ? []
    : [
        {
          path: ['mergeDefaultEvictionSettings'],
          message: 'has no effect in a drop-in, which comes after the defaults; move it to the main file',
        },
      ];
}

function merged(main: PlainRecord | undefined, dropIns: readonly Source[]): PlainRecord {
  return dropIns.reduce<PlainRecord>(
    (record, dropIn) => mergePatch(record, dropIn.record),
    withDefaults(main, dropIns.length > 0),
  );
}

interface Derived {
  readonly errors: readonly Fault[];
  readonly warnings: readonly Fault[];
  readonly settings: KubeletSettings;
}

function deriveSettings(configuration: PlainRecord, sources: readonly Source[]): Derived {
  const eviction = readEviction(configuration);
  const kubeReserved = readReserved(configuration, 'kubeReserved');
  const systemReserved = readReserved(configuration, 'systemReserved');
  const rules = checkRules(configuration);
  const text = (field: string): string => asString(configuration[field]) ?? '';
  const number = (field: string): number | undefined =>
    typeof configuration[field] === 'number' ? configuration[field] : undefined;
  const gate = memoryQosGateOf(configuration);
  const period = parseDuration(text('evictionPressureTransitionPeriod'));
  return {
    errors: [...eviction.errors, ...kubeReserved.errors, ...systemReserved.errors, ...rules.errors],
    warnings: [...eviction.warnings, ...rules.warnings],
    settings: {
      evictionThresholds: eviction.thresholds,
      evictionPressureTransitionPeriodMs: period.ok ? period.value : 0,
      evictionMaxPodGracePeriodSeconds: number('evictionMaxPodGracePeriod') ?? 0,
      memoryThrottlingFactor: number('memoryThrottlingFactor') ?? null,
      memoryReservationPolicy:
        text('memoryReservationPolicy') === 'TieredReservation' ? 'TieredReservation' : 'None',
      memoryQosGate: gate ?? true,
      memoryQosGateStatedFalse: gate === false,
      ...(gate === true ? { memoryQosGateStatedTrue: true } : {}),
      cgroupDriver: text('cgroupDriver') === 'systemd' ? 'systemd' : 'cgroupfs',
      cgroupDriverStated: sources.some(({ record }) => !isZero(record['cgroupDriver'])),
      cgroupRoot: text('cgroupRoot') || '/',
      kubeReserved: kubeReserved.amounts,
      systemReserved: systemReserved.amounts,
      ...optional('kubeReservedCgroup', text('kubeReservedCgroup')),
      ...optional('systemReservedCgroup', text('systemReservedCgroup')),
      enforceNodeAllocatable: enforcedKeys(configuration),
      staticPodPath: text('staticPodPath') || null,
      ...shutdownGrace(configuration),
      ...optional('containerRuntimeEndpoint', text('containerRuntimeEndpoint')),
      ...optionalPort('port', number('port')),
      ...optionalPort('readOnlyPort', number('readOnlyPort')),
    },
  };
}

function optional<K extends string>(key: K, value: string): Partial<Record<K, string>> {
  return value === '' ? {} : ({ [key]: value } as Partial<Record<K, string>>);
}

/** 0 is as good as not stated. */
function optionalPort<K extends string>(key: K, value = 0): Partial<Record<K, number>> {
  return value === 0 ? {} : ({ [key]: value } as Partial<Record<K, number>>);
}

/** Periods beyond 2^53 seconds lose precision, which nobody will live to see. */
function shutdownGrace(configuration: PlainRecord): Pick<KubeletSettings, 'shutdownGraceByPriority'> {
  const stated = asList(configuration['shutdownGracePeriodByPodPriority']) ?? [];
  const ranges = stated.map(asRecord).map((range) => ({
    priority: Number(asInteger(valueAt(range, 'priority')) ?? 0n),
    seconds: Number(asInteger(valueAt(range, 'shutdownGracePeriodSeconds')) ?? 0n),
  }));
  return ranges.length === 0 ? {} : { shutdownGraceByPriority: ranges };
}
