import type { JournalRecord } from './journal.ts';
import type { KnownLimitPlace, LimitFiles, LimitPlace } from './limit-port.ts';

/** One write of a plan. `desired` is the value as the kernel prints it, without a line break: whole pages, or `max`. */
export interface LimitWrite extends LimitPlace {
  readonly desired: string;
}

export type Outcome = 'written' | 'failed' | 'vanished';

/** What became of one write; `error` is a sentence, null when it was written; `code` is the system's where it failed. */
export interface WriteResult<W> {
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

/**
 * Writes a plan in the order given: first the old value of every file, durably, into the journal; then file by file. Nothing
 * is written that was not journalled, so a kill at any instant leaves what `reset` can undo. A file that cannot be read is
 * not written. One write at a time: the order keeps parents covering their children at every moment, and lowering
 * memory.high reclaims inside the write.
 */
export async function applyWrites<W extends LimitWrite>(
  writes: readonly W[],
  ports: ApplyPorts,
): Promise<Applied<W>> {
  const looks = await lookAtEach(writes, ports.files);
  const records = looks.flatMap((look) => (look.kind === 'ready' ? [look.record] : []));
  if (records.length > 0) {
    const failure = await ports.journal.record(records);
    if (failure !== undefined) {
      return { kind: 'not-journalled', ...failure };
    }
  }
  const results: WriteResult<W>[] = [];
  for (const look of looks) {
    results.push(look.kind === 'ready' ? await writeOne(look.write, look.record, ports) : look.result);
  }
  return { kind: 'applied', results };
}

type Look<W> =
  | { readonly kind: 'ready'; readonly write: W; readonly record: JournalRecord }
  | { readonly kind: 'over'; readonly result: WriteResult<W> };

async function lookAtEach<W extends LimitWrite>(writes: readonly W[], files: LimitFiles): Promise<Look<W>[]> {
  const looks: Look<W>[] = [];
  for (const write of writes) {
    const read = await files.read(write);
    if (read.kind === 'read') {
      const { cgroup, file, desired } = write;
      const record = { cgroup, file, inode: read.inode, before: read.text, written: desired };
      looks.push({ kind: 'ready', write, record });
    } else {
      looks.push({ kind: 'over', result: resultOf(write, read) });
    }
  }
  return looks;
}

async function writeOne<W extends LimitWrite>(
  write: W,
  place: KnownLimitPlace,
  ports: ApplyPorts,
): Promise<WriteResult<W>> {
  if (ports.interrupted()) {
    return { write, outcome: 'failed', error: 'not written: nodeqos was told to stop', code: 'EINTR' };
  }
  return resultOf(write, await ports.files.write(place, `${write.desired}\n`));
}

/** A write together with what the files said about it. */
export function resultOf<W>(write: W, said: Awaited<ReturnType<LimitFiles['write']>>): WriteResult<W> {
  switch (said.kind) {
    case 'written':
      return { write, outcome: 'written', error: null };
    case 'vanished':
      return { write, outcome: 'vanished', error: said.error };
    case 'failed':
      return { write, outcome: 'failed', error: said.error, code: said.code };
  }
}
