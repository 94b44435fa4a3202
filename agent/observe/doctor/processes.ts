import { readlinkSync } from 'node:fs';
import { parseProcs } from '../../../cgroup/parse.ts';
import type { NodeRoot } from '../root.ts';

/** One process of this machine. */
export interface ProcessLook {
  readonly pid: number;
  /** At most 15 characters (proc_pid_comm(5)). */
  readonly comm: string;
  /** Empty where it is a kernel thread's, or may not be read. */
  readonly argv: readonly string[];
}

/** The processes that are seen, and whether these are all of the machine. */
export interface ProcessList {
  readonly processes: readonly ProcessLook[];
  readonly isWhole: boolean;
}

/** The inode of the PID namespace that a machine starts with (linux/proc_ns.h: PROC_PID_INIT_INO). */
const FIRST_NAMESPACE = 'pid:[4026531836]';

/**
 * The processes of this machine by /proc, ascending. A namespace of its own, as a container has one, and a /proc that hides
 * other users' processes show some of them only. Throws nothing.
 */
export function listProcesses(files: NodeRoot['files'], namespace = pidNamespace()): ProcessList {
  const listed = files.readDirectory('proc');
  const pids = listed.kind === 'read' ? parseProcs(listed.directories.join('\n')) : [];
  const processes = pids.flatMap((pid) => {
    const comm = files.readFile(`proc/${pid}/comm`);
    if (comm.kind !== 'read') return [];
    const line = files.readFile(`proc/${pid}/cmdline`);
    const argv = line.kind === 'read' ? line.text.split('\0').filter((word) => word !== '') : [];
    return [{ pid, comm: comm.text.trim(), argv }];
  });
  return { processes, isWhole: namespace === FIRST_NAMESPACE && pids.includes(1) };
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** PIDs of nodeqos that act, ascending: `nodeqos run`, by the program's name among the first words of its command. */
export function runningNodeqos(processes: readonly ProcessLook[]): readonly number[] {
  return processes
    .filter(({ argv }) => {
      const program = argv.slice(0, 3).findIndex((word) => /(?:^|\/)nodeqos(?:\.mjs)?$/.test(word));
      return program >= 0 && argv[program + 1] === 'run';
    })
    .map(({ pid }) => pid);
}
