import { API_VERSION } from '../api-version.ts';
import { allocatableCopies, sortThresholds } from '../eviction/threshold-order.ts';
import { readThresholds, type ThresholdPaths, type ThresholdReading } from '../eviction/thresholds.ts';
import type { Fault } from '../fault.ts';
import type { Finding, TextFile } from '../finding.ts';
import { mergePatch } from '../merge-patch.ts';
import { findingIn, readSource, type Source, sortFindings } from '../source.ts';
import { formatPath } from '../text/place.ts';
import type { PlainRecord } from '../text/plain-value.ts';
import { faultsOf } from './issues.ts';
import { KIND, NODEQOS_SCHEMA, type NodeQosDocument } from './schema.ts';
import type { NodeQosSettings } from './settings.ts';

export interface NodeQosReading {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** There exactly when there are no errors. */
  readonly settings?: NodeQosSettings;
}

const IDENTITY = { apiVersion: API_VERSION, kind: KIND };

/**
 * Reads nodeqos' own configuration: the main file and its drop-ins in the order given, merged as merge patches (maps by key,
 * lists whole, null deletes). Every key has a default, so no file at all is fine; unknown and doubled keys are errors. A
 * drop-in may leave out apiVersion and kind.
 */
export function readNodeQosConfiguration(
  main: TextFile | undefined,
  dropIns: readonly TextFile[],
): NodeQosReading {
  const errors: Finding[] = [];
  const warnings: Finding[] = [];
  const inputs = [...(main === undefined ? [] : [main]), ...dropIns];
  const sources = inputs
    .map((input) => openSource(input, input === main ? 'needed' : 'optional', { errors, warnings }))
    .filter((source) => source !== undefined);
  const result = derive(
    sources.reduce<PlainRecord>((record, source) => mergePatch(record, source.record), { ...IDENTITY }),
  );
  const files = inputs.map(({ file }) => file);
  errors.push(...result.errors.map((fault) => findingIn(sources, fault)));
  warnings.push(...result.warnings.map((fault) => findingIn(sources, fault)));
  const sorted = { errors: sortFindings(errors, files), warnings: sortFindings(warnings, files) };
  return result.settings === undefined || errors.length > 0
    ? sorted
    : { ...sorted, settings: result.settings };
}

function openSource(
  input: TextFile,
  identity: 'needed' | 'optional',
  sink: { readonly errors: Finding[]; readonly warnings: Finding[] },
): Source | undefined {
  const reading = readSource(input, IDENTITY, identity);
  if ('errors' in reading) {
    sink.errors.push(...reading.errors);
    return undefined;
  }
  const { source } = reading;
  sink.warnings.push(...reading.warnings);
  for (const { path, line, column } of source.document.duplicates) {
    const message = 'is there twice; remove one';
    sink.errors.push({ file: source.file, line, column, path: formatPath(path), message });
  }
  return source;
}

interface Derived {
  readonly errors: readonly Fault[];
  readonly warnings: readonly Fault[];
  readonly settings?: NodeQosSettings;
}

function derive(configuration: PlainRecord): Derived {
  const result = NODEQOS_SCHEMA.safeParse(configuration);
  if (!result.success) {
    return { errors: faultsOf(result.error.issues, configuration), warnings: [] };
  }
  const document = result.data;
  const reading = thresholdsOf(document);
  const errors = [...(reading?.errors ?? []), ...crossFaults(document), ...taintFaults(document)];
  const warnings = reading?.warnings ?? [];
  return { errors, warnings, settings: settingsOf(document, reading) };
}

const PATHS: ThresholdPaths = {
  hard: ['eviction', 'thresholds', 'hard'],
  soft: ['eviction', 'thresholds', 'soft'],
  softGracePeriod: ['eviction', 'thresholds', 'softGracePeriod'],
  minimumReclaim: ['eviction', 'thresholds', 'minimumReclaim'],
};

function thresholdsOf({ eviction: { thresholds } }: NodeQosDocument): ThresholdReading | undefined {
  return thresholds === undefined
    ? undefined
    : readThresholds(
        {
          hard: thresholds.hard,
          soft: thresholds.soft,
          softGracePeriod: thresholds.softGracePeriod,
          minimumReclaim: thresholds.minimumReclaim,
        },
        PATHS,
      );
}

