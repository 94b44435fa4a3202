import type { WriteResult } from './apply.ts';
import type { Journal, JournalRecord } from './journal.ts';
import type { LimitPlace } from './limit-port.ts';
import type { MemoryFile } from './memory-files.ts';
import type { PlanEntry } from './plan.ts';

/** What is remembered between looks of who changes governed values; by `placeKey`. */
export interface DriftState {
  /** Writes that may not have happened although the journal has them: of a process that died, and failed ones. */
  readonly unsure: ReadonlySet<string>;
  readonly disputes: ReadonlyMap<string, Dispute>;
}

/** One value that somebody else has changed. */
export interface Dispute {
  readonly inode: bigint;
  /** What was found and reported, until it is repaired; undefined when it reads as nodeqos wrote it. */
  readonly found: string | undefined;
  /** When repairs were called for, milliseconds, oldest first. */
  readonly repairsAtMs: readonly number[];
  readonly leftAloneUntilMs: number | undefined;
  /** How long it was left alone the last time; 0: never. */
  readonly leftAloneForMs: number;
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
  inodeOf(cgroup: string): bigint | undefined;
  /** Who else may write there, in words. */
  likelyWriter(cgroup: string): string;
}

export interface DriftSeen {
  readonly state: DriftState;
  readonly drifts: readonly Drift[];
  /** Places that are not to be written at this time. */
  readonly leftAlone: ReadonlySet<string>;
}

/** What is known at the start of a process: of no record of the journal, whether its write happened. */
export function driftAtStart(journal: Journal): DriftState {
  return { unsure: new Set(journal.records.keys()), disputes: new Map() };
}

export function observeDrift(_state: DriftState, _look: DriftLook, _nowMs: number): DriftSeen {
  throw new Error('not there yet');
}

export function noteWrites(_state: DriftState, _results: readonly WriteResult<LimitPlace>[]): DriftState {
  throw new Error('not there yet');
}
