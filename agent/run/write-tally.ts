import type { TakenWrites } from '../act/limits/limit-writes.ts';

/** What has become of the writes of a loop since its start. */
export class WriteTally {
  #hasWritten = false;
  readonly #failures = new Set<string | undefined>();
  /** Whether the last look found something to write and nothing to write it with: no lock, mount or journal. */
  isHeldBack = false;

  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /** The system's codes of what failed, the journal's among them; undefined: a failure without one. */
  get failures(): ReadonlySet<string | undefined> {
    return this.#failures;
  }

  /** Counts what has ended; gives how much of it was written, and how much failed. */
  note({ results, journal }: TakenWrites): { readonly written: number; readonly failed: number } {
    const failed = results.filter(({ outcome }) => outcome === 'failed');
    const written = results.filter(({ outcome }) => outcome === 'written').length;
    this.#hasWritten ||= written > 0;
    for (const { code } of failed) this.#failures.add(code);
    if (journal !== undefined && journal !== 'kept') this.#failures.add(journal.code);
    return { written, failed: failed.length };
  }
}
