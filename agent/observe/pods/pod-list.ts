import { pathSignature } from '../../../config/watch.ts';
import { Failure } from '../../exit.ts';
import type { Pod } from '../../model/pod.ts';
import type { PodLook } from '../../ports.ts';

/** Where a list of pods comes from. */
export interface PodListSource {
  /** Files and manifest folders whose change means that pods have to be read again, as paths of this machine. */
  readonly paths: readonly string[];
  /** Reads them; undefined where nothing says which pods run. May throw Failure. */
  read(): readonly Pod[] | undefined;
}

/**
 * A list of pods that is read again only when its files changed, since parsing them at every look costs more than all else.
 * While the source does not answer, or answers with something that is no list of pods, the last good one is kept and grows old.
 */
export class PodList {
  readonly #source: PodListSource;
  #signature: string | undefined;
  #pods: readonly Pod[] | undefined;
  #goodAtMs: number | undefined;
  #failure: Failure | undefined;

  constructor(source: PodListSource) {
    this.#source = source;
  }

  /** The list as of now. Throws nothing that a source can cause. */
  look(nowMs: number): PodLook {
    // Taken before the reading: a change that comes in between is seen by the next look.
    const signature = this.#source.paths.map(pathSignature).join('\n');
    if (signature !== this.#signature) {
      this.#signature = signature;
      this.#read();
    }
    if (this.#failure === undefined) this.#goodAtMs = nowMs;
    return {
      pods: this.#pods,
      ageMs: this.#goodAtMs === undefined ? 0 : nowMs - this.#goodAtMs,
      ...(this.#failure === undefined ? {} : { lack: this.#failure.message }),
    };
  }

  /** Begins with what another list knew: it is the last good one until this one's source has answered. */
  adopt(before: PodList): void {
    this.#pods = before.#pods;
    this.#goodAtMs = before.#goodAtMs;
  }

  /** Why the source did not answer at the last look. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  #read(): void {
    try {
      this.#pods = this.#source.read();
      this.#failure = undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#failure = error;
    }
  }
}