function crossFaults({ eviction, loop, kubelet }: NodeQosDocument): readonly Fault[] {
  const faults: Fault[] = [];
  const path = ['eviction', 'alongsideKubelet'];
  if (eviction.alongsideKubelet === 'act' && eviction.thresholds === undefined) {
    const message =
      'act needs eviction.thresholds, so that two agents do not act on the same ones; give them or write observe';
    faults.push({ path, message });
  }
  if (eviction.alongsideKubelet === 'act' && eviction.evictor === 'cgroup') {
    const message =
      'act needs another evictor than cgroup, behind whose back a kubelet restarts pods; write api or cri, or observe';
    faults.push({ path, message });
  }
  if ((kubelet.clientCertificateFile === undefined) !== (kubelet.clientKeyFile === undefined)) {
    const has = kubelet.clientKeyFile === undefined ? 'clientCertificateFile' : 'clientKeyFile';
    const lacks = kubelet.clientKeyFile === undefined ? 'clientKeyFile' : 'clientCertificateFile';
    faults.push({
      path: ['kubelet', has],
      message: `is of no use without kubelet.${lacks}; give both or none`,
    });
  }
  if (loop.minInterval > loop.interval) {
    const message = 'must not be longer than loop.interval; lower this or raise that';
    faults.push({ path: ['loop', 'minInterval'], message, cause: ['loop', 'interval'] });
  }
  return faults;
}

function taintFaults({ eviction, taints }: NodeQosDocument): readonly Fault[] {
  const { evict, node, extra } = taints;
  const path = ['taints', 'evict'];
  const faults: Fault[] = [];
  if (evict && node === undefined && extra.length === 0) {
    const message = 'true needs to know the taints of the node; give taints.node or taints.extra';
    faults.push({ path, message });
  }
  if (evict && !eviction.enabled) {
    const message = 'true needs eviction.enabled, without which nobody is evicted; turn that on or this off';
    faults.push({ path, message });
  }
  extra.forEach(({ key }, index) => {
    if (extra.findIndex((other) => other.key === key) === index) return;
    const message = `the taint ${key}:NoExecute is there twice; remove one`;
    faults.push({ path: ['taints', 'extra', index], message });
  });
  return faults;
}

function settingsOf(document: NodeQosDocument, reading: ThresholdReading | undefined): NodeQosSettings {
  const { kubeletConfiguration, memoryQos, eviction, audit } = document;
  const { protected: guarded } = eviction;
  const thresholds =
    reading === undefined
      ? undefined
      : sortThresholds([...reading.thresholds, ...allocatableCopies(reading.thresholds)]);
  return {
    mode: document.mode,
    kubeletConfiguration: defined(kubeletConfiguration),
    pods: { source: document.pods.source, maxAgeMs: document.pods.maxAge },
    stats: document.stats,
    kubelet: timed(document.kubelet),
    api: timed(document.api),
    runtime: timed(document.runtime),
    memoryQos: defined(memoryQos),
    eviction: {
      enabled: eviction.enabled,
      ...defined({
        thresholds,
        pressureTransitionPeriodMs: eviction.pressureTransitionPeriod,
        maxPodGracePeriodSeconds: eviction.maxPodGracePeriodSeconds,
      }),
      alongsideKubelet: eviction.alongsideKubelet,
      evictor: eviction.evictor,
      budgetRefused: eviction.budgetRefused,
      unmeasured: eviction.unmeasured,
      groups: eviction.groups,
      protected: {
        namespaces: guarded.namespaces,
        labels: new Map(Object.entries(guarded.labels)),
        ...defined({ priorityAtLeast: guarded.priorityAtLeast }),
      },
      backOffMs: eviction.backOff,
    },
    taints: defined(document.taints),
    loop: { intervalMs: document.loop.interval, minIntervalMs: document.loop.minInterval },
    listen: document.listen,
    stateDir: document.stateDir,
    audit: defined(audit),
    trace: document.trace,
    log: document.log,
  };
}

/** How a peer is asked, with its deadline under the name that has the unit. */
function timed<T extends { deadline: number }>({ deadline, ...rest }: T) {
  return { ...defined(rest), deadlineMs: deadline };
}

/** The object without the keys that are undefined: absent and undefined are not the same to its readers. */
function defined<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
