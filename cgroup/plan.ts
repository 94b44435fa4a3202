import type { EffectiveProtection } from './effective.ts';
import { formatLimit, kernelDefault, type Limit, type MemoryFile } from './memory-files.ts';
import type { DesiredValue } from './qos-pod.ts';
import type { CgroupReading, CgroupSnapshot } from './snapshot.ts';
import type { Warning } from './warning.ts';
import { type Change, inWriteOrder } from './write-order.ts';

type PlanAction = 'write' | 'keep' | 'missing';

/** One line of a plan: what a file has, what it should have, and what follows. */
export interface PlanEntry extends Omit<DesiredValue, 'desired'> {
  /** As the kernel has it; null when offline, missing or not readable. */
  readonly current: string | null;
  /** As it is to be written. */
  readonly desired: string;
  readonly action: PlanAction;
}

export interface PlanSummary {
  readonly write: number;
  readonly keep: number;
  readonly missing: number;
}

/** Entries in write order; `effective` is absent offline. */
export interface Plan {
  readonly entries: readonly PlanEntry[];
  readonly summary: PlanSummary;
  readonly warnings: readonly Warning[];
  readonly effective?: readonly EffectiveProtection[];
}

/**
 * What is to be done for each desired value. Offline (no snapshot) everything is to be written. On a node, a cgroup that is
 * not there is `missing`; a file that is there and cannot be read is written, since nothing says that it is right. Entries
 * that are kept or missing stand where they would be written.
 */
export function planEntries(
  desired: readonly DesiredValue[],
  snapshot: CgroupSnapshot | undefined,
): readonly PlanEntry[] {
  return entriesInOrder(desired.map((value) => planned(value, snapshot)));
}

/** A line of a plan, and the change that it makes. */
export interface PlannedItem {
  readonly entry: PlanEntry;
  readonly change: Change;
}

/** The lines in write order. */
export function entriesInOrder(items: readonly PlannedItem[]): readonly PlanEntry[] {
  return inWriteOrder(items, ({ change }) => change).map(({ entry }) => entry);
}

function planned(value: DesiredValue, snapshot: CgroupSnapshot | undefined): PlannedItem {
  const reading = value.cgroup === null ? undefined : snapshot?.byCgroup.get(value.cgroup);
  const current = reading === undefined ? undefined : limitOf(reading, value.file);
  return plannedItem(value, current, snapshot === undefined ? 'write' : actionFor(value, reading, current));
}

/** The line for a desired value whose file reads `current`; undefined is not known. */
export function plannedItem(
  value: DesiredValue,
  current: Limit | undefined,
  action: PlanAction,
): PlannedItem {
  const { level, namespace, pod, uid, container, qosClass, cgroup, file, desired, reason } = value;
  return {
    entry: {
      level,
      namespace,
      pod,
      uid,
      container,
      qosClass,
      cgroup,
      file,
      current: current === undefined ? null : formatLimit(current),
      desired: formatLimit(desired),
      action,
      reason,
    },
    change: { cgroup, file, from: current ?? kernelDefault(file), to: desired },
  };
}

function actionFor(
  value: DesiredValue,
  reading: CgroupReading | undefined,
  current: Limit | undefined,
): PlanAction {
  if (reading === undefined || reading.missing.includes(value.file)) {
    return 'missing';
  }
  return current === value.desired ? 'keep' : 'write';
}

function limitOf(reading: CgroupReading, file: MemoryFile): Limit | undefined {
  switch (file) {
    case 'memory.min':
      return reading.min;
    case 'memory.low':
      return reading.low;
    case 'memory.high':
      return reading.high;
  }
}

/** How many entries there are of each action. */
export function summarize(entries: readonly PlanEntry[]): PlanSummary {
  const summary = { write: 0, keep: 0, missing: 0 };
  for (const { action } of entries) {
    summary[action] += 1;
  }
  return summary;
}
