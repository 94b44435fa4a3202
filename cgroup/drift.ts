import type { WriteResult } from './apply.ts';
import { type Journal, type JournalRecord, placeKey } from './journal.ts';
import type { LimitPlace } from './limit-port.ts';
import { formatLimit, type MemoryFile, parseLimit } from './memory-files.ts';
import type { PlanEntry } from './plan.ts';

/** So many repairs within this time, and one more wanted, are a fight. */
const REPAIRS_OF_A_FIGHT = 3;
const FIGHT_MS = 5 * 60_000;
/** How long a value is left alone after a fight; twice as long after each next one. */
const FIRST_TRUCE_MS = 10 * 60_000;
const LONGEST_TRUCE_MS = 60 * 60_000;

/** What is remembered between looks of who changes governed values; by `placeKey`. */
export interface DriftState {
  /** Writes that may not have happened although the journal has them: of a process that died, and failed ones. */
  readonly unsure: ReadonlySet<string>;
  readonly disputes: ReadonlyMap<string, Dispute>;
}

/** One value that somebody else has changed. */
interface Dispute {
  readonly inode: bigint;
  /** What was found and reported, until it is repaired; undefined when it reads as it should. */
  readonly found: string | undefined;
  /** When repairs were called for, in milliseconds, oldest first. */
  readonly repairsAtMs: readonly number[];
  /** Left alone until then, and for how long; undefined: never yet. */
  readonly truce: { readonly untilMs: number; readonly forMs: number } | undefined;
}

/** Somebody else changed a value that nodeqos wrote. */
export interface Drift {
  readonly cgroup: string;
  readonly file: MemoryFile;
  readonly wrote: string;
  readonly found: string;
  /** Set when it is not repaired for a while, since it has been changed again and again. */
  readonly leftAlone?: { readonly likelyWriter: string; readonly forMs: number };
}

/** What there is to see at one look. */
export interface DriftLook {
  /** The entries of the plan whose file reads other than desired. */
  readonly differing: readonly PlanEntry[];
  readonly records: ReadonlyMap<string, JournalRecord>;
  /** Places that are being written, as it was before the files were read. */
  readonly inFlight: ReadonlySet<string>;
  /** What the plan wants at a place, by `placeKey`; undefined where it wants nothing. */
  desiredAt(key: string): string | undefined;
  inodeOf(cgroup: string): bigint | undefined;
  /** Who else may write there, in words. */
  likelyWriter(cgroup: string): string;
}

export interface DriftSeen {
  readonly state: DriftState;
  /** Each once, until it has been repaired or is something else. */
  readonly drifts: readonly Drift[];
  /** Places that are not to be written at this time. */
  readonly leftAlone: ReadonlySet<string>;
}

/** What is known at the start of a process: of no record of the journal, whether its write happened. */
export function driftAtStart(journal: Journal): DriftState {
  return { unsure: new Set(journal.records.keys()), disputes: new Map() };
}

/**
 * Finds what somebody else has changed: files that read other than nodeqos wrote into the same cgroup, where it wants the same
 * still and is not writing. A write that may not have happened proves nothing while the file reads what it read before. A
 * value that was repaired three times in five minutes and is changed again is left alone for ten minutes, then twenty and so
 * on up to an hour, since whoever else writes it would go on for ever.
 */
export function observeDrift(state: DriftState, look: DriftLook, nowMs: number): DriftSeen {
  const differing = new Map(look.differing.map((entry) => [placeKeyOf(entry), entry]));
  const disputes = openDisputes(state.disputes, differing, look, nowMs);
  const drifts: Drift[] = [];
  const leftAlone = new Set<string>();
  for (const [key, entry] of differing) {
    const dispute = disputes.get(key);
    if (dispute?.truce !== undefined && dispute.truce.untilMs > nowMs) {
      leftAlone.add(key);
      continue;
    }
    const record = look.records.get(key);
    const found =
      record === undefined ? undefined : changedByOther(entry, record, state.unsure.has(key), look);
    if (record === undefined || found === undefined || dispute?.found === found) {
      continue;
    }
    const { next, truceMs } = disputed(dispute, { inode: record.inode, found }, nowMs);
    disputes.set(key, next);
    const { cgroup, file, written: wrote } = record;
    if (truceMs === undefined) {
      drifts.push({ cgroup, file, wrote, found });
    } else {
      leftAlone.add(key);
      const likelyWriter = look.likelyWriter(cgroup);
      drifts.push({ cgroup, file, wrote, found, leftAlone: { likelyWriter, forMs: truceMs } });
    }
  }
  return { state: { unsure: stillUnsure(state.unsure, differing, look), disputes }, drifts, leftAlone };
}

