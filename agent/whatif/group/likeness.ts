import type { SchedulingPod } from '../../model/cluster.ts';
import type { Loads } from '../fit/load.ts';

/** Which pods are the same to every node: those that take the same and are kept away by the same. Each is looked at once. */
export class Likeness {
  readonly #loads: Loads;
  readonly #known = new Map<SchedulingPod, string>();

  constructor(loads: Loads) {
    this.#loads = loads;
  }

  /** A text that pods have in common exactly where they are alike. */
  of(pod: SchedulingPod): string {
    const known = this.#known.get(pod);
    if (known !== undefined) return known;
    const { amounts, hostPorts } = this.#loads.of(pod);
    const { tolerations, nodeSelector, requiredNodeTerms } = pod;
    const all = [amounts, hostPorts, tolerations, [...nodeSelector], requiredNodeTerms ?? null];
    const like = JSON.stringify(all, (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    this.#known.set(pod, like);
    return like;
  }
}
