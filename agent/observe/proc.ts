import type { FileTree } from '../../cgroup/file-tree.ts';
import { parseCounter } from '../../cgroup/parse.ts';
import { parsePressure } from '../../cgroup/pressure.ts';
import type { Pressure } from '../model/node.ts';

/** What /proc tells of processes and pressure; a number that could not be read is absent. */
export interface ProcNumbers {
  readonly pidMax?: bigint | undefined;
  readonly threadsMax?: bigint | undefined;
  /** Tasks, threads included. */
  readonly tasks?: bigint | undefined;
  /** /proc/pressure/memory; absent where the kernel has none or it is off. */
  readonly memoryPressure?: Pressure | undefined;
}

/** Reads /proc below a node's root. Throws nothing. */
export function readProc(files: FileTree): ProcNumbers {
  const loadavg = textOf(files, 'proc/loadavg');
  return {
    pidMax: counterOf(files, 'proc/sys/kernel/pid_max'),
    threadsMax: counterOf(files, 'proc/sys/kernel/threads-max'),
    tasks: loadavg === undefined ? undefined : parseTasks(loadavg),
    memoryPressure: readMemoryPressure(files),
  };
}

/**
 * All tasks of the machine: the number behind the slash in the fourth field of /proc/loadavg (proc_loadavg(5)). It counts
 * threads, as the kubelet's signal does.
 */
export function parseTasks(loadavg: string): bigint | undefined {
  const [, total] = /^\S+ \S+ \S+ [0-9]+\/([0-9]+)(?:\s|$)/.exec(loadavg) ?? [];
  return total === undefined ? undefined : BigInt(total);
}

/**
 * Pressure of the whole machine. A file that is missing, and one that opens and then answers EOPNOTSUPP (psi=0), both mean
 * that there is none: absent, never 0.
 */
export function readMemoryPressure(files: FileTree): Pressure | undefined {
  const text = textOf(files, 'proc/pressure/memory');
  const { some, full } = (text === undefined ? undefined : parsePressure(text)) ?? {};
  if (some === undefined) return undefined;
  return full === undefined ? { some } : { some, full };
}

function counterOf(files: FileTree, path: string): bigint | undefined {
  const text = textOf(files, path);
  return text === undefined ? undefined : parseCounter(text);
}

function textOf(files: FileTree, path: string): string | undefined {
  const read = files.readFile(path);
  return read.kind === 'read' ? read.text : undefined;
}
