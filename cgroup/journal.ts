import type { TextFile } from '../config/finding.ts';
import { type Parsed, parsed, refused } from '../config/result.ts';
import { isCgroupPath, isMemoryFile, type KnownLimitPlace } from './limit-port.ts';

/** The schema of the journal's file. A file of a newer one is not touched; there is no older one yet. */
const JOURNAL_VERSION = 1;

/**
 * One limit file that nodeqos wrote, or was about to write when it died. `before` is the file byte for byte as it was
 * before the first write and is never replaced while the cgroup is the same; `written` is the text of the last write.
 * `writer` is `systemd` where one of the writes may have gone through it: systemd then keeps a value of its own, which has to
 * be put back too; absent, they went to the file.
 */
export interface JournalRecord extends KnownLimitPlace {
  readonly before: string;
  readonly written: string;
  /** The file right before the last write where that is not `before`: what it still reads if that write never happened. */
  readonly previous?: string;
}

/** What nodeqos wrote since this boot, by `placeKey`, in the order of the first writes. `bootId` is null where it is not known. */
export interface Journal {
  readonly bootId: string | null;
  readonly records: ReadonlyMap<string, JournalRecord>;
}

/** A journal as its file has it. */
export interface JournalReading {
  readonly journal: Journal;
  /** A crash cut the last line, which then was never acted upon. */
  readonly torn: boolean;
  /** How many lines say no more than that a file was written once again. */
  readonly repeats: number;
}

const HEADER_KIND = 'NodeQosJournal';

/** A journal without records, for the boot that is running. */
export function emptyJournal(bootId: string | null): Journal {
  return { bootId, records: new Map() };
}

/** The key of a limit file among the records: cgroup names hold no line break that matters here, file names hold no slash. */
export function placeKey(place: { readonly cgroup: string; readonly file: string }): string {
  return `${place.cgroup}/${place.file}`;
}

/**
 * Adds what is about to be written. Where the same cgroup (by inode) has a record already, the value before the first write
 * stays: a later one would make `reset` restore what nodeqos itself had written.
 */
export function recordWrites(journal: Journal, writes: readonly JournalRecord[]): Journal {
  const records = new Map(journal.records);
  for (const write of writes) {
    const key = placeKey(write);
    const earlier = records.get(key);
    records.set(key, earlier?.inode === write.inode ? writtenAgain(earlier, write) : write);
  }
  return { bootId: journal.bootId, records };
}

function writtenAgain(earlier: JournalRecord, write: JournalRecord): JournalRecord {
  const { before } = earlier;
  const { cgroup, file, inode, written, previous = write.before, writer = earlier.writer } = write;
  const further = {
    ...(previous === before ? {} : { previous }),
    ...(writer === undefined ? {} : { writer }),
  };
  return { cgroup, file, inode, before, written, ...further };
}

/** The journal without the records of these places. */
export function forgetPlaces(journal: Journal, keys: ReadonlySet<string>): Journal {
  return {
    bootId: journal.bootId,
    records: new Map([...journal.records].filter(([key]) => !keys.has(key))),
  };
}

/**
 * The journal without what cannot be restored any more: everything when the node has booted since, and the records of
 * cgroups that are gone or were made anew under their name. `inodeOf` gives a cgroup's inode, undefined when it is gone.
 */
export function pruneJournal(
  journal: Journal,
  bootId: string | null,
  inodeOf: (cgroup: string) => bigint | undefined,
): Journal {
  if (journal.bootId !== bootId) {
    return emptyJournal(bootId);
  }
  return {
    bootId,
    records: new Map([...journal.records].filter(([, record]) => inodeOf(record.cgroup) === record.inode)),
  };
}

/** The whole file: a line that says what it is, and one line a record. */
export function printJournal(journal: Journal): string {
  const header = { kind: HEADER_KIND, version: JOURNAL_VERSION, bootId: journal.bootId };
  return `${JSON.stringify(header)}\n${printRecords([...journal.records.values()])}`;
}

