import type { JournalFailure, LimitWrite, WriteResult } from './apply.ts';
import { placeKey } from './journal.ts';

/** The wait after a first failure, doubled after each next one up to the longest. */
const FIRST_WAIT_MS = 5000;
const LONGEST_WAIT_MS = 5 * 60_000;
/** So many refusals in a row, and none that worked, are the tree's and not a file's. */
const REFUSALS_OF_A_TREE = 3;
/** Codes with which a system refuses to have a file written at all, as opposed to a value that it does not like. */
const REFUSALS: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS']);

interface Wait {
  readonly untilMs: number;
  readonly forMs: number;
}

/** One place that could not be written. */
interface FailedPlace extends Wait {
  readonly desired: string;
  readonly code: string | undefined;
}

/** Why nothing is written at the moment. */
interface Obstacle extends Wait {
  readonly part: 'cgroups' | 'journal';
  readonly sentence: string;
}

/** What is remembered of failures, so that what cannot be done is neither tried nor told at every tick. */
export interface BackOff {
  readonly places: ReadonlyMap<string, FailedPlace>;
  readonly obstacle: Obstacle | undefined;
  readonly refusalsInARow: number;
}

export const NO_BACK_OFF: BackOff = { places: new Map(), obstacle: undefined, refusalsInARow: 0 };

/** What has become of writes since the last time. */
export interface BatchOutcome<W> {
  readonly results: readonly WriteResult<W>[];
  /** Whether old values were kept: undefined where there were none to keep. A failure means that nothing was written. */
  readonly journal: 'kept' | JournalFailure | undefined;
}

export interface BackedOff<W> {
  readonly backOff: BackOff;
  /** The results that are news: all but failures that have been told, or that the obstacle stands for. */
  readonly news: readonly WriteResult<W>[];
}

/** Whether a failure is of the kind that ends a batch, since the next write would likely fail the same way. */
export function isRefusal({ outcome, code }: WriteResult<unknown>): boolean {
  return outcome === 'failed' && REFUSALS.has(code);
}

/**
 * Takes note of what became of writes. A place that failed waits, twice as long each time; after three refusals in a row the
 * whole tree does, and so it does while the journal cannot be kept. What works takes the obstacle away.
 */
export function noteOutcome<W extends LimitWrite>(
  before: BackOff,
  outcome: BatchOutcome<W>,
  nowMs: number,
): BackedOff<W> {
  const notes: Notes<W> = {
    places: new Map([...before.places].filter(([, { untilMs }]) => nowMs - untilMs < LONGEST_WAIT_MS)),
    obstacle: afterJournal(before.obstacle, outcome.journal, nowMs),
    refusalsInARow: before.refusalsInARow,
    news: [],
  };
  for (const result of outcome.results) {
    if (result.outcome === 'failed') {
      noteFailure(notes, result, nowMs);
    } else {
      noteSuccess(notes, result);
    }
  }
  const { places, obstacle, refusalsInARow, news } = notes;
  return { backOff: { places, obstacle, refusalsInARow }, news };
}

interface Notes<W> {
  readonly places: Map<string, FailedPlace>;
  readonly news: WriteResult<W>[];
  obstacle: Obstacle | undefined;
  refusalsInARow: number;
}

function afterJournal(
  obstacle: Obstacle | undefined,
  journal: 'kept' | JournalFailure | undefined,
  nowMs: number,
): Obstacle | undefined {
  if (journal === undefined) {
    return obstacle;
  }
  const earlier = obstacle?.part === 'journal' ? obstacle : undefined;
  if (journal === 'kept') {
    return earlier === undefined ? obstacle : undefined;
  }
  const sentence = `nothing is written, since the old values cannot be kept: ${journal.message}`;
  return { part: 'journal', sentence, ...nextWait(earlier, nowMs) };
}

/** A cgroup that is gone has nothing to wait for, but says nothing about whether the tree can be written. */
function noteSuccess<W extends LimitWrite>(notes: Notes<W>, result: WriteResult<W>): void {
  notes.places.delete(placeKey(result.write));
  notes.news.push(result);
  if (result.outcome === 'written') {
    notes.obstacle = undefined;
    notes.refusalsInARow = 0;
  }
}

function noteFailure<W extends LimitWrite>(notes: Notes<W>, result: WriteResult<W>, nowMs: number): void {
  const { write, code, error } = result;
  const key = placeKey(write);
  const earlier = notes.places.get(key);
  const isKnown = earlier?.desired === write.desired && earlier.code === code;
  const isRefused = isRefusal(result);
  if (!isKnown && !(isRefused && notes.obstacle !== undefined)) {
    notes.news.push(result);
  }
  notes.places.set(key, { desired: write.desired, code, ...nextWait(earlier, nowMs) });
  if (isRefused) {
    noteRefusal(notes, error ?? '', nowMs);
  }
}

function noteRefusal(
  notes: Pick<Notes<unknown>, 'refusalsInARow' | 'obstacle'>,
  sentence: string,
  nowMs: number,
): void {
  notes.refusalsInARow += 1;
  const { obstacle } = notes;
  const isWaiting = obstacle !== undefined && obstacle.untilMs > nowMs;
  if (notes.refusalsInARow >= REFUSALS_OF_A_TREE && !isWaiting) {
    // The sentence names one file of many; it stays the same as long as the obstacle does.
    const same = obstacle?.sentence ?? sentence;
    notes.obstacle = { part: 'cgroups', sentence: same, ...nextWait(obstacle, nowMs) };
  }
}

function nextWait(earlier: Wait | undefined, nowMs: number): Wait {
  const forMs = earlier === undefined ? FIRST_WAIT_MS : Math.min(2 * earlier.forMs, LONGEST_WAIT_MS);
  return { untilMs: nowMs + forMs, forMs };
}

/** How many writes may be tried now: none while an obstacle lasts, one to see whether it still does, else `budget`. */
export function allowance({ obstacle }: BackOff, budget: number, nowMs: number): number {
  if (obstacle === undefined) {
    return budget;
  }
  return obstacle.untilMs > nowMs ? 0 : Math.min(budget, 1);
}

/** The places that wait, by `placeKey`. */
export function placesPutOff({ places }: BackOff, nowMs: number): ReadonlySet<string> {
  const waiting = new Set<string>();
  for (const [key, { untilMs }] of places) {
    if (untilMs > nowMs) {
      waiting.add(key);
    }
  }
  return waiting;
}
