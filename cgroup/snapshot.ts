import type { FileTree } from './file-tree.ts';
import { type Limit, MEMORY_FILES, type MemoryFile, parseLimit } from './memory-files.ts';
import { workingSetInText } from './parse.ts';
import { type CgroupLayout, parsePodCgroup } from './paths.ts';
import { noLimit, unreadableFile } from './unreadable.ts';
import type { Warning } from './warning.ts';

/** What one cgroup had when it was read. A value that is undefined is not known; `missing` says where the file was absent. */
export interface CgroupReading {
  readonly cgroup: string;
  readonly min: Limit | undefined;
  readonly low: Limit | undefined;
  readonly high: Limit | undefined;
  readonly currentBytes: bigint | undefined;
  /** Files that were not there (the cgroup went away, or has no memory controller), as opposed to unreadable ones. */
  readonly missing: readonly MemoryFile[];
  /** Only of pods, and only where it was asked for and is known. */
  readonly workingSetBytes?: bigint;
  /** Sorted bytewise. */
  readonly children: readonly CgroupReading[];
}

export interface CgroupSnapshot {
  /** The kubepods cgroup and all below it; undefined where there is none. */
  readonly kubepods: CgroupReading | undefined;
  /** By path: kubepods, everything below it, and the reserved cgroups that were asked for and are there. */
  readonly byCgroup: ReadonlyMap<string, CgroupReading>;
  /**
   * The folders above kubepods, outermost first, each with its children besides the one that leads to kubepods: a nested
   * kubepods shares their protection with those.
   */
  readonly ancestors: readonly CgroupReading[];
  /** Each unreadable file once. */
  readonly warnings: readonly Warning[];
}

export interface SnapshotRequest {
  readonly layout: CgroupLayout;
  /** Cgroups outside kubepods whose limits are wanted as well. */
  readonly reserved: readonly string[];
  /** Whether memory.stat of the pods is read for their working sets. */
  readonly workingSets: boolean;
}

interface Walk {
  readonly tree: FileTree;
  readonly workingSets: boolean;
  readonly byCgroup: Map<string, CgroupReading>;
  readonly warnings: Warning[];
}

const NO_FILES: readonly MemoryFile[] = [];
const NO_CHILDREN: readonly CgroupReading[] = [];
/** Below kubepods and its tiers: pods, and from there on cgroups that mostly have none inside. */
const DEPTH_OF_PODS = 2;

/**
 * Reads kubepods, the cgroups above it and the reserved ones in one pass: every file once, no file opened twice. Whatever
 * a machine does to a reader is a value or a warning; nothing throws.
 */
export function readCgroupSnapshot(tree: FileTree, request: SnapshotRequest): CgroupSnapshot {
  const { layout, reserved, workingSets } = request;
  const walk: Walk = { tree, workingSets, byCgroup: new Map(), warnings: [] };
  const top = tree.readDirectory(layout.kubepods);
  let kubepods: CgroupReading | undefined;
  if (top.kind === 'read') {
    kubepods = readCgroup(walk, layout.kubepods, readChildren(walk, layout.kubepods, top.directories, 1));
  } else if (top.kind === 'failed') {
    walk.warnings.push(unreadableFile(tree, layout.kubepods, '', top.code));
    kubepods = readCgroup(walk, layout.kubepods, NO_CHILDREN);
  }
  const ancestors = readAncestors(walk, layout);
  for (const cgroup of reserved) {
    if (!walk.byCgroup.has(cgroup)) {
      readReserved(walk, cgroup);
    }
  }
  return { kubepods, byCgroup: walk.byCgroup, ancestors, warnings: walk.warnings };
}

function readReserved(walk: Walk, cgroup: string): void {
  const reading = readCgroup(walk, cgroup, NO_CHILDREN);
  if (reading.missing.length === MEMORY_FILES.length) {
    walk.byCgroup.delete(cgroup);
  }
}

