import type { WriteResult } from '../../cgroup/apply.ts';
import type { Drift } from '../../cgroup/drift.ts';
import type { FileTree } from '../../cgroup/file-tree.ts';
import type { PlanEntry } from '../../cgroup/plan.ts';
import type { LocatedEntry } from '../../cgroup/reconcile.ts';
import type { OrderedWrite } from '../act/limits/limit-writes.ts';
import type { AgentEvent, LimitOwner } from '../model/agent-event.ts';

/** Whose value an entry of a plan is. */
function ownerOf({
  namespace,
  pod,
  container,
}: Pick<PlanEntry, 'namespace' | 'pod' | 'container'>): LimitOwner {
  return { pod: pod === null ? null : `${namespace ?? ''}/${pod}`, container };
}

/** What dry-run kept from being written. */
export function wantedWrite(entry: LocatedEntry): AgentEvent {
  const { cgroup, file, current: from, desired: to, reason } = entry;
  return { kind: 'write', ...ownerOf(entry), cgroup, file, from, to, reason, outcome: 'wanted' };
}

/** What became of a write. */
export function endedWrite({
  write,
  outcome,
  error,
  writer,
  because,
}: WriteResult<OrderedWrite>): AgentEvent {
  const { pod, container, cgroup, file, from, desired: to, reason } = write;
  const ended = { kind: 'write', pod, container, cgroup, file, from, to, reason, outcome } as const;
  return {
    ...ended,
    ...(error === null ? {} : { error }),
    ...(writer === undefined ? {} : { writer }),
    ...(because === undefined ? {} : { because }),
  };
}

/** A value that somebody else changed; every drift is of one of the entries that differ. */
export function driftEvent(drift: Drift, differing: readonly PlanEntry[]): AgentEvent {
  const entry = differing.find(({ cgroup, file }) => cgroup === drift.cgroup && file === drift.file);
  const owner = entry === undefined ? { pod: null, container: null } : ownerOf(entry);
  return { kind: 'drift', ...owner, ...drift };
}

/** A write of the cgroup that is there now, and of no other that may be made under its name. */
export function orderedWrite(entry: LocatedEntry, tree: FileTree): readonly OrderedWrite[] {
  const { cgroup, file, current, desired, reason } = entry;
  const inode = tree.inodeOf(cgroup);
  return inode === undefined
    ? []
    : [{ ...ownerOf(entry), cgroup, file, inode, desired, from: current, reason }];
}