/** What somebody else made of a file; undefined where nobody did, or where that cannot be told. */
function changedByOther(
  entry: PlanEntry,
  record: JournalRecord,
  isUnsure: boolean,
  look: DriftLook,
): string | undefined {
  const { current, desired } = entry;
  const isOurs = record.written === desired && look.inodeOf(record.cgroup) === record.inode;
  if (current === null || !isOurs || look.inFlight.has(placeKey(record))) {
    return undefined;
  }
  return isUnsure && current === limitText(record.previous ?? record.before) ? undefined : current;
}

/** The disputes that go on, those about files that read as they should marked as settled; old ones are forgotten. */
function openDisputes(
  disputes: ReadonlyMap<string, Dispute>,
  differing: ReadonlyMap<string, PlanEntry>,
  look: DriftLook,
  nowMs: number,
): Map<string, Dispute> {
  const open = new Map<string, Dispute>();
  for (const [key, dispute] of disputes) {
    const repairsAtMs = dispute.repairsAtMs.filter((atMs) => nowMs - atMs < FIGHT_MS);
    const truce = isForgotten(dispute, nowMs) ? undefined : dispute.truce;
    const entry = differing.get(key);
    const isSame = entry === undefined || look.inodeOf(entry.cgroup ?? '') === dispute.inode;
    const found = entry === undefined && !look.inFlight.has(key) ? undefined : dispute.found;
    if (isSame && (found !== undefined || truce !== undefined || repairsAtMs.length > 0)) {
      open.set(key, { inode: dispute.inode, found, repairsAtMs, truce });
    }
  }
  return open;
}

/** A truce that ended so long ago that the next fight is a first one. */
function isForgotten({ truce }: Dispute, nowMs: number): boolean {
  return truce !== undefined && nowMs - truce.untilMs >= LONGEST_TRUCE_MS;
}

interface Disputed {
  readonly next: Dispute;
  /** Set when the value is left alone from now on. */
  readonly truceMs: number | undefined;
}

function disputed(
  before: Dispute | undefined,
  now: Pick<Dispute, 'inode' | 'found'>,
  nowMs: number,
): Disputed {
  const repairsAtMs = before?.repairsAtMs ?? [];
  const last = before?.truce;
  if (repairsAtMs.length < REPAIRS_OF_A_FIGHT) {
    return { next: { ...now, repairsAtMs: [...repairsAtMs, nowMs], truce: last }, truceMs: undefined };
  }
  const forMs = last === undefined ? FIRST_TRUCE_MS : Math.min(2 * last.forMs, LONGEST_TRUCE_MS);
  return { next: { ...now, repairsAtMs: [], truce: { untilMs: nowMs + forMs, forMs } }, truceMs: forMs };
}

/** What reads as it was written has been written. Places that the journal does not have any more are dropped. */
function stillUnsure(
  unsure: ReadonlySet<string>,
  differing: ReadonlyMap<string, PlanEntry>,
  look: DriftLook,
): ReadonlySet<string> {
  const left = [...unsure].filter((key) => {
    const record = look.records.get(key);
    const entry = differing.get(key);
    const reads = entry === undefined ? look.desiredAt(key) : entry.current;
    return record !== undefined && (reads !== record.written || look.inFlight.has(key));
  });
  return left.length === unsure.size ? unsure : new Set(left);
}

/**
 * Takes note of what became of writes: what is written is settled; a write that failed, or that was journalled and then not
 * begun, leaves the file as it was and the journal ahead of it.
 */
export function noteWrites(
  state: DriftState,
  results: readonly WriteResult<LimitPlace>[],
  notBegun: readonly LimitPlace[],
): DriftState {
  if (results.length === 0 && notBegun.length === 0) {
    return state;
  }
  const unsure = new Set([...state.unsure, ...notBegun.map(placeKey)]);
  const disputes = new Map(state.disputes);
  for (const { write, outcome } of results) {
    const key = placeKey(write);
    const dispute = disputes.get(key);
    if (outcome === 'failed') {
      unsure.add(key);
    } else {
      unsure.delete(key);
    }
    if (outcome === 'written' && dispute !== undefined) {
      disputes.set(key, { ...dispute, found: undefined });
    }
  }
  return { unsure, disputes };
}

function placeKeyOf({ cgroup, file }: PlanEntry): string {
  return placeKey({ cgroup: cgroup ?? '', file });
}

function limitText(text: string): string | undefined {
  const limit = parseLimit(text);
  return limit === undefined ? undefined : formatLimit(limit);
}
