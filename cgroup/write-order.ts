import { sortBytewise } from './byte-order.ts';
import { compareLimits, type Limit, MEMORY_FILES, type MemoryFile } from './memory-files.ts';

/** One change of one file. */
export interface Change {
  /** Null where it is not known; such changes come last within their phase. */
  readonly cgroup: string | null;
  readonly file: MemoryFile;
  /** What it is now, or the kernel's default where that is not known. */
  readonly from: Limit;
  readonly to: Limit;
}

const PHASES = { protect: 0, throttle: 1, release: 2 } as const;
/** No cgroup lies this deep: the kernel's default bound and the longest path are both below it. */
const DEEPEST = 4096;

/**
 * The order in which changes are safe to write: first raises of min and low, parents before children; then memory.high;
 * then lowerings of min and low, children before parents. Within that by cgroup path bytewise, then min, low, high. A
 * parent then never stops covering children that it covered before. What does not change sorts as if it were raised.
 * Items that are equal in all of that keep their order.
 */
export function inWriteOrder<T>(items: readonly T[], changeOf: (item: T) => Change): readonly T[] {
  const changes = items.map(changeOf);
  const ranks = pathRanks(changes);
  const keyed = items.map((item, index) => ({ item, key: sortKey(changes[index], ranks) }));
  // Array.prototype.sort is stable, so equal keys keep their order.
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

/** Paths by their place in bytewise order, so that each pair of texts is compared once and not for every file. */
function pathRanks(changes: readonly Change[]): ReadonlyMap<string | null, number> {
  const paths = new Set<string>();
  for (const { cgroup } of changes) {
    if (cgroup !== null) {
      paths.add(cgroup);
    }
  }
  const ranks = new Map<string | null, number>();
  for (const path of sortBytewise([...paths])) {
    ranks.set(path, ranks.size);
  }
  ranks.set(null, ranks.size);
  return ranks;
}

/** Phase, depth, path and file as one number: below 2^53 for as many cgroups as a kernel can hold. */
function sortKey(change: Change | undefined, ranks: ReadonlyMap<string | null, number>): number {
  if (change === undefined) {
    return 0;
  }
  const phase = phaseOf(change);
  const rank = ranks.get(change.cgroup) ?? 0;
  const place = (phase * DEEPEST + depthKey(phase, change.cgroup)) * ranks.size + rank;
  return place * MEMORY_FILES.length + MEMORY_FILES.indexOf(change.file);
}

function phaseOf(change: Change): number {
  if (change.file === 'memory.high') {
    return PHASES.throttle;
  }
  return compareLimits(change.to, change.from) < 0 ? PHASES.release : PHASES.protect;
}

function depthKey(phase: number, cgroup: string | null): number {
  if (cgroup === null) {
    return DEEPEST - 1;
  }
  if (phase === PHASES.throttle) {
    return 0;
  }
  let depth = 0;
  for (let index = cgroup.indexOf('/'); index >= 0; index = cgroup.indexOf('/', index + 1)) {
    depth += 1;
  }
  return phase === PHASES.release ? DEEPEST - 2 - depth : depth;
}
