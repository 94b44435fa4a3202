import { type Finding, formatFinding } from '../../../config/finding.ts';
import { isSignal, type Signal } from '../../../config/signal.ts';
import { parseJson, readDocuments } from '../../../config/text/document.ts';
import { DEEPEST_LEVEL, formatPath, isDeeperThan, TOO_DEEP } from '../../../config/text/place.ts';
import { asRecord, type PlainValue, typeName, valueAt } from '../../../config/text/plain-value.ts';
import type { GroupTree } from '../../decide/group-tree.ts';
import { withStanding } from '../../decide/pod-standing.ts';
import { podsOfNode } from '../../decide/pods-of-node.ts';
import type { Readings, SignalReading } from '../../model/node.ts';
import type { Observation } from '../../model/observation.ts';
import type { Pod, UsageByUid } from '../../model/pod.ts';
import { FieldFault, Fields } from '../fields.ts';
import { GroupsBeside } from '../pods/groups-beside.ts';
import { readPod } from '../pods/podspec.ts';
import { signedInteger } from '../summary/summary-number.ts';
import { readUsage } from './trace-usage.ts';

/** An observation, or what is wrong with its line as a sentence with file, line and, where it is known, column. */
export type TraceReading =
  | { readonly ok: true; readonly value: Observation }
  | {
      readonly ok: false;
      readonly message: string;
      /** `file:line`. */
      readonly place: string;
      /** Whether the line is no JSON at all, as a line that was not written to its end is. */
      readonly isNoJson: boolean;
    };

export interface TraceReaderOptions {
  /** Whose pods, where the trace names several nodes. */
  readonly nodeName?: string | undefined;
  /** Told of what a person should know about the trace and can go on with. */
  readonly warn: (message: string) => void;
}

/**
 * Reads the lines of a trace in their order (cli contract, "record, replay"): pods and usage that a line leaves out are those
 * of the line before. Pods whose document did not change are the same objects as before, so that nothing that was worked out
 * for them has to be worked out again. Fields that nobody knows are passed over.
 */
export class TraceReader {
  readonly #file: string;
  readonly #options: TraceReaderOptions;
  #lastMs: number | undefined;
  #podsByText: ReadonlyMap<string, Pod> = new Map();
  #pods: readonly Pod[] = [];
  #usage: UsageByUid | undefined;

  constructor(file: string, options: TraceReaderOptions) {
    this.#file = file;
    this.#options = options;
  }

  /** Reads the next line; `number` is its place in the file, from 1. */
  read(line: string, number: number): TraceReading {
    const text = number === 1 && line.startsWith('\ufeff') ? line.slice(1) : line;
    const value = parseJson(text);
    if (value === undefined) return this.#refused({ path: '', message: NO_JSON }, number, true);
    try {
      return { ok: true, value: this.#observation(value) };
    } catch (error) {
      if (!(error instanceof FieldFault)) throw error;
      const path = formatPath(error.path);
      return this.#refused({ ...columnOf(text, error), path, message: error.message }, number, false);
    }
  }

  #refused(finding: Omit<Finding, 'file' | 'line'>, line: number, isNoJson: boolean): TraceReading {
    const message = formatFinding({ file: this.#file, line, ...finding });
    return { ok: false, message, place: `${this.#file}:${line}`, isNoJson };
  }

  #observation(value: PlainValue): Observation {
    const fields = new Fields(value);
    const record = asRecord(value);
    const atMs = timeOf(valueAt(record, 'atMs'), ['atMs']);
    if (atMs === undefined) throw new FieldFault(['atMs'], 'the time of the observation is missing');
    const last = this.#lastMs;
    if (last !== undefined && atMs < last) throw new FieldFault(['atMs'], stepBack(last, atMs));
    const readings = this.#readings(fields.map('signals'), asRecord(valueAt(record, 'signals')));
    if (fields.has('pods')) this.#readPods(fields.items('pods'), fields.items('podGroups'));
    if (fields.has('usage')) this.#usage = readUsage(valueAt(record, 'usage'), ['usage']);
    const podsAgeMs = timeOf(valueAt(record, 'podsAgeMs'), ['podsAgeMs']);
    this.#lastMs = atMs;
    return {
      atMs,
      readings,
      pods: this.#pods,
      ...(podsAgeMs === undefined ? {} : { podsAgeMs }),
      usage: this.#usage,
      layout: 'single',
    };
  }

  #readings(signals: Fields, record: ReturnType<typeof asRecord>): Readings {
    const readings = new Map<Signal, SignalReading>();
    for (const name of signals.keys()) {
      if (!isSignal(name)) {
        this.#options.warn(`${this.#file}: ${UNKNOWN_SIGNALS}`);
      } else if (signals.has(name)) {
        readings.set(name, readingOf(asRecord(valueAt(record, name)), signals.map(name).path));
      }
    }
    return readings;
  }

