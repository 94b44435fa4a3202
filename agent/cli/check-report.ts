import { API_VERSION } from '../../config/api-version.ts';
import { type Finding, formatFinding } from '../../config/finding.ts';
import type { KubeletReading } from '../../config/kubelet/read.ts';
import type { KubeletSettings } from '../../config/kubelet/settings.ts';
import type { NodeQosReading } from '../../config/nodeqos/read.ts';
import type { NodeQosSettings } from '../../config/nodeqos/settings.ts';
import { formatDuration } from '../../config/numbers/duration.ts';
import { formatQuantity, type Quantity, quantityOf } from '../../config/numbers/quantity.ts';
import {
  evictionThresholds,
  maxPodGracePeriodSeconds,
  memoryQosPolicy,
  pressureTransitionPeriodMs,
} from '../../config/policy.ts';
import type { Amount, Signal, Threshold } from '../../config/signal.ts';
import { visible } from '../report/visible.ts';
import { drawTable } from './console/print.ts';

export interface ConfigReport {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'ConfigReport';
  readonly valid: boolean;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly effective?: EffectiveConfiguration;
}

interface EffectiveConfiguration {
  readonly evictionThresholds: readonly Omit<Threshold, 'id'>[];
  readonly evictionPressureTransitionPeriodMs: number;
  readonly evictionMaxPodGracePeriodSeconds: number;
  readonly memoryThrottlingFactor: number | null;
  readonly memoryReservationPolicy: string;
  readonly memoryQosGate: boolean;
  readonly cgroupDriver: string;
  readonly cgroupRoot: string;
  readonly kubeReserved: Readonly<Record<string, string>>;
  readonly systemReserved: Readonly<Record<string, string>>;
  readonly enforceNodeAllocatable: readonly string[];
  readonly staticPodPath: string | null;
}

/** The document of `check`: what is wrong with both configurations, and, where nothing is, what is in force. */
export function configReport(kubelet: KubeletReading, nodeqos: NodeQosReading): ConfigReport {
  const errors = [...nodeqos.errors, ...kubelet.errors].map(ordered);
  const warnings = [...nodeqos.warnings, ...kubelet.warnings].map(ordered);
  const head = { apiVersion: API_VERSION, kind: 'ConfigReport' } as const;
  if (kubelet.settings === undefined || nodeqos.settings === undefined) {
    return { ...head, valid: false, errors, warnings };
  }
  return { ...head, valid: true, errors, warnings, effective: effective(kubelet.settings, nodeqos.settings) };
}

/** The fields in the order of the contract. */
function ordered({ file, line, column, path, message }: Finding): Finding {
  return {
    file,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    path,
    message,
  };
}

function effective(kubelet: KubeletSettings, nodeqos: NodeQosSettings): EffectiveConfiguration {
  const policy = memoryQosPolicy(kubelet, nodeqos);
  return {
    evictionThresholds: evictionThresholds(kubelet, nodeqos).map(
      ({ signal, type, value, gracePeriodMs, minReclaim, derived }) => ({
        signal,
        type,
        value,
        gracePeriodMs,
        minReclaim,
        derived,
      }),
    ),
    evictionPressureTransitionPeriodMs: pressureTransitionPeriodMs(kubelet, nodeqos),
    evictionMaxPodGracePeriodSeconds: maxPodGracePeriodSeconds(kubelet, nodeqos),
    memoryThrottlingFactor: policy.memoryThrottlingFactor,
    memoryReservationPolicy: policy.memoryReservationPolicy,
    memoryQosGate: kubelet.memoryQosGate,
    cgroupDriver: kubelet.cgroupDriver,
    cgroupRoot: kubelet.cgroupRoot,
    kubeReserved: quantities(kubelet.kubeReserved),
    systemReserved: quantities(kubelet.systemReserved),
    enforceNodeAllocatable: kubelet.enforceNodeAllocatable,
    staticPodPath: kubelet.staticPodPath,
  };
}

function quantities(amounts: ReadonlyMap<string, Quantity>): Readonly<Record<string, string>> {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)]));
}

/** The form for people: what was found, then what is in force. */
export function configReportText(report: ConfigReport): string {
  const findings = [
    ...report.errors.map((finding) => `error: ${visible(formatFinding(finding))}\n`),
    ...report.warnings.map((finding) => `warning: ${visible(formatFinding(finding))}\n`),
  ];
  const verdict = report.valid ? 'The configuration is valid.\n' : 'The configuration is not valid.\n';
  const meaning = report.effective === undefined ? '' : `\n${effectiveText(report.effective)}`;
  return `${findings.join('')}${findings.length === 0 ? '' : '\n'}${verdict}${meaning}`;
}

function effectiveText(configuration: EffectiveConfiguration): string {
  const rows = configuration.evictionThresholds.map((threshold) => [
    threshold.signal,
    threshold.type,
    amountText(threshold.value, threshold.signal),
    threshold.type === 'soft' ? formatDuration(threshold.gracePeriodMs) : '-',
    threshold.minReclaim === null ? '-' : amountText(threshold.minReclaim, threshold.signal),
    threshold.derived ? 'copy of memory.available' : '',
  ]);
  const thresholds =
    rows.length === 0
      ? 'No eviction thresholds: nothing is evicted under pressure.\n'
      : drawTable(['SIGNAL', 'TYPE', 'BELOW', 'GRACE', 'MIN RECLAIM', ''], rows, { right: [2] });
  return `${thresholds}\n${drawTable(['SETTING', 'VALUE'], settingRows(configuration))}`;
}

function settingRows(configuration: EffectiveConfiguration): readonly (readonly string[])[] {
  const { memoryThrottlingFactor, staticPodPath } = configuration;
  return [
    ['pressure transition period', formatDuration(configuration.evictionPressureTransitionPeriodMs)],
    ['longest grace of a soft eviction', `${configuration.evictionMaxPodGracePeriodSeconds}s`],
    [
      'memory throttling factor',
      memoryThrottlingFactor === null ? 'none, so no memory.high' : String(memoryThrottlingFactor),
    ],
    ['memory reservation policy', configuration.memoryReservationPolicy],
    ['MemoryQoS gate', configuration.memoryQosGate ? 'on' : 'off'],
    ['cgroup driver', configuration.cgroupDriver],
    ['cgroup root', configuration.cgroupRoot],
    ['kube-reserved', recordText(configuration.kubeReserved)],
    ['system-reserved', recordText(configuration.systemReserved)],
    ['enforced allocatable', configuration.enforceNodeAllocatable.join(', ') || 'none'],
    ['static pods', staticPodPath ?? 'none'],
  ];
}

function recordText(record: Readonly<Record<string, string>>): string {
  return (
    Object.entries(record)
      .map(([name, amount]) => `${name} ${amount}`)
      .join(', ') || 'none'
  );
}

/** Bytes in binary units where that is exact, counts as they are, a share without the noise of its 32 bits: 10.5%. */
export function amountText(amount: Amount, signal: Signal): string {
  if ('percentage' in amount) {
    return `${Number((amount.percentage * 100).toPrecision(6))}%`;
  }
  const isBytes = signal !== 'pid.available' && !signal.endsWith('inodesFree');
  return isBytes ? formatQuantity(quantityOf(amount.quantity, 'BinarySI')) : `${amount.quantity}`;
}
