import { pathSignature } from '../../config/watch.ts';
import { Failure } from '../exit.ts';

/** Where something that changes now and then is read from. */
export interface WatchedSource<T> {
  /** Files and folders whose change means that it has to be read again, as paths of this machine. */
  readonly paths: readonly string[];
  /** Reads it; undefined where it is not known. May throw Failure. */
  read(): T | undefined;
}

/** What was read last, and how that stands. */
export interface LastGoodLook<T> {
  readonly value: T | undefined;
  /** Milliseconds since the source last answered; 0 while it does. */
  readonly ageMs: number;
  /** Why it does not. */
  readonly lack?: string;
}

/**
 * Something that is read again only when its files changed. While the source does not answer, or answers with something that
 * cannot be right, the last good value is kept and grows old.
 */
export class LastGood<T> {
  readonly #source: WatchedSource<T>;
  #signature: string | undefined;
  #value: T | undefined;
  #goodAtMs: number | undefined;
  #failure: Failure | undefined;

  constructor(source: WatchedSource<T>) {
    this.#source = source;
  }

  /** As of now. Throws nothing that a source can cause. */
  look(nowMs: number): LastGoodLook<T> {
    // Taken before the reading: a change that comes in between is seen by the next look.
    const signature = this.#source.paths.map(pathSignature).join('\n');
    if (signature !== this.#signature) {
      this.#signature = signature;
      this.#read();
    }
    if (this.#failure === undefined) this.#goodAtMs = nowMs;
    return {
      value: this.#value,
      ageMs: this.#goodAtMs === undefined ? 0 : nowMs - this.#goodAtMs,
      ...(this.#failure === undefined ? {} : { lack: this.#failure.message }),
    };
  }

  /** Begins with what another one knew: that is the last good value until this one's source has answered. */
  adopt({ value, atMs }: { readonly value: T; readonly atMs: number }): void {
    this.#value = value;
    this.#goodAtMs = atMs;
  }

  /** What was read last, and when it was last right; undefined where nothing was. */
  get lastGood(): { readonly value: T; readonly atMs: number } | undefined {
    return this.#value === undefined || this.#goodAtMs === undefined
      ? undefined
      : { value: this.#value, atMs: this.#goodAtMs };
  }

  /** Why the source did not answer at the last look. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  #read(): void {
    try {
      this.#value = this.#source.read();
      this.#failure = undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#failure = error;
    }
  }
}
