import { type ApplyPorts, type WriteResult, writeInOrder } from '../../../cgroup/apply.ts';
import type { JournalFile } from '../../../cgroup/disk/journal-file.ts';
import type { StateFailure } from '../../../cgroup/disk/state-folder.ts';
import { type JournalRecord, placeKey } from '../../../cgroup/journal.ts';
import type { LimitFiles, LimitPlace, LimitRead } from '../../../cgroup/limit-port.ts';
import { type ResetWrite, restorations } from '../../../cgroup/reset.ts';

/** What became of putting back everything that the journal holds. */
export interface Restored {
  readonly results: readonly WriteResult<ResetWrite>[];
  /** How many files read as before nodeqos already. */
  readonly unchanged: number;
  /** What somebody else had changed since nodeqos wrote it, and was put back all the same. */
  readonly changedByOthers: readonly JournalRecord[];
  /** Why the journal still holds what is put back; undefined when it does not. */
  readonly notForgotten: StateFailure | undefined;
}

interface RestorePorts extends Pick<ApplyPorts, 'files' | 'interrupted'> {
  readonly journal: JournalFile;
}

/** Puts back what the journal holds, and takes what is done with out of it; what failed stays for the next time. */
export async function restoreJournal(ports: RestorePorts): Promise<Restored> {
  const { files, journal } = ports;
  const records = journal.journal;
  const found = restorations(records, await lookAt([...records.records.values()], files));
  const results = await writeInOrder(found.writes, ports);
  const done = results.filter(({ outcome }) => outcome !== 'failed').map(({ write }) => placeKey(write));
  const notForgotten = await journal.forget(new Set([...found.done.map(placeKey), ...done]));
  const { unchanged, changedByOthers } = found;
  return { results, unchanged, changedByOthers, notForgotten };
}

/** What each of these files reads, by `placeKey`. */
export async function lookAt(
  places: readonly LimitPlace[],
  files: LimitFiles,
): Promise<ReadonlyMap<string, LimitRead>> {
  const looks = new Map<string, LimitRead>();
  for (const place of places) {
    looks.set(placeKey(place), await files.read(place));
  }
  return looks;
}
