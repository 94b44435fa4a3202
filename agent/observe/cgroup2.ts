import { statfsSync } from 'node:fs';
import type { FileTree } from '../../cgroup/file-tree.ts';
import { EXIT, Failure } from '../exit.ts';
import { memoryIsOnV1, parseMounts } from './mounts.ts';

/** CGROUP2_SUPER_MAGIC of linux/magic.h: "cgrp". */
const CGROUP2_MAGIC = 0x63677270;

/** What has to be known of a root to say whether it has cgroup v2. */
export interface Cgroup2Candidate {
  readonly kind: 'host' | 'folder' | 'archive';
  readonly files: FileTree;
  readonly cgroups: FileTree;
  readonly cgroupMountPath?: string;
  readonly isFake: boolean;
}

/**
 * Why a root has no cgroup v2 with its memory controller, as a Failure; undefined where it has. 69: no mount, a cgroup v1
 * or hybrid host (memory on the old hierarchy, an empty cgroup2 mount beside it), a kernel with the controller switched
 * off. On this machine the mount's filesystem is asked for as well, so that no other folder is taken for it; a folder or an
 * archive is taken at its word, since its files were copied. 77 where the user may not look.
 */
export function cgroup2Fault(root: Cgroup2Candidate): Failure | undefined {
  const read = root.cgroups.readFile('cgroup.controllers');
  const file = root.cgroups.nameOf('cgroup.controllers');
  if (read.kind === 'failed') {
    return new Failure(
      read.code === 'EACCES' ? EXIT.notPermitted : EXIT.unavailable,
      `${file} cannot be read (${read.code}), so it is not known whether this node has cgroup v2`,
    );
  }
  const controllers = read.kind === 'read' ? read.text.trim().split(/\s+/) : [];
  if (!controllers.includes('memory')) {
    return new Failure(EXIT.unavailable, withoutMemory(root, file, read.kind === 'read'));
  }
  return root.kind === 'host' && !root.isFake && !isCgroup2(root.cgroupMountPath)
    ? new Failure(
        EXIT.unavailable,
        `${root.cgroups.nameOf('')} is not a cgroup2 mount; --cgroup-root names another one`,
      )
    : undefined;
}

function withoutMemory(root: Cgroup2Candidate, file: string, isThere: boolean): string {
  const read = root.files.readFile('proc/mounts');
  if (read.kind === 'read' && memoryIsOnV1(parseMounts(read.text))) {
    return (
      'this node is a cgroup v1 or hybrid host: its memory controller is on the old hierarchy, and nodeqos needs it on ' +
      'cgroup v2 (boot with systemd.unified_cgroup_hierarchy=1)'
    );
  }
  return isThere
    ? `${file} does not name the memory controller; boot without cgroup_disable=memory, or with cgroup_enable=memory`
    : `${file} is not there, so this is no cgroup v2 node; --root or --cgroup-root may name the wrong folder`;
}

function isCgroup2(path: string | undefined): boolean {
  try {
    return path !== undefined && statfsSync(path).type === CGROUP2_MAGIC;
  } catch {
    // It went away or may not be looked at: then it cannot be vouched for either.
    return false;
  }
}