/** Records as lines, to be added at the end of a journal's file. The inode is text: it can exceed what JSON readers keep exact. */
export function printRecords(records: readonly JournalRecord[]): string {
  return records
    .map(({ cgroup, file, inode, before, written, previous, writer }) =>
      JSON.stringify({ cgroup, file, inode: inode.toString(), before, written, previous, writer }),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/**
 * Reads a journal's file. Lines are only ever added at its end, so half a line there is what a crash leaves: it is left out,
 * for nothing is written to a cgroup before its line is whole and on disk. Anything else that is wrong is refused with the
 * line and a remedy, since a new journal in its place would lose the old values for good.
 */
export function parseJournal(input: TextFile): Parsed<JournalReading> {
  const lines = input.text.split('\n');
  const tail = lines.pop() ?? '';
  const [first, ...rest] = lines;
  const bootId = first === undefined ? refused(`its first line is not whole; ${REMEDY}`) : parseHeader(first);
  if (!bootId.ok) {
    return refusedAt(input.file, 1, bootId.message);
  }
  const records: JournalRecord[] = [];
  for (const [index, line] of rest.entries()) {
    const record = parseRecord(line);
    if (!record.ok) {
      return refusedAt(input.file, index + 2, record.message);
    }
    records.push(record.value);
  }
  const last = parseRecord(tail);
  if (last.ok) {
    records.push(last.value);
  }
  const journal = recordWrites(emptyJournal(bootId.value), records);
  return parsed({ journal, torn: tail !== '', repeats: records.length - journal.records.size });
}

/** For a journal that cannot even be read as a file, which is as lost as a damaged one: what is wrong, and the remedy. */
export function unusableJournal(file: string, why: string): string {
  return `${file}: the journal of old values cannot be used: ${why}; ${REMEDY}`;
}

function refusedAt(
  file: string,
  line: number,
  message: string,
): { readonly ok: false; readonly message: string } {
  return refused(`${file}:${line}: the journal of old values cannot be used: ${message}`);
}

const REMEDY =
  'move it away to go on without it; `nodeqos reset --neutral` then gives the kubepods cgroups the kernel defaults';

function parseHeader(line: string): Parsed<string | null> {
  const header = parseObject(line);
  if (header?.['kind'] !== HEADER_KIND) {
    return refused(`this is no journal of nodeqos; ${REMEDY}`);
  }
  const version = header['version'];
  if (typeof version === 'number' && version > JOURNAL_VERSION) {
    return refused(
      `it has version ${version} and this nodeqos knows version ${JOURNAL_VERSION}; use the nodeqos that wrote it`,
    );
  }
  const bootId = header['bootId'];
  if (version !== JOURNAL_VERSION || (typeof bootId !== 'string' && bootId !== null)) {
    return refused(`its first line is damaged; ${REMEDY}`);
  }
  return parsed(bootId);
}

function parseRecord(line: string): Parsed<JournalRecord> {
  const record = parseObject(line);
  const { cgroup, file, inode, before, written } = record ?? {};
  const further = furtherFields(record);
  if (
    typeof cgroup !== 'string' ||
    !isCgroupPath(cgroup) ||
    !isMemoryFile(file) ||
    typeof inode !== 'string' ||
    !/^[0-9]{1,20}$/.test(inode) ||
    typeof before !== 'string' ||
    typeof written !== 'string' ||
    further === undefined
  ) {
    return refused(`this line is damaged; ${REMEDY}`);
  }
  return parsed({ cgroup, file, inode: BigInt(inode), before, written, ...further });
}

/** What a record need not have; undefined where it is damaged. */
function furtherFields(
  record: Readonly<Record<string, unknown>> | undefined,
): Pick<JournalRecord, 'previous' | 'writer'> | undefined {
  const { previous, writer } = record ?? {};
  const isGood =
    (previous === undefined || typeof previous === 'string') &&
    (writer === undefined || writer === 'systemd');
  return isGood
    ? { ...(previous === undefined ? {} : { previous }), ...(writer === undefined ? {} : { writer }) }
    : undefined;
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
