import type { Limit, MemoryFile } from '../memory-files.ts';
import { asTheKernelKeeps, MEMORY_FILES, parseLimit } from '../memory-files.ts';

/** A property of a unit with its value: bytes, and 2^64 - 1 for no limit (D-Bus type t). */
export interface UnitProperty {
  readonly name: string;
  readonly value: bigint;
}

/** What systemd takes and gives for no limit (CGROUP_LIMIT_MAX). */
const INFINITY = 18_446_744_073_709_551_615n;

const PROPERTIES: Readonly<Record<MemoryFile, string>> = {
  'memory.min': 'MemoryMin',
  'memory.low': 'MemoryLow',
  'memory.high': 'MemoryHigh',
};

/**
 * The files that systemd writes together with the three, from what it keeps, whenever one memory property of a unit is set.
 * nodeqos owns none of them.
 */
export const FOREIGN_FILES = [
  'memory.max',
  'memory.swap.max',
  'memory.zswap.max',
  'memory.oom.group',
] as const;
type ForeignFile = (typeof FOREIGN_FILES)[number];

const FOREIGN_PROPERTIES: Readonly<Record<Exclude<ForeignFile, 'memory.oom.group'>, string>> = {
  'memory.max': 'MemoryMax',
  'memory.swap.max': 'MemorySwapMax',
  'memory.zswap.max': 'MemoryZSwapMax',
};

/** The properties that have to be looked at. */
export const PROPERTIES_OF_INTEREST: readonly string[] = [
  ...Object.values(PROPERTIES),
  ...Object.values(FOREIGN_PROPERTIES),
  'OOMPolicy',
];

/** A limit as the value of a property. */
function propertyValue(limit: Limit): bigint {
  return limit === 'max' ? INFINITY : limit;
}

/** What the files of a cgroup read now, as texts; undefined for a file that is not there or cannot be read. */
export type UnitFiles = Readonly<Partial<Record<MemoryFile | ForeignFile, string>>>;

/** What `file` of a unit's cgroup shall read, on a machine with pages of this size. */
export interface UnitWish {
  readonly file: MemoryFile;
  readonly limit: Limit;
  readonly pageSizeBytes: number;
}

/** What systemd keeps for a unit, by the names of properties; one that this systemd does not have is absent. */
export type Kept = ReadonlyMap<string, bigint | string>;

/**
 * What one call has to set so that `file` reads `limit` and no other file changes; or why no call can do that: systemd keeps
 * another value for a file that nodeqos does not own than that file reads, and would write it.
 */
export type UnitChange =
  | { readonly kind: 'set'; readonly properties: readonly UnitProperty[] }
  | {
      readonly kind: 'would-change';
      readonly file: ForeignFile;
      readonly reads: string;
      readonly kept: string;
    };

/**
 * Works out that call. systemd writes all memory files of a unit from what it keeps when one of them is set (systemd:
 * cgroup_context_apply), and whoever wrote to the files directly has left it behind. Of min, low and high, those which it
 * would change are set along with the wish, to what they read; the others are nobody's to set.
 */
export function unitChange(wish: UnitWish, files: UnitFiles, kept: Kept): UnitChange {
  const asRead = (value: bigint): bigint =>
    value === INFINITY ? INFINITY : propertyValue(asTheKernelKeeps(value, wish.pageSizeBytes));
  for (const file of FOREIGN_FILES) {
    const text = files[file];
    const value = keptOf(file, kept);
    const reads = value === undefined || file === 'memory.oom.group' ? value : asRead(value);
    if (text !== undefined && value !== undefined && valueOf(text) !== reads) {
      return { kind: 'would-change', file, reads: text.trimEnd(), kept: printed(value) };
    }
  }
  const properties = MEMORY_FILES.flatMap((file): UnitProperty[] => {
    const name = PROPERTIES[file];
    if (file === wish.file) {
      return [{ name, value: propertyValue(wish.limit) }];
    }
    const value = valueOf(files[file] ?? '');
    const stored = kept.get(name);
    const isKept = typeof stored === 'bigint' && asRead(stored) === value;
    return value === undefined || isKept ? [] : [{ name, value }];
  });
  return { kind: 'set', properties };
}

/** Whether systemd keeps what is wished already, so that only the file is behind. */
export function isKept(wish: UnitWish, kept: Kept): boolean {
  return kept.get(PROPERTIES[wish.file]) === propertyValue(wish.limit);
}

/** systemd has no property for memory.oom.group: it writes 1 for units with OOMPolicy=kill and 0 for all others. */
function keptOf(file: ForeignFile, kept: Kept): bigint | undefined {
  if (file === 'memory.oom.group') {
    return kept.get('OOMPolicy') === 'kill' ? 1n : 0n;
  }
  const value = kept.get(FOREIGN_PROPERTIES[file]);
  return typeof value === 'bigint' ? value : undefined;
}

function valueOf(text: string): bigint | undefined {
  const limit = parseLimit(text);
  return limit === undefined ? undefined : propertyValue(limit);
}

function printed(value: bigint): string {
  return value === INFINITY ? 'max' : value.toString();
}
