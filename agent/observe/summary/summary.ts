import { type Parsed, parsed, refused } from '../../../config/result.ts';
import type { Signal } from '../../../config/signal.ts';
import {
  asInteger,
  asList,
  asRecord,
  asString,
  type PlainRecord,
  type PlainValue,
  valueAt,
} from '../../../config/text/plain-value.ts';
import { podsWithCgroups } from '../../decide/foreign-pods.ts';
import { counted } from '../../decide/human.ts';
import { filesystemLayout, type PartialFigures } from '../../decide/signals.ts';
import type { FilesystemLayout, Readings, SignalReading } from '../../model/node.ts';
import type { Pod, UsageByUid } from '../../model/pod.ts';
import { junkSentence } from './summary-junk.ts';
import { signedInteger, unsignedCount } from './summary-number.ts';
import { summaryUsage } from './summary-pods.ts';

/** A saved kubelet /stats/summary, read for a set of pods (their volumes decide what counts as local storage). */
export interface SummaryStatistics {
  readonly readings: Readings;
  readonly usage: UsageByUid;
  readonly layout: FilesystemLayout;
  /** The node that they are of, where the summary says it. */
  readonly nodeName: string | undefined;
  /** What is wrong with the summary although it is one, one sentence each. */
  readonly doubts: readonly string[];
}

/**
 * Reads /stats/summary as the kubelet's eviction manager does. A signal of which one of the two numbers is missing is absent;
 * the system container `pods` is found by its name, since the order differs between versions. Refused when it has no `node`.
 */
export function readSummary(value: PlainValue, pods: readonly Pod[]): Parsed<SummaryStatistics> {
  const summary = asRecord(value);
  const node = asRecord(valueAt(summary, 'node'));
  if (summary === undefined || node === undefined) {
    return refused(
      'this is no kubelet /stats/summary: it has no map "node"; save one with kubectl get --raw /api/v1/nodes/NAME/proxy/stats/summary',
    );
  }
  const filesystems = summaryFilesystems(node);
  const usage = summaryUsage(asList(valueAt(summary, 'pods')) ?? [], pods);
  return parsed({
    readings: nodeReadings(node, filesystems),
    usage,
    layout: filesystemLayout(filesystems),
    nodeName: asString(valueAt(node, 'nodeName')),
    doubts: [junkSentence(summary), nobodyMeasured(usage, pods)].filter((doubt) => doubt !== undefined),
  });
}

/** As of a kubelet that has just started, or of another node's. */
function nobodyMeasured(usage: UsageByUid, pods: readonly Pod[]): string | undefined {
  const listed = BigInt(podsWithCgroups(pods).length);
  if (usage.size > 0 || listed === 0n) return undefined;
  const others = counted(listed, 'pod is', 'pods are');
  return `the summary has statistics of no pod, while ${others} in the list: nobody is measured; check that it is whole and of this node`;
}

interface SummaryFigures extends PartialFigures {
  readonly atMs: number | undefined;
}

function nodeReadings(node: PlainRecord, filesystems: ReadonlyMap<string, SummaryFigures>): Readings {
  const readings = new Map<Signal, SignalReading>();
  const add = (signal: Signal, reading: SignalReading | undefined): void => {
    if (reading !== undefined) readings.set(signal, reading);
  };
  add('memory.available', memoryReading(valueAt(node, 'memory'), 'node.memory of the summary'));
  add('allocatableMemory.available', podsReading(node));
  add('pid.available', pidReading(asRecord(valueAt(node, 'rlimit'))));
  for (const name of ['nodefs', 'imagefs', 'containerfs'] as const) {
    const figures = filesystems.get(name);
    add(`${name}.available`, fsReading(name, figures?.availableBytes, figures?.capacityBytes, figures?.atMs));
    add(`${name}.inodesFree`, fsReading(name, figures?.inodesFree, figures?.inodes, figures?.atMs));
  }
  return readings;
}

function podsReading(node: PlainRecord): SignalReading | undefined {
  const containers = asList(valueAt(node, 'systemContainers')) ?? [];
  const pods = containers.map(asRecord).find((container) => valueAt(container, 'name') === 'pods');
  return memoryReading(valueAt(pods, 'memory'), 'system container pods of the summary');
}

/** Capacity is available + working set; available is negative where the working set has outgrown the capacity. */
function memoryReading(value: PlainValue | undefined, source: string): SignalReading | undefined {
  const memory = asRecord(value);
  const available = signedInteger(valueAt(memory, 'availableBytes'));
  const workingSet = unsignedCount(valueAt(memory, 'workingSetBytes'));
  if (available === undefined || workingSet === undefined) return undefined;
  return { available, capacity: available + workingSet, ...atTime(timeOf(memory)), source };
}

function pidReading(rlimit: PlainRecord | undefined): SignalReading | undefined {
  const capacity = asInteger(valueAt(rlimit, 'maxpid'));
  const running = unsignedCount(valueAt(rlimit, 'curproc'));
  if (capacity === undefined || running === undefined) return undefined;
  return {
    available: capacity - running,
    capacity,
    ...atTime(timeOf(rlimit)),
    source: 'node.rlimit of the summary',
  };
}

const FILESYSTEM_SOURCES = {
  nodefs: 'node.fs of the summary',
  imagefs: 'node.runtime.imageFs of the summary',
  containerfs: 'node.runtime.containerFs of the summary',
} as const;

function fsReading(
  name: keyof typeof FILESYSTEM_SOURCES,
  available: bigint | undefined,
  capacity: bigint | undefined,
  atMs: number | undefined,
): SignalReading | undefined {
  if (available === undefined || capacity === undefined) return undefined;
  return { available, capacity, ...atTime(atMs), source: FILESYSTEM_SOURCES[name] };
}

function summaryFilesystems(node: PlainRecord): ReadonlyMap<string, SummaryFigures> {
  const runtime = asRecord(valueAt(node, 'runtime'));
  const found: readonly (readonly [string, PlainRecord | undefined])[] = [
    ['nodefs', asRecord(valueAt(node, 'fs'))],
    ['imagefs', asRecord(valueAt(runtime, 'imageFs'))],
    ['containerfs', asRecord(valueAt(runtime, 'containerFs'))],
  ];
  return new Map(found.flatMap(([name, fs]) => (fs === undefined ? [] : [[name, figuresOf(fs)] as const])));
}

function figuresOf(fs: PlainRecord): SummaryFigures {
  return {
    availableBytes: signedInteger(valueAt(fs, 'availableBytes')),
    capacityBytes: unsignedCount(valueAt(fs, 'capacityBytes')),
    inodesFree: signedInteger(valueAt(fs, 'inodesFree')),
    inodes: unsignedCount(valueAt(fs, 'inodes')),
    atMs: timeOf(fs),
  };
}

/** The sample's time as Unix milliseconds. */
function timeOf(record: PlainRecord | undefined): number | undefined {
  const atMs = Date.parse(asString(valueAt(record, 'time')) ?? '');
  return Number.isNaN(atMs) ? undefined : atMs;
}

function atTime(atMs: number | undefined): { readonly atMs?: number } {
  return atMs === undefined ? {} : { atMs };
}
