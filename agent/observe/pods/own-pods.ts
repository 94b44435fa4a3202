import type { Pod } from '../../model/pod.ts';
import type { LastGoodPods, PodLook, SeenPods } from '../../ports.ts';
import { anyHasCgroup, foreignListHere, type PodTree } from './pods-in-tree.ts';

/** A list of which a pod was seen here. */
interface Confirmed extends LastGoodPods {
  readonly uids: ReadonlySet<string>;
}

/**
 * The pods of a source, as long as they can be this node's. A list that names none of those that run here is a lack, as if its
 * source did not answer: by the pods of another node limits would be written and pods be measured that are not here. A list of
 * which a pod was seen here stays this node's, and so does one that shares a pod with it: its pods may all have gone meanwhile.
 */
export class OwnPods implements SeenPods {
  readonly #inner: SeenPods;
  readonly #where: PodTree;
  #good: Confirmed | undefined;
  #isForeign = false;

  constructor(inner: SeenPods, where: PodTree) {
    this.#inner = inner;
    this.#where = where;
  }

  look(nowMs: number): PodLook {
    const look = this.#inner.look(nowMs);
    const { pods, ageMs, lack, ...rest } = look;
    const foreign = pods === undefined ? undefined : this.#judge(pods, nowMs - ageMs);
    this.#isForeign = foreign !== undefined;
    if (foreign === undefined) return look;
    const { pods: good, atMs } = this.#good ?? { pods: undefined, atMs: nowMs };
    return { ...rest, pods: good, ageMs: nowMs - atMs, lack: lack ?? foreign };
  }

  get lastGood(): LastGoodPods | undefined {
    if (!this.#isForeign) return this.#inner.lastGood;
    return this.#good === undefined ? undefined : { pods: this.#good.pods, atMs: this.#good.atMs };
  }

  adopt(before: LastGoodPods): void {
    if (anyHasCgroup(before.pods, this.#where)) this.#confirm(before.pods, before.atMs);
    this.#inner.adopt(before);
  }

  /** The sentence for a list that is another node's; keeps in mind which lists are not. */
  #judge(pods: readonly Pod[], atMs: number): string | undefined {
    const known = this.#good;
    const isKnown =
      known?.pods === pods ||
      pods.some(({ cgroupUid }) => cgroupUid !== undefined && known?.uids.has(cgroupUid) === true);
    if (!isKnown && !anyHasCgroup(pods, this.#where)) return foreignListHere(pods, this.#where);
    this.#confirm(pods, atMs);
    return undefined;
  }

  #confirm(pods: readonly Pod[], atMs: number): void {
    const uids =
      this.#good?.pods === pods ? this.#good.uids : new Set(pods.flatMap(({ cgroupUid }) => cgroupUid ?? []));
    this.#good = { pods, atMs, uids };
  }
}
