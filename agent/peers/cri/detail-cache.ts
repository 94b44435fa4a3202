import type { Clock } from '../../ports.ts';

/** How many are asked for at the same time. */
const AT_ONCE = 8;
/** After this long a detail is asked for again: limits of a container that runs can be changed. */
const STALE_MS = 60_000;
/** How many stale ones are asked for at one look, so that no look asks for all of them. */
const STALE_AT_ONCE = 4;

/** What is asked for by ID. */
export interface DetailQuestions<D> {
  readonly ask: (id: string, signal: AbortSignal) => Promise<D | 'gone' | 'unknown'>;
  readonly clock: Clock;
}

interface Known<D> {
  readonly detail: D | 'unknown';
  readonly atMs: number;
}

/** Details of what a runtime lists: asked for once when an ID is new, and seldom again. */
export class DetailCache<D> {
  readonly #questions: DetailQuestions<D>;
  #known: ReadonlyMap<string, Known<D>> = new Map();

  constructor(questions: DetailQuestions<D>) {
    this.#questions = questions;
  }

  /**
   * The details of all of these but those that are gone meanwhile; what is not in the list is forgotten. Throws what asking
   * throws, and then still knows what it has learnt so far.
   */
  async of(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, D | 'unknown'>> {
    const { ask, clock } = this.#questions;
    const nowMs = clock.nowMs();
    const known = new Map<string, Known<D>>();
    for (const id of ids) {
      const before = this.#known.get(id);
      if (before !== undefined) known.set(id, before);
    }
    this.#known = known;
    const stale = [...known].filter(([, { atMs }]) => nowMs - atMs >= STALE_MS);
    const oldest = stale.sort(([, a], [, b]) => a.atMs - b.atMs).slice(0, STALE_AT_ONCE);
    const wanted = [...ids.filter((id) => !known.has(id)), ...oldest.map(([id]) => id)];
    const askNext = async (): Promise<void> => {
      for (let id = wanted.shift(); id !== undefined; id = wanted.shift()) {
        const detail = await ask(id, signal);
        if (detail === 'gone') known.delete(id);
        else known.set(id, { detail, atMs: nowMs });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askNext));
    return new Map([...known].map(([id, { detail }]) => [id, detail]));
  }
}
