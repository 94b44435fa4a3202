import { closeSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { errorCode } from '../../../cgroup/disk/system-error.ts';
import { isNative, type Native, type NativeLack } from '../../native/native.ts';
import type { HeldProcess, Processes, ProcessFacts, Signalled } from './processes.ts';

/** Positions after the command in /proc/PID/stat, which is in parentheses and may hold spaces itself (proc(5)). */
const STATE = 0;
const PARENT = 1;
const START = 19;

/** The processes of this machine, held by pidfd where there is a native part and the kernel has them. */
export function hostProcesses(native: Native | NativeLack): Processes {
  return {
    ownPid: process.pid,
    facts,
    hold: (pid) => {
      if (!isNative(native)) {
        return byPid(pid);
      }
      const opened = native.pidfdOpen(pid);
      if (opened.ok) {
        return byPidfd(native, pid, opened.value);
      }
      // A kernel without pidfds (before 5.3) or a filter of system calls says something else.
      return opened.code === 'ESRCH' ? undefined : byPid(pid);
    },
  };
}

function byPidfd(native: Native, pid: number, pidfd: number): HeldProcess {
  return {
    pid,
    signal: (name) => {
      const sent = native.pidfdSendSignal(pidfd, constants.signals[name]);
      return sent.ok ? { kind: 'sent' } : notSent(sent.code);
    },
    release: () => {
      closeSync(pidfd);
    },
  };
}

/** Without a pidfd, a process is told from a later one with its PID by when it started, looked at right before. */
function byPid(pid: number): HeldProcess | undefined {
  const seen = facts(pid);
  if (seen === undefined) {
    return undefined;
  }
  return {
    pid,
    signal: (name) => {
      if (facts(pid)?.startTicks !== seen.startTicks) {
        return { kind: 'gone' };
      }
      try {
        process.kill(pid, name);
        return { kind: 'sent' };
      } catch (error) {
        return notSent(errorCode(error));
      }
    },
    release: () => undefined,
  };
}

function notSent(code: string): Signalled {
  return code === 'ESRCH' ? { kind: 'gone' } : { kind: 'failed', code };
}

/** A process that is dead and only waited for is gone. */
function facts(pid: number): ProcessFacts | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, start] = [fields[STATE], fields[PARENT], fields[START]];
  if (state === 'Z' || state === 'X' || parent === undefined || start === undefined) {
    return undefined;
  }
  return { parentPid: Number(parent), startTicks: BigInt(start) };
}
