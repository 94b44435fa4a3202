import { readFileSync } from 'node:fs';
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
  unusableJournal,
} from '../journal.ts';
import { appendDurably, failureOf, replaceDurably } from './durable-file.ts';
import { makeStateFolder, type StateFailure } from './state-folder.ts';
import { errorCode, failureSentence } from './system-error.ts';

export type JournalFileRead =
  | { readonly kind: 'read'; readonly reading: JournalReading }
  | { readonly kind: 'missing' }
  /** There is a journal and it cannot be trusted: nothing may be written, and it may not be replaced. */
  | { readonly kind: 'damaged'; readonly message: string }
  | ({ readonly kind: 'failed' } & StateFailure);

/**
 * Lines are cheap to add at the end. With more that repeat a file than there are records, or more new records than there
 * were, and these, the file is written anew.
 */
const SPARE_LINES = 1000;

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
    if (code === 'ENOENT') return { kind: 'missing' };
    return code === 'EISDIR'
      ? { kind: 'damaged', message: unusableJournal(file, 'it is a folder') }
      : { kind: 'failed', code, message: failureSentence(file, code) };
  }
}

/** An open journal; only the holder of the lock has one. Changes are made one after the other, in the order asked for. */
export interface JournalFile extends JournalPort {
  /** What can be restored: records of this boot and of cgroups that are still the same. */
  readonly journal: Journal;
  /** How many records were of another boot, or of cgroups that are gone or made anew. */
  readonly stale: number;
  /** Removes records, durably, and the stale ones with them. */
  forget(keys: ReadonlySet<string>): Promise<StateFailure | undefined>;
}

export type JournalOpening =
  | { readonly kind: 'open'; readonly journal: JournalFile }
  | Exclude<JournalFileRead, { readonly kind: 'read' | 'missing' }>;

/** Reads the journal of a state folder and opens it; changes nothing yet. Parameters as for journalFile. */
export function openJournalFile(
  stateFolder: string,
  bootId: string | null,
  inodeOf: (cgroup: string) => bigint | undefined,
): JournalOpening {
  const read = readJournalFile(stateFolder);
  if (read.kind === 'damaged' || read.kind === 'failed') {
    return read;
  }
  const reading = read.kind === 'read' ? read.reading : undefined;
  return { kind: 'open', journal: journalFile(stateFolder, reading, bootId, inodeOf) };
}

/**
 * Makes a journal out of what was read. Stale records (see pruneJournal) leave the file with the next change of it, and
 * when it has grown much: pods come and go for months. Old values are added at the end of the file, which is durable before
 * `record` resolves; everything else replaces the file in one step.
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
  /** How many records the file had when it was written whole, or read. */
  let whole = journal.records.size;
  let lastChange: Promise<unknown> = Promise.resolve();

  async function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const done = lastChange.then(change);
    lastChange = done.catch(() => undefined);
    return await done;
  }

  function settle(next: Journal, failure: StateFailure | undefined): StateFailure | undefined {
    onDisk = failure === undefined ? 'current' : 'outdated';
    journal = failure === undefined ? next : journal;
    return failure;
  }

  async function replace(next: Journal): Promise<StateFailure | undefined> {
    const failure =
      makeStateFolder(stateFolder) ??
      (await failureOf(path, () => replaceDurably(stateFolder, path, printJournal(next))));
    if (failure === undefined) {
      repeats = 0;
      whole = next.records.size;
    }
    return settle(next, failure);
  }

  async function record(records: readonly JournalRecord[]): Promise<StateFailure | undefined> {
    const next = recordWrites(journal, records);
    const { size } = next.records;
    repeats += records.length - (size - journal.records.size);
    if (size > 2 * whole + SPARE_LINES) {
      return await replace(recordWrites(pruneJournal(journal, bootId, inodeOf), records));
    }
    if (onDisk !== 'current' || repeats > size + SPARE_LINES) {
      return await replace(next);
    }
    return settle(next, await failureOf(path, () => appendDurably(path, printRecords(records))));
  }

  async function forget(keys: ReadonlySet<string>): Promise<StateFailure | undefined> {
    const next = forgetPlaces(journal, keys);
    const isSame = next.records.size === journal.records.size;
    return isSame && onDisk !== 'outdated' ? undefined : await replace(next);
  }

  return {
    get journal() {
      return journal;
    },
    stale,
    record: (records) => inTurn(() => record(records)),
    forget: (keys) => inTurn(() => forget(keys)),
  };
}
