import type { FileTree } from '../../cgroup/file-tree.ts';
import type { CgroupLayout } from '../../cgroup/paths.ts';
import { CAPTURED_CGROUPS } from '../observe/captured/manifest.ts';
import type { CapturedFiles } from './captured-files.ts';

/** Every file of a cgroup that nodeqos has a reader for. Files that can only be written are not among them. */
export const CAPTURED_CGROUP_FILES = [
  'cgroup.controllers',
  'cgroup.events',
  'cgroup.procs',
  'memory.current',
  'memory.events',
  'memory.events.local',
  'memory.high',
  'memory.low',
  'memory.max',
  'memory.min',
  'memory.pressure',
  'memory.stat',
  'memory.swap.current',
  'memory.swap.events',
  'memory.swap.high',
  'memory.swap.max',
  'pids.current',
] as const;

/** Deeper than any container's cgroup with one of its own inside; a workload may nest its own without end. */
const DEEPEST = 12;

/**
 * Copies the cgroups that nodeqos looks at: the root, the folders above kubepods each with its children (they share their
 * parent's protection), kubepods with all below it under either driver, and the reserved cgroups.
 */
export function captureCgroups(
  captured: CapturedFiles,
  cgroups: FileTree,
  layouts: readonly CgroupLayout[],
  reserved: readonly string[],
): void {
  const walk: Walk = { captured, cgroups, seen: new Map() };
  copyCgroup(walk, '', 1);
  for (const { ancestors, kubepods } of layouts) {
    for (const ancestor of ancestors) {
      copyCgroup(walk, ancestor, 1);
    }
    copyCgroup(walk, kubepods, DEEPEST);
  }
  for (const cgroup of reserved) {
    copyCgroup(walk, cgroup, 0);
  }
}

interface Walk {
  readonly captured: CapturedFiles;
  readonly cgroups: FileTree;
  /** How far below it a cgroup was already copied. */
  readonly seen: Map<string, number>;
}

function copyCgroup(walk: Walk, cgroup: string, depth: number): void {
  const { captured, cgroups, seen } = walk;
  if ((seen.get(cgroup) ?? -1) >= depth) {
    return;
  }
  seen.set(cgroup, depth);
  const folder = cgroup === '' ? CAPTURED_CGROUPS : `${CAPTURED_CGROUPS}/${cgroup}`;
  const children = captured.copyFolder(cgroups, cgroup, folder);
  for (const file of CAPTURED_CGROUP_FILES) {
    captured.copyFile(cgroups, cgroup === '' ? file : `${cgroup}/${file}`, `${folder}/${file}`);
  }
  if (depth > 0) {
    for (const child of children) {
      copyCgroup(walk, cgroup === '' ? child : `${cgroup}/${child}`, depth - 1);
    }
  }
}
