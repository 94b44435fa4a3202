import { parseLimit } from './memory-files.ts';

/**
 * Readers for the cgroup files that are not one limit. Lines that are not understood are left out, in any order and of any
 * kernel: keys come and go between versions. A key that is not in the result was not there; it is never 0 for that.
 */

const DIGITS = /^[0-9]+$/;

/** `key value` lines, as in memory.stat, memory.events and cgroup.events. Values that are not counters are left out. */
export function parseFlatKeyed(text: string): ReadonlyMap<string, bigint> {
  const values = new Map<string, bigint>();
  for (const line of text.split('\n')) {
    const space = line.indexOf(' ');
    const value = space > 0 ? parseCounter(line.slice(space + 1)) : undefined;
    if (value !== undefined) {
      values.set(line.slice(0, space), value);
    }
  }
  return values;
}

/** The value of one key of a flat keyed file without reading the rest, for the tick path. */
export function flatKeyedValue(text: string, key: string): bigint | undefined {
  const inLine = `\n${key} `;
  let start = text.startsWith(`${key} `) ? key.length + 1 : -1;
  if (start < 0) {
    const found = text.indexOf(inLine);
    if (found < 0) {
      return undefined;
    }
    start = found + inLine.length;
  }
  const end = text.indexOf('\n', start);
  return parseCounter(text.slice(start, end < 0 ? text.length : end));
}

/** A counter or a size in bytes, such as memory.current. A negative one, which kernels have shown for a moment, is 0. */
export function parseCounter(text: string): bigint | undefined {
  const trimmed = text.trim();
  if (DIGITS.test(trimmed)) {
    return BigInt(trimmed);
  }
  return trimmed.startsWith('-') && DIGITS.test(trimmed.slice(1)) ? 0n : undefined;
}

/** memory.events and memory.events.local (kernel, cgroup-v2): how often each thing happened. */
export interface MemoryEvents {
  readonly low?: bigint;
  readonly high?: bigint;
  readonly max?: bigint;
  readonly oom?: bigint;
  readonly oomKill?: bigint;
  readonly oomGroupKill?: bigint;
}

/** Reads memory.events or memory.events.local; counters of newer kernels that nobody here uses are passed over. */
export function parseMemoryEvents(text: string): MemoryEvents {
  const values = parseFlatKeyed(text);
  return withoutUndefined({
    low: values.get('low'),
    high: values.get('high'),
    max: values.get('max'),
    oom: values.get('oom'),
    oomKill: values.get('oom_kill'),
    oomGroupKill: values.get('oom_group_kill'),
  });
}

/** memory.swap.events. */
export interface SwapEvents {
  readonly high?: bigint;
  readonly max?: bigint;
  readonly fail?: bigint;
}

/** Reads memory.swap.events. */
export function parseSwapEvents(text: string): SwapEvents {
  const values = parseFlatKeyed(text);
  return withoutUndefined({ high: values.get('high'), max: values.get('max'), fail: values.get('fail') });
}

/** cgroup.events: whether any process is in the subtree, and whether it is frozen. */
export interface CgroupEvents {
  readonly populated?: boolean;
  readonly frozen?: boolean;
}

/** Reads cgroup.events. */
export function parseCgroupEvents(text: string): CgroupEvents {
  const values = parseFlatKeyed(text);
  return withoutUndefined({ populated: flag(values.get('populated')), frozen: flag(values.get('frozen')) });
}

function flag(value: bigint | undefined): boolean | undefined {
  return value === undefined ? undefined : value !== 0n;
}

/** cgroup.procs: PIDs in ascending order, each once, since the kernel promises neither. 0 is a process of another namespace. */
export function parseProcs(text: string): readonly number[] {
  const pids = new Set<number>();
  for (const line of text.split('\n')) {
    const pid = DIGITS.test(line) ? Number(line) : 0;
    if (pid > 0 && Number.isSafeInteger(pid)) {
      pids.add(pid);
    }
  }
  return [...pids].sort((a, b) => a - b);
}

/** The memory swap files of one cgroup; a file that is missing is a kernel or a machine without swap. */
export interface SwapFiles {
  readonly currentBytes?: bigint;
  readonly high?: bigint | 'max';
  readonly max?: bigint | 'max';
  readonly peakBytes?: bigint;
}

/** Reads memory.swap.{current,high,max,peak} from their texts, each undefined where the file is not there. */
export function parseSwapFiles(texts: {
  readonly current: string | undefined;
  readonly high: string | undefined;
  readonly max: string | undefined;
  readonly peak: string | undefined;
}): SwapFiles {
  return withoutUndefined({
    currentBytes: texts.current === undefined ? undefined : parseCounter(texts.current),
    high: texts.high === undefined ? undefined : parseLimit(texts.high),
    max: texts.max === undefined ? undefined : parseLimit(texts.max),
    peakBytes: texts.peak === undefined ? undefined : parseCounter(texts.peak),
  });
}

/**
 * usage - inactive_file in bytes, not below 0: what the kubelet calls the working set. Active page cache and slab stay in
 * it, which is why it is not MemTotal - MemAvailable.
 */
export function workingSetBytes(usageBytes: bigint, inactiveFileBytes: bigint): bigint {
  return inactiveFileBytes >= usageBytes ? 0n : usageBytes - inactiveFileBytes;
}

/** The working set of a cgroup by the texts of its files; undefined where either number is not known. */
export function workingSetInText(
  current: bigint | undefined,
  memoryStat: string | undefined,
): bigint | undefined {
  const inactive = memoryStat === undefined ? undefined : flatKeyedValue(memoryStat, 'inactive_file');
  if (current === undefined || inactive === undefined) {
    return undefined;
  }
  return workingSetBytes(current, inactive);
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The object without its keys of value undefined: absent is how not known is said. */
function withoutUndefined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}
