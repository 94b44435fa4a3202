import type { Failure } from '../../exit.ts';
import type { Pod } from '../../model/pod.ts';
import type { LastGoodPods, PodLook, SeenPods } from '../../ports.ts';
import { LastGood, type WatchedSource } from '../last-good.ts';

/**
 * A list of pods that is read again only when its files changed, since parsing them at every look costs more than all else.
 * While the source does not answer, or answers with something that is no list of pods, the last good one is kept and grows old.
 */
export class PodList implements SeenPods {
  readonly #last: LastGood<readonly Pod[]>;

  /** `read` gives undefined where nothing says which pods run. */
  constructor(source: WatchedSource<readonly Pod[]>) {
    this.#last = new LastGood(source);
  }

  /** The list as of now. Throws nothing that a source can cause. */
  look(nowMs: number): PodLook {
    const { value, ...standing } = this.#last.look(nowMs);
    return { pods: value, ...standing };
  }

  get lastGood(): LastGoodPods | undefined {
    const { lastGood } = this.#last;
    return lastGood === undefined ? undefined : { pods: lastGood.value, atMs: lastGood.atMs };
  }

  adopt({ pods, atMs }: LastGoodPods): void {
    this.#last.adopt({ value: pods, atMs });
  }

  /** Why the source did not answer at the last look. */
  get failure(): Failure | undefined {
    return this.#last.failure;
  }
}
