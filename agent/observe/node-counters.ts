import { parseLimit } from '../../cgroup/memory-files.ts';
import type { CgroupLayout } from '../../cgroup/paths.ts';
import type { Warning } from '../../cgroup/warning.ts';
import type { KubepodsMemory, NodeCounters } from '../decide/signals.ts';
import type { NodeFilesystems } from '../model/node.ts';
import { CgroupReader } from './cgroup-reader.ts';
import { filesystemsOf } from './disk.ts';
import type { Machine } from './machine.ts';
import { type ProcNumbers, readProc } from './proc.ts';
import type { NodeRoot } from './root.ts';

/** The numbers behind the signals of a node, and what could not be read for them. */
export interface CountersRead {
  readonly counters: NodeCounters & ProcNumbers & { readonly filesystems: NodeFilesystems };
  readonly warnings: readonly Warning[];
}

/** Reads /proc, the cgroup2 root, the pods' cgroup and the disks of a root. Throws nothing. */
export function readNodeCounters(root: NodeRoot, layout: CgroupLayout, machine: Machine): CountersRead {
  const reader = new CgroupReader(root.cgroups);
  const stat = reader.memoryStat(
    '',
    { needed: ['anon', 'file', 'inactive_file'] },
    null,
    'memory.available is not observed',
  );
  const counters = {
    memTotalBytes: machine.memoryCapacityBytes,
    root: { anonBytes: stat.anon, fileBytes: stat.file, inactiveFileBytes: stat.inactive_file },
    kubepods: readKubepods(root, layout.kubepods, reader),
    ...readProc(root.files),
    filesystems: filesystemsOf(root),
  };
  return { counters, warnings: reader.warnings };
}

function readKubepods(root: NodeRoot, cgroup: string, reader: CgroupReader): KubepodsMemory | undefined {
  if (root.cgroups.readDirectory(cgroup).kind === 'missing') {
    const name = root.cgroups.nameOf(cgroup);
    reader.warnings.push({
      code: 'no-pods-cgroup',
      message: `${name} is not there: allocatableMemory.available is not observed`,
      cgroup,
      pod: null,
    });
    return undefined;
  }
  const consequence = 'allocatableMemory.available is not observed';
  const max = reader.text(cgroup, 'memory.max', null, consequence);
  return {
    max: max === undefined ? undefined : parseLimit(max),
    currentBytes: reader.counter(cgroup, 'memory.current', null, consequence),
    inactiveFileBytes: reader.memoryStat(cgroup, { needed: ['inactive_file'] }, null, consequence)
      .inactive_file,
  };
}
