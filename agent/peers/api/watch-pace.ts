/** Between the beginnings of two turns whose watches ended soon, in ms: at first, and when nothing came for some turns. */
const FIRST_DISTANCE_MS = 1_000;
/** So that what no watch tells is seen about two looks later all the same, with a list and a watch each time. */
const LONGEST_DISTANCE_MS = 2_000;
/** After so many watches in a row that told nothing it is not believed any more that nothing has happened. */
const SILENT_BEFORE_LIST = 3;

/** A watch that the server began and that is over, with the list before it where one was due. */
export interface WatchTurn {
  /** From its beginning until now. */
  readonly tookMs: number;
  /** Whether the watch told anything that was not known. */
  readonly toldNews: boolean;
}

/**
 * When a watch is begun again that has come to its end, however it did, and when a list is made before it. Watches end all the time,
 * and where they ended they go on; but a server, or what is between, may also answer every watch and never tell anything.
 */
export class WatchPace {
  /** Turns in a row that were over soon. */
  #soon = 0;
  /** Watches in a row that told nothing. */
  #silent = 0;

  /** The pause after a turn, in ms. The first that is over soon is begun again at once: most often the server is restarted. */
  after({ tookMs, toldNews }: WatchTurn): number {
    this.#silent = toldNews ? 0 : this.#silent + 1;
    this.#soon = tookMs < LONGEST_DISTANCE_MS ? this.#soon + 1 : 0;
    if (this.#soon < 2) return 0;
    const inVain = Math.min(this.#soon, this.#silent);
    const distanceMs = inVain > SILENT_BEFORE_LIST ? LONGEST_DISTANCE_MS : FIRST_DISTANCE_MS;
    return Math.max(0, distanceMs - tookMs);
  }

  /** Whether the pods have to be listed, since watches may have missed something. */
  get isListDue(): boolean {
    return this.#silent >= SILENT_BEFORE_LIST;
  }

  /** Whether the last watch was neither over soon nor silent. */
  get isGood(): boolean {
    return this.#soon === 0 && this.#silent === 0;
  }

  /** A list showed what is new: there is something to be seen, and no reason to look more rarely. */
  sawChange(): void {
    this.#silent = Math.min(this.#silent, SILENT_BEFORE_LIST - 1);
  }
}
