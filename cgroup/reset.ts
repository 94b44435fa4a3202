import type { LimitWrite } from './apply.ts';
import { compareBytewise } from './byte-order.ts';
import type { FileTree } from './file-tree.ts';
import { type Journal, type JournalRecord, placeKey } from './journal.ts';
import type { LimitRead } from './limit-port.ts';
import { formatLimit, kernelDefault, MEMORY_FILES, parseLimit } from './memory-files.ts';

/** A value to be put in place by `reset`. */
export interface ResetWrite extends LimitWrite {
  readonly inode: bigint;
  /** As the file reads now, without line break; null where that is no limit. */
  readonly current: string | null;
  /** The whole content that the file shall read, byte for byte. */
  readonly text: string;
  readonly reason: string;
}

/** A file that could not be looked at. */
export interface ResetFailure {
  readonly record: JournalRecord;
  readonly code: string;
  readonly error: string;
}

/** What follows from the journal and a look at each of its files. Nothing in it is in write order yet. */
export interface Restorations {
  readonly restore: readonly ResetWrite[];
  /** Files that read what they read before nodeqos wrote; their records are done with. */
  readonly unchanged: readonly JournalRecord[];
  /** Among `restore`: what somebody else changed since nodeqos wrote it. */
  readonly changedByOthers: readonly JournalRecord[];
  readonly vanished: readonly JournalRecord[];
  readonly failed: readonly ResetFailure[];
}

/**
 * Decides what `reset` does with each record: the value before nodeqos' first write is put back wherever the cgroup is still
 * the same one and the file reads anything else. That includes what somebody else wrote there since: the node is to be as
 * it was before nodeqos came; but it is said. `looks` has what each file reads, by `placeKey`.
 */
export function restorations(journal: Journal, looks: ReadonlyMap<string, LimitRead>): Restorations {
  const restore: ResetWrite[] = [];
  const unchanged: JournalRecord[] = [];
  const changedByOthers: JournalRecord[] = [];
  const vanished: JournalRecord[] = [];
  const failed: ResetFailure[] = [];
  for (const [key, record] of journal.records) {
    const look = looks.get(key);
    if (look?.kind === 'failed') {
      failed.push({ record, code: look.code, error: look.error });
    } else if (look?.kind !== 'read' || look.inode !== record.inode) {
      vanished.push(record);
    } else if (look.text === record.before) {
      unchanged.push(record);
    } else {
      restore.push(restoration(record, look.text));
      if (parseLimit(look.text) !== parseLimit(record.written)) {
        changedByOthers.push(record);
      }
    }
  }
  return { restore, unchanged, changedByOthers, vanished, failed };
}

function restoration(record: JournalRecord, found: string): ResetWrite {
  const { cgroup, file, inode, before } = record;
  return {
    cgroup,
    file,
    inode,
    current: limitText(found),
    desired: limitText(before) ?? before.trimEnd(),
    text: before,
    reason: "the value before nodeqos' first write",
  };
}

/** A limit as a plan shows it; null for a text that is none. */
function limitText(text: string): string | null {
  const limit = parseLimit(text);
  return limit === undefined ? null : formatLimit(limit);
}

/**
 * What `reset --neutral` writes: min and low 0 and high `max`, the kernel's defaults for a new cgroup, wherever a file is
 * there and reads anything else. `looks` has what each file of `cgroups` reads, by `placeKey`.
 */
export function neutralWrites(
  cgroups: readonly string[],
  looks: ReadonlyMap<string, LimitRead>,
): readonly ResetWrite[] {
  return cgroups.flatMap((cgroup) =>
    MEMORY_FILES.flatMap((file) => {
      const look = looks.get(placeKey({ cgroup, file }));
      const neutral = kernelDefault(file);
      if (look?.kind !== 'read' || parseLimit(look.text) === neutral) {
        return [];
      }
      const desired = formatLimit(neutral);
      const current = limitText(look.text);
      const reason = "the kernel's value for a new cgroup";
      return [{ cgroup, file, inode: look.inode, current, desired, text: `${desired}\n`, reason }];
    }),
  );
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