  /** Throws FieldFault for a pod that is refused, for pods of several nodes and for a UID that occurs twice. */
  #readPods(items: readonly PlainValue[], groups: readonly PlainValue[]): void {
    const tree = groupsOf(groups);
    const standing = groups.length === 0 ? '' : textOf(groups);
    const byText = new Map<string, Pod>();
    const pods = items.map((item, index) => {
      if (isDeeperThan(item, DEEPEST_LEVEL)) throw new FieldFault(['pods', index], TOO_DEEP);
      const text = `${textOf(item)}${standing}`;
      const pod = byText.get(text) ?? this.#podsByText.get(text) ?? withStanding(podOf(item, index), tree);
      byText.set(text, pod);
      return pod;
    });
    const counted = podsOfNode(pods, this.#options.nodeName);
    if (!counted.ok) throw new FieldFault(['pods'], counted.message);
    for (const { message } of counted.value.warnings) this.#options.warn(message);
    this.#podsByText = byText;
    this.#pods = isSameList(this.#pods, counted.value.pods) ? this.#pods : counted.value.pods;
  }
}

const NO_JSON = 'is no JSON; a trace has one observation a line, as nodeqos record writes it';
const UNKNOWN_SIGNALS = 'has signals that nodeqos does not know; they are passed over';

function stepBack(last: number, atMs: number): string {
  return `time steps back from ${last} to ${atMs}; a trace is of one boot of one machine, in order`;
}

function podOf(item: PlainValue, index: number): Pod {
  const pod = readPod(item);
  if (!pod.ok) throw new FieldFault(['pods', index, ...pod.path], pod.message);
  return pod.value;
}

/** The groups that the pods of a line are in. Throws FieldFault. */
function groupsOf(items: readonly PlainValue[]): GroupTree {
  const groups = new GroupsBeside();
  items.forEach((value, index) => {
    if (isDeeperThan(value, DEEPEST_LEVEL)) throw new FieldFault(['podGroups', index], TOO_DEEP);
    const kind = new Fields(value, ['podGroups', index]).text('kind') ?? '';
    groups.add({ kind, value, path: ['podGroups', index] });
  });
  return groups.tree([]).value;
}

/** What a document is told from others by. Integers that no double holds are bigint, which JSON has no word for. */
function textOf(item: PlainValue): string {
  return JSON.stringify(item, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

function isSameList(a: readonly Pod[], b: readonly Pod[]): boolean {
  return a.length === b.length && a.every((pod, index) => pod === b[index]);
}

/** Numbers that wrapped around 2^64 are the negative ones that they stand for, as the kubelet's are. */
function readingOf(record: ReturnType<typeof asRecord>, path: FieldFault['path']): SignalReading {
  const amount = (key: 'available' | 'capacity'): bigint => {
    const value = valueAt(record, key) ?? null;
    const integer = signedInteger(value);
    if (integer !== undefined) return integer;
    const found = value === null ? 'it is missing' : `found ${shown(value)}`;
    throw new FieldFault([...path, key], `expected a whole number of bytes or counts, ${found}`);
  };
  const atMs = timeOf(valueAt(record, 'atMs'), [...path, 'atMs']);
  return {
    available: amount('available'),
    capacity: amount('capacity'),
    ...(atMs === undefined ? {} : { atMs }),
    source: 'the trace',
  };
}

/** Milliseconds, with fractions where there are; undefined where nothing is stated. */
function timeOf(value: PlainValue | undefined, path: FieldFault['path']): number | undefined {
  if (value === undefined || value === null) return undefined;
  const atMs = typeof value === 'bigint' ? Number(value) : value;
  if (typeof atMs === 'number' && Number.isFinite(atMs)) return atMs;
  throw new FieldFault(path, `expected a number of milliseconds, found ${shown(value)}`);
}

function shown(value: PlainValue): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : typeName(value);
}

/** Where the fault stands in its line; only looked for once there is one. */
function columnOf(text: string, { path }: FieldFault): { readonly column?: number } {
  const reading = readDocuments({ file: '', text });
  const place = 'finding' in reading ? undefined : reading.documents[0]?.placeOf(path);
  return place === undefined ? {} : { column: place.column };
}
