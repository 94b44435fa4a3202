import type { JournalRecord } from './journal.ts';
import type {
  KnownLimitPlace,
  LimitFiles,
  LimitPlace,
  LimitWay,
  LimitWriter,
  LimitWritten,
} from './limit-port.ts';

/** One write of a plan. `desired` is the value as the kernel prints it, without a line break: whole pages, or `max`. */
export interface LimitWrite extends LimitPlace {
  readonly desired: string;
}

export type Outcome = 'written' | 'failed' | 'vanished';

/**
 * What became of one write; `error` is a sentence, null when it was written; `code` is the system's where it failed. The way is
 * that of what was written, where there is more than one.
 */
export interface WriteResult<W> extends Partial<LimitWay> {
  readonly write: W;
  readonly outcome: Outcome;
  readonly error: string | null;
  readonly code?: string;
}

/** Where old values are kept. */
export interface JournalPort {
  /** Returns once the records are durable, or gives why they are not; then nothing may be written. */
  record(records: readonly JournalRecord[]): Promise<JournalFailure | undefined>;
}

/** The system's code, and a sentence. */
export interface JournalFailure {
  readonly code: string;
  readonly message: string;
}

export interface ApplyPorts {
  readonly files: LimitFiles;
  readonly journal: JournalPort;
  /** Asked before each write: true ends the run tidily, with the rest reported as not written. */
  interrupted(): boolean;
}

export type Applied<W> =
  | { readonly kind: 'applied'; readonly results: readonly WriteResult<W>[] }
  | ({ readonly kind: 'not-journalled' } & JournalFailure);

/** A write that is ready to be done, its old value journalled; or one that is over before it began. */
export type Prepared<W> =
  | {
      readonly kind: 'ready';
      readonly write: W;
      readonly place: KnownLimitPlace;
      readonly text: string;
      /** Why it goes directly although it is wanted through systemd. */
      readonly because?: string;
    }
  | { readonly kind: 'over'; readonly result: WriteResult<W> };

/** Writes whose old values are in the journal, or why there is none of them. */
export type Preparation<W> =
  | { readonly kind: 'prepared'; readonly writes: readonly Prepared<W>[] }
  | ({ readonly kind: 'not-journalled' } & JournalFailure);

/**
 * Writes a plan in the order given: first the old value of every file, durably, into the journal; then file by file. Nothing
 * is written that was not journalled, so a kill at any instant leaves what `reset` can undo. A file that cannot be read is
 * not written, and neither is one of a cgroup that is not the one with the planned inode.
 */
export async function applyWrites<W extends LimitWrite>(
  writes: readonly W[],
  ports: ApplyPorts,
): Promise<Applied<W>> {
  const preparation = await prepareWrites(writes, ports);
  return preparation.kind === 'prepared'
    ? { kind: 'applied', results: await writeInOrder(preparation.writes, ports) }
    : preparation;
}

/**
 * Reads the file of each write and puts what it reads into the journal, with the writer, which has to be the same when the
 * value is put back. What the journal says is written directly is not written otherwise.
 */
export async function prepareWrites<W extends LimitWrite>(
  writes: readonly W[],
  ports: Pick<ApplyPorts, 'files' | 'journal'>,
): Promise<Preparation<W>> {
  const prepared: Prepared<W>[] = [];
  const records: JournalRecord[] = [];
  for (const write of writes) {
    const look = await ports.files.read(write);
    if (look.kind === 'read') {
      const { cgroup, file, desired } = write;
      const place = { cgroup, file, inode: look.inode };
      const { writer, ...why } = (await ports.files.wayOf?.(place)) ?? {};
      records.push({ ...place, before: look.text, written: desired, ...through(writer, 'systemd') });
      const text = `${desired}\n`;
      prepared.push({
        kind: 'ready',
        write,
        place: { ...place, ...through(writer, 'cgroupfs') },
        text,
        ...why,
      });
    } else {
      prepared.push({ kind: 'over', result: resultOf(write, look) });
    }
  }
  const failure = records.length === 0 ? undefined : await ports.journal.record(records);
  return failure === undefined
    ? { kind: 'prepared', writes: prepared }
    : { kind: 'not-journalled', ...failure };
}

function through(writer: LimitWriter | undefined, told: LimitWriter): { readonly writer?: LimitWriter } {
  return writer === told ? { writer } : {};
}

/**
 * Does prepared writes one after the other: their order keeps parents covering their children at every moment, and lowering
 * memory.high reclaims inside the write. A write that fails does not keep the next ones from being tried.
 */
export async function writeInOrder<W>(
  prepared: readonly Prepared<W>[],
  ports: Pick<ApplyPorts, 'files' | 'interrupted'>,
): Promise<readonly WriteResult<W>[]> {
  const results: WriteResult<W>[] = [];
  for (const one of prepared) {
    if (one.kind === 'ready' && ports.interrupted()) {
      const error = 'not written: nodeqos was told to stop';
      results.push({ write: one.write, outcome: 'failed', error, code: 'EINTR' });
    } else {
      results.push(await writePrepared(one, ports.files));
    }
  }
  return results;
}

/** Does one prepared write. */
export async function writePrepared<W>(prepared: Prepared<W>, files: LimitFiles): Promise<WriteResult<W>> {
  if (prepared.kind === 'over') {
    return prepared.result;
  }
  const { write, place, text, because } = prepared;
  const result = resultOf(write, await files.write(place, text));
  return result.outcome === 'written' && because !== undefined ? { because, ...result } : result;
}

/** A write together with what its file said. */
function resultOf<W>(write: W, said: LimitWritten): WriteResult<W> {
  switch (said.kind) {
    case 'written': {
      const { kind: outcome, ...how } = said;
      return { write, outcome, error: null, ...how };
    }
    case 'vanished':
      return { write, outcome: 'vanished', error: said.error };
    case 'failed':
      return { write, outcome: 'failed', error: said.error, code: said.code };
  }
}
