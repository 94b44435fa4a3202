import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { JournalPort } from '../apply.ts';
import {
  emptyJournal,
  forgetPlaces,
  type Journal,
  type JournalReading,
  type JournalRecord,
  parseJournal,
  printJournal,
  printRecords,
  pruneJournal,
  recordWrites,
} from '../journal.ts';
import { makeStateFolder, type StateFailure, stateFailure, syncFolder } from './state-folder.ts';
import { errorCode, failureSentence } from './system-error.ts';

export type JournalFileRead =
  | { readonly kind: 'read'; readonly reading: JournalReading }
  | { readonly kind: 'missing' }
  /** There is a journal and it cannot be trusted: nothing may be written, and it may not be replaced. */
  | { readonly kind: 'damaged'; readonly message: string }
  | ({ readonly kind: 'failed' } & StateFailure);

/** Lines that repeat a file are cheap to add; with more of them than records, and these, the file is written anew. */
const SPARE_REPEATS = 1000;

/** The journal's file in a state folder. */
export function journalPath(stateFolder: string): string {
  return `${stateFolder}/journal.jsonl`;
}

/** Reads the journal of a state folder; changes nothing. */
export function readJournalFile(stateFolder: string): JournalFileRead {
  const file = journalPath(stateFolder);
  try {
    const reading = parseJournal({ file, text: readFileSync(file, 'utf8') });
    return reading.ok
      ? { kind: 'read', reading: reading.value }
      : { kind: 'damaged', message: reading.message };
  } catch (error) {
    const code = errorCode(error);
    return code === 'ENOENT'
      ? { kind: 'missing' }
      : { kind: 'failed', code, message: failureSentence(file, code) };
  }
}

/** An open journal; only the holder of the lock has one. */
export interface JournalFile extends JournalPort {
  /** What can be restored: records of this boot and of cgroups that are still the same. */
  readonly journal: Journal;
  /** How many records were of another boot, or of cgroups that are gone or made anew. */
  readonly stale: number;
  /** Removes records, durably, and the stale ones with them. */
  forget(keys: ReadonlySet<string>): StateFailure | undefined;
}

/**
 * Makes a journal out of what was read. Stale records (see pruneJournal) leave the file with the next change of it.
 * Old values are added at the end of the file, which is made durable before `record` returns; everything else replaces the
 * file in one step: a new file, made durable, renamed over the old one, and the folder made durable.
 */
export function journalFile(
  stateFolder: string,
  read: JournalReading | undefined,
  bootId: string | null,
  inodeOf: (cgroup: string) => bigint | undefined,
): JournalFile {
  const path = journalPath(stateFolder);
  let journal = read === undefined ? emptyJournal(bootId) : pruneJournal(read.journal, bootId, inodeOf);
  const stale = (read?.journal.records.size ?? 0) - journal.records.size;
  /** How the file stands to `journal`; only a current one can be added to. */
  let onDisk: 'none' | 'current' | 'outdated' = 'none';
  if (read !== undefined) {
    onDisk = read.torn || stale > 0 || read.journal.bootId !== bootId ? 'outdated' : 'current';
  }

  let repeats = read?.repeats ?? 0;

  function replace(next: Journal): StateFailure | undefined {
    const failure =
      makeStateFolder(stateFolder) ??
      stateFailure(path, () => {
        replaceFile(stateFolder, path, printJournal(next));
      });
    onDisk = failure === undefined ? 'current' : 'outdated';
    repeats = failure === undefined ? 0 : repeats;
    journal = failure === undefined ? next : journal;
    return failure;
  }

  function record(records: readonly JournalRecord[]): StateFailure | undefined {
    const next = recordWrites(journal, records);
    repeats += records.length - (next.records.size - journal.records.size);
    if (onDisk !== 'current' || repeats > next.records.size + SPARE_REPEATS) {
      return replace(next);
    }
    const failure = stateFailure(path, () => {
      appendToFile(path, printRecords(records));
    });
    onDisk = failure === undefined ? 'current' : 'outdated';
    journal = failure === undefined ? next : journal;
    return failure;
  }

  return {
    get journal() {
      return journal;
    },
    stale,
    record: (records) => Promise.resolve(record(records)),
    forget: (keys) => {
      const next = forgetPlaces(journal, keys);
      const isSame = next.records.size === journal.records.size;
      return isSame && onDisk !== 'outdated' ? undefined : replace(next);
    },
  };
}

function replaceFile(folder: string, path: string, text: string): void {
  const fresh = `${path}.new`;
  try {
    const fd = openSync(
      fresh,
      constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW,
      0o600,
    );
    try {
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
  syncFolder(folder);
}

/** Adds lines at the end. What a full disk let through of them is cut off again, so that the file stays whole. */
function appendToFile(path: string, text: string): void {
  const fd = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
  try {
    const { size } = fstatSync(fd);
    try {
      writeFileSync(fd, text);
      fsyncSync(fd);
    } catch (error) {
      ftruncateSync(fd, size);
      throw error;
    }
  } finally {
    closeSync(fd);
  }
}
