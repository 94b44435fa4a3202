import type { Limit, MemoryFile } from '../memory-files.ts';
import { MEMORY_FILES, parseLimit } from '../memory-files.ts';

/** A property of a unit with its value: bytes, and 2^64 - 1 for no limit (D-Bus type t). */
export interface UnitProperty {
  readonly name: string;
  readonly value: bigint;
}

/** What systemd takes and gives for no limit (CGROUP_LIMIT_MAX). */
export const INFINITY = 18_446_744_073_709_551_615n;

const PROPERTIES: Readonly<Record<MemoryFile, string>> = {
  'memory.min': 'MemoryMin',
  'memory.low': 'MemoryLow',
  'memory.high': 'MemoryHigh',
};

/**
 * The files that systemd writes together with the three, from what it keeps, whenever one memory property of a unit is set.
 * nodeqos owns none of them.
 */
export const FOREIGN_FILES = ['memory.max', 'memory.swap.max', 'memory.zswap.max', 'memory.oom.group'] as const;
export type ForeignFile = (typeof FOREIGN_FILES)[number];

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

/** The property of a limit file. */
export function propertyOf(file: MemoryFile): string {
  return PROPERTIES[file];
}

/** A limit as the value of a property. */
export function propertyValue(limit: Limit): bigint {
  return limit === 'max' ? INFINITY : limit;
}

/** What the files of a cgroup read now, as texts; undefined for a file that is not there or cannot be read. */
export type UnitFiles = Readonly<Partial<Record<MemoryFile | ForeignFile, string>>>;

export interface UnitWish {
  readonly file: MemoryFile;
  readonly limit: Limit;
}

/**
 * What one call has to set so that `file` reads `limit` and no other file changes; or why no call can do that: systemd keeps
 * another value for a file that nodeqos does not own than that file reads, and would write it.
 */
export type UnitChange =
  | { readonly kind: 'set'; readonly properties: readonly UnitProperty[] }
  | { readonly kind: 'would-change'; readonly file: ForeignFile; readonly reads: string; readonly kept: string };

/**
 * Works out that call. systemd writes all memory files of a unit from what it keeps when one of them is set (systemd:
 * cgroup_context_apply), and whoever wrote to the files directly has left it behind. Of min, low and high, those which it
 * would change are set along with the wish, to what they read; the others are nobody's to set.
 */
export function unitChange(
  wish: UnitWish,
  files: UnitFiles,
  stored: ReadonlyMap<string, bigint | string>,
): UnitChange {
  for (const file of FOREIGN_FILES) {
    const text = files[file];
    const kept = keptOf(file, stored);
    if (text !== undefined && kept !== undefined && valueOf(text) !== kept) {
      return { kind: 'would-change', file, reads: text.trimEnd(), kept: printed(kept) };
    }
  }
  const properties = MEMORY_FILES.flatMap((file): UnitProperty[] => {
    const name = PROPERTIES[file];
    if (file === wish.file) {
      return [{ name, value: propertyValue(wish.limit) }];
    }
    const value = valueOf(files[file] ?? '');
    return value === undefined || value === stored.get(name) ? [] : [{ name, value }];
  });
  return { kind: 'set', properties };
}

/** Whether systemd keeps `limit` for a file already. */
export function keeps(wish: UnitWish, stored: ReadonlyMap<string, bigint | string>): boolean {
  return stored.get(PROPERTIES[wish.file]) === propertyValue(wish.limit);
}

/** systemd has no property for memory.oom.group: it writes 1 for units with OOMPolicy=kill and 0 for all others. */
function keptOf(file: ForeignFile, stored: ReadonlyMap<string, bigint | string>): bigint | undefined {
  if (file === 'memory.oom.group') {
    return stored.get('OOMPolicy') === 'kill' ? 1n : 0n;
  }
  const value = stored.get(FOREIGN_PROPERTIES[file]);
  return typeof value === 'bigint' ? value : undefined;
}

function valueOf(text: string): bigint | undefined {
  const limit = parseLimit(text);
  return limit === undefined ? undefined : propertyValue(limit);
}

function printed(value: bigint): string {
  return value === INFINITY ? 'max' : value.toString();
}
