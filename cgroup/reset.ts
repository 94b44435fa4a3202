import type { LimitWrite, Prepared } from './apply.ts';
import { compareBytewise } from './byte-order.ts';
import type { FileTree } from './file-tree.ts';
import { type Journal, type JournalRecord, placeKey } from './journal.ts';
import type { LimitRead } from './limit-port.ts';
import { formatLimit, kernelDefault, MEMORY_FILES, parseLimit } from './memory-files.ts';
import { type Change, inWriteOrder } from './write-order.ts';

/** A value to be put in place by `reset`. */
export interface ResetWrite extends LimitWrite {
  /** As the file reads now, without line break; null where that is no limit, or could not be read. */
  readonly current: string | null;
  readonly reason: string;
}

/** What follows from the journal and a look at each of its files. */
export interface Restorations {
  /** In write order; those whose file could not be looked at among them, as failed. */
  readonly writes: readonly Prepared<ResetWrite>[];
  /** Files that read what they read before nodeqos wrote, and files that are gone: their records are done with. */
  readonly done: readonly JournalRecord[];
  /** How many of `done` need no write since they read as before. */
  readonly unchanged: number;
  /** What somebody else changed since nodeqos wrote it, and is put back all the same. */
  readonly changedByOthers: readonly JournalRecord[];
}

/**
 * Decides what `reset` does with each record: the value before nodeqos' first write is put back wherever the cgroup is still
 * the same one and the file reads anything else. That includes what somebody else wrote there since: the node is to be as
 * it was before nodeqos came; but it is said. `looks` has what each file reads, by `placeKey`. A value that systemd may keep is
 * put back through it even where the file reads as before: systemd would write its own at its next reload. All others go to
 * the file, whatever the setting says now.
 */
export function restorations(journal: Journal, looks: ReadonlyMap<string, LimitRead>): Restorations {
  const writes: Prepared<ResetWrite>[] = [];
  const done: JournalRecord[] = [];
  const changedByOthers: JournalRecord[] = [];
  let unchanged = 0;
  for (const [key, record] of journal.records) {
    const look = looks.get(key);
    if (look?.kind === 'failed') {
      const write = restoration(record, null);
      writes.push({ kind: 'over', result: { write, outcome: 'failed', error: look.error, code: look.code } });
    } else if (look?.kind !== 'read' || look.inode !== record.inode) {
      done.push(record);
    } else if (look.text === record.before && record.writer === undefined) {
      done.push(record);
      unchanged += 1;
    } else {
      const write = restoration(record, limitText(look.text));
      const place = { ...record, writer: record.writer ?? 'cgroupfs' };
      writes.push({ kind: 'ready', write, place, text: record.before });
      if (limitText(look.text) !== record.written && look.text !== record.before) {
        changedByOthers.push(record);
      }
    }
  }
  return { writes: inWriteOrder(writes, changeOfPrepared), done, unchanged, changedByOthers };
}

function restoration(record: JournalRecord, current: string | null): ResetWrite {
  const { cgroup, file, inode, before } = record;
  const desired = limitText(before) ?? before.trimEnd();
  return { cgroup, file, inode, current, desired, reason: "the value before nodeqos' first write" };
}

function changeOfPrepared(prepared: Prepared<ResetWrite>): Change {
  return changeOf(prepared.kind === 'ready' ? prepared.write : prepared.result.write);
}

/** What is not known, or is no limit, counts as the kernel's default. */
function changeOf({ cgroup, file, current, desired }: ResetWrite): Change {
  const usual = kernelDefault(file);
  return { cgroup, file, from: parseLimit(current ?? '') ?? usual, to: parseLimit(desired) ?? usual };
}

/** A limit as a plan shows it; null for a text that is none. */
function limitText(text: string): string | null {
  const limit = parseLimit(text);
  return limit === undefined ? null : formatLimit(limit);
}

/**
 * What `reset --neutral` writes, in write order: min and low 0 and high `max`, the kernel's defaults for a new cgroup,
 * wherever a file is there and reads anything else, or could not be read. `looks` has what each file of `cgroups` reads, by
 * `placeKey`.
 */
export function neutralWrites(
  cgroups: readonly string[],
  looks: ReadonlyMap<string, LimitRead>,
): readonly ResetWrite[] {
  const writes = cgroups.flatMap((cgroup) =>
    MEMORY_FILES.flatMap((file): ResetWrite[] => {
      const look = looks.get(placeKey({ cgroup, file }));
      const desired = formatLimit(kernelDefault(file));
      const reason = "the kernel's value for a new cgroup";
      if (look?.kind === 'failed') {
        return [{ cgroup, file, current: null, desired, reason }];
      }
      if (look?.kind !== 'read' || limitText(look.text) === desired) {
        return [];
      }
      return [{ cgroup, file, inode: look.inode, current: limitText(look.text), desired, reason }];
    }),
  );
  return inWriteOrder(writes, changeOf);
}

/** The cgroups at and below `top`, in bytewise order, and the folders among them that could not be listed. */
export function cgroupsAtAndBelow(
  tree: FileTree,
  top: string,
): { readonly cgroups: readonly string[]; readonly unlisted: readonly string[] } {
  const cgroups: string[] = [];
  const unlisted: string[] = [];
  const waiting = [top];
  for (let cgroup = waiting.pop(); cgroup !== undefined; cgroup = waiting.pop()) {
    const folder = cgroup;
    const listing = tree.readDirectory(folder);
    if (listing.kind === 'read') {
      cgroups.push(folder);
      waiting.push(...listing.directories.map((name) => `${folder}/${name}`));
    } else if (listing.kind === 'failed' && listing.code !== 'ENODEV') {
      cgroups.push(folder);
      unlisted.push(folder);
    }
  }
  return { cgroups: cgroups.sort(compareBytewise), unlisted: unlisted.sort(compareBytewise) };
}
