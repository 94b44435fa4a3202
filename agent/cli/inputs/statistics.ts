import { type Warning, warning } from '../../../cgroup/warning.ts';
import { formatFinding, type TextFile } from '../../../config/finding.ts';
import { readDocuments } from '../../../config/text/document.ts';
import { foreignStatistics, type StatisticsOf } from '../../decide/foreign-statistics.ts';
import { filesystemLayout, signalReadings } from '../../decide/signals.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { FilesystemLayout, Readings } from '../../model/node.ts';
import type { UsageByUid } from '../../model/pod.ts';
import { capturedTexts } from '../../observe/captured/captured-inputs.ts';
import { readCgroupUsage } from '../../observe/cgroup-usage.ts';
import { filesystemsOf } from '../../observe/disk.ts';
import { readInputFile } from '../../observe/input-file.ts';
import { readNodeCounters } from '../../observe/node-counters.ts';
import { readSummary, type SummaryStatistics } from '../../observe/summary/summary.ts';
import type { NodeInputs } from './inputs.ts';
import type { StatsSource } from './stats-source.ts';

/** What the pods use. */
export interface UsageStatistics {
  readonly usage: UsageByUid;
  readonly layout: FilesystemLayout;
  readonly warnings: readonly Warning[];
}

/** What statistics are taken from besides files. */
export interface StatisticsInputs extends NodeInputs {
  /** What the kubelet answered, where it is the source: it was asked before. */
  readonly summary?: TextFile;
}

/** Reads usage from its source, from the captured summary where there is one, else from the tree. Throws Failure. */
export function loadUsage(source: StatsSource, inputs: StatisticsInputs): UsageStatistics {
  const summary = summaryOf(source, inputs);
  if (summary !== undefined) {
    const { usage, layout } = summary;
    return { usage, layout, warnings: doubtful(summary) };
  }
  const { root, layout, pods } = inputs;
  if (root === undefined) {
    const message = 'offline nothing is known of usage, so no pod is measured; give --stats summary:PATH';
    return { usage: new Map(), layout: 'single', warnings: [warning('no-usage', message)] };
  }
  const read = readCgroupUsage(root.cgroups, layout, pods);
  return { usage: read.usage, layout: filesystemLayout(filesystemsOf(root)), warnings: read.warnings };
}

/** What the cgroup tree cannot tell; for rankings by disk or inodes. */
export function storageWarning(source: StatsSource, inputs: NodeInputs): readonly Warning[] {
  if (inputs.root === undefined || source.kind !== 'cgroup' || capturedSummary(inputs) !== undefined)
    return [];
  const message =
    'the cgroup tree does not tell what pods use of disk and inodes, so nobody is measured; give --stats summary:PATH';
  return [warning('storage-not-measured', message)];
}

/** Signals of one look. */
export interface SignalStatistics {
  readonly readings: Readings;
  readonly warnings: readonly Warning[];
}

/** Reads the signals, from a summary or from /proc, the tree and the disks. Throws Failure. */
export function loadReadings(source: StatsSource, inputs: StatisticsInputs): SignalStatistics {
  const summary = summaryOf(source, inputs);
  if (summary !== undefined) return { readings: summary.readings, warnings: doubtful(summary) };
  const { root, layout, machine } = inputs;
  if (root === undefined) {
    const message = 'offline no signal is observed; give --stats summary:PATH';
    return { readings: new Map(), warnings: [warning('no-signals', message)] };
  }
  const { counters, warnings } = readNodeCounters(root, layout, machine);
  return { readings: signalReadings(counters), warnings };
}

function summaryOf(source: StatsSource, inputs: StatisticsInputs): SummaryStatistics | undefined {
  const text = summaryText(source, inputs);
  return text === undefined ? undefined : readSummaryText(text, inputs);
}

function summaryText(source: StatsSource, inputs: StatisticsInputs): TextFile | undefined {
  switch (source.kind) {
    case 'summary':
      return readInputFile(source.path);
    case 'kubelet':
      if (inputs.summary !== undefined) return inputs.summary;
      throw new Failure(EXIT.unavailable, 'the kubelet has not told its statistics; ask again');
    case 'cgroup':
      return capturedSummary(inputs);
  }
}

/** A captured node carries the summary that its capture was given. */
function capturedSummary(inputs: NodeInputs): TextFile | undefined {
  return inputs.root === undefined ? undefined : capturedTexts(inputs.root)?.statsSummary;
}

function doubtful({ doubts }: SummaryStatistics): readonly Warning[] {
  return doubts.map((message) => warning('summary-doubtful', message));
}

/** Reads the text of a /stats/summary of this node. Throws Failure 65 that names the file, for one of another node too. */
export function readSummaryText(input: TextFile, of: StatisticsOf): SummaryStatistics {
  const reading = readDocuments(input);
  if ('finding' in reading) throw new Failure(EXIT.badData, formatFinding(reading.finding));
  const summary = readSummary(reading.documents[0]?.value ?? null, of.pods);
  const fault = summary.ok ? foreignStatistics(summary.value.nodeName, of) : summary.message;
  if (summary.ok && fault === undefined) return summary.value;
  throw new Failure(EXIT.badData, `${input.file}: ${fault}`);
}
