import { readFileSync, readlinkSync } from 'node:fs';

/** What tells a process from any other that had or will have its PID. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat: clock ticks from boot to its start. */
  readonly startTime: string;
  readonly bootId: string;
  /** The PID namespace, since a PID means nothing in another one. */
  readonly pidNamespace: string;
}

/** The identity of this process, on the host that it runs on (never on a captured one). */
export function ownIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    startTime: startTimeOf(process.pid) ?? '',
    bootId: hostBootId(),
    pidNamespace: ownPidNamespace(),
  };
}

/** Whether a process still runs. `unknown`: it may run in a PID namespace that cannot be seen from here. */
export function isRunning(identity: ProcessIdentity): 'running' | 'gone' | 'unknown' {
  if (identity.bootId !== hostBootId()) {
    return 'gone';
  }
  if (identity.pidNamespace !== ownPidNamespace()) {
    return 'unknown';
  }
  const startTime = startTimeOf(identity.pid);
  if (startTime === undefined) {
    return mayBeHidden(identity.pid) ? 'unknown' : 'gone';
  }
  return startTime === identity.startTime ? 'running' : 'gone';
}

/** The start time; undefined when no such process is seen, or when it is dead and only waited for. */
function startTimeOf(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The second field is the command in parentheses, and may itself hold spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields?.[0];
  return state === 'Z' || state === 'X' ? undefined : fields?.[19];
}

/** With hidepid, /proc shows nothing of other users' processes, but a signal to them is refused for lack of permission only. */
function mayBeHidden(pid: number): boolean {
  if (readText(`/proc/${pid}/stat`) !== undefined) {
    return false;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function hostBootId(): string {
  return readText('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
}

function ownPidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
