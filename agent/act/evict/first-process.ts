import type { Processes } from './processes.ts';

interface Candidate {
  readonly pid: number;
  readonly isChildOfAnother: boolean;
  readonly startTicks: bigint;
}

/**
 * The process that a container was started with, out of all of its processes: its parent is not one of them, and it was
 * there first. Processes that were put into the container later (`kubectl exec`) have no parent in it either. undefined
 * when none of them is seen.
 */
export function firstProcess(pids: readonly number[], processes: Processes): number | undefined {
  const members = new Set(pids);
  let first: Candidate | undefined;
  for (const pid of pids) {
    const facts = processes.facts(pid);
    if (facts !== undefined) {
      const candidate = {
        pid,
        isChildOfAnother: members.has(facts.parentPid),
        startTicks: facts.startTicks,
      };
      first = first === undefined || isBefore(candidate, first) ? candidate : first;
    }
  }
  return first?.pid;
}

function isBefore(a: Candidate, b: Candidate): boolean {
  if (a.isChildOfAnother !== b.isChildOfAnother) {
    return b.isChildOfAnother;
  }
  return a.startTicks === b.startTicks ? a.pid < b.pid : a.startTicks < b.startTicks;
}