/** The values of one cgroup. */
function readCgroup(walk: Walk, cgroup: string, children: readonly CgroupReading[]): CgroupReading {
  let missing = NO_FILES;
  const limit = (file: MemoryFile): Limit | undefined => {
    const text = readText(walk, cgroup, file);
    if (text === undefined) {
      missing = [...missing, file];
    }
    return text === undefined || text === null ? undefined : limitOf(walk, cgroup, file, text);
  };
  const min = limit('memory.min');
  const low = limit('memory.low');
  const high = limit('memory.high');
  const currentText = readText(walk, cgroup, 'memory.current');
  const current =
    typeof currentText === 'string' ? limitOf(walk, cgroup, 'memory.current', currentText) : undefined;
  const currentBytes = current === 'max' ? undefined : current;
  const workingSet = walk.workingSets ? readWorkingSet(walk, cgroup, currentBytes) : undefined;
  const reading: CgroupReading = {
    cgroup,
    min,
    low,
    high,
    currentBytes,
    missing,
    children,
    ...(workingSet === undefined ? {} : { workingSetBytes: workingSet }),
  };
  walk.byCgroup.set(cgroup, reading);
  return reading;
}

/** The text of a file; undefined when it is missing, null when it could not be read, which is a warning. */
function readText(walk: Walk, cgroup: string, file: string): string | undefined | null {
  const read = walk.tree.readFile(`${cgroup}/${file}`);
  if (read.kind === 'read') {
    return read.text;
  }
  // ENODEV: the cgroup went away while its file was open.
  if (read.kind === 'missing' || read.code === 'ENODEV') {
    return undefined;
  }
  walk.warnings.push(unreadableFile(walk.tree, cgroup, file, read.code));
  return null;
}

function limitOf(walk: Walk, cgroup: string, file: string, text: string): Limit | undefined {
  const limit = parseLimit(text);
  if (limit === undefined) {
    walk.warnings.push(noLimit(walk.tree, cgroup, file, text));
  }
  return limit;
}

function readWorkingSet(walk: Walk, cgroup: string, currentBytes: bigint | undefined): bigint | undefined {
  if (parsePodCgroup(cgroup) === undefined) {
    return undefined;
  }
  const stat = readText(walk, cgroup, 'memory.stat');
  return workingSetInText(currentBytes, stat ?? undefined);
}

function readChildren(
  walk: Walk,
  cgroup: string,
  names: readonly string[],
  depth: number,
): readonly CgroupReading[] {
  if (names.length === 0) {
    return NO_CHILDREN;
  }
  const children: CgroupReading[] = [];
  for (const name of names) {
    const child = `${cgroup}/${name}`;
    children.push(
      readCgroup(walk, child, readChildren(walk, child, listBelow(walk, child, name, depth), depth + 1)),
    );
  }
  return children;
}

/** The directories in a cgroup. One that is likely a container is first asked whether it has any, which is cheaper. */
function listBelow(walk: Walk, cgroup: string, name: string, depth: number): readonly string[] {
  const isContainer = depth >= DEPTH_OF_PODS && !name.startsWith('pod') && !name.endsWith('.slice');
  if (isContainer && walk.tree.isLeaf?.(cgroup) === true) {
    return [];
  }
  const listing = walk.tree.readDirectory(cgroup);
  if (listing.kind === 'read') {
    return listing.directories;
  }
  if (listing.kind === 'failed' && listing.code !== 'ENODEV') {
    walk.warnings.push(unreadableFile(walk.tree, cgroup, '', listing.code));
  }
  return [];
}

function readAncestors(walk: Walk, layout: CgroupLayout): readonly CgroupReading[] {
  const inner: Walk = { ...walk, workingSets: false, byCgroup: new Map() };
  return layout.ancestors.map((cgroup, index) => {
    const next = layout.ancestors[index + 1] ?? layout.kubepods;
    const listing = walk.tree.readDirectory(cgroup);
    const names = listing.kind === 'read' ? listing.directories : [];
    const others = names.map((name) => `${cgroup}/${name}`).filter((child) => child !== next);
    return readCgroup(
      inner,
      cgroup,
      others.map((child) => readCgroup(inner, child, NO_CHILDREN)),
    );
  });
}
