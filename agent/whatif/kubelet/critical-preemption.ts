import { isCritical } from '../../decide/critical.ts';
import { byNumber, byText, type Comparator, orderedBy } from '../../decide/ordered-by.ts';
import { qosClassInForce } from '../../decide/qos-class.ts';
import type { Pod, QosClass } from '../../model/pod.ts';
import { groupedBy } from '../grouped-by.ts';
import { requestOf, type Shortage } from './shortage.ts';

/** An amount of a resource that has to be freed; above 0. */
export interface Requirement {
  readonly resource: string;
  readonly amount: bigint;
}

/** Who goes, or what would still be missing if all who may went. */
export type CriticalPreemption<P extends Pod = Pod> =
  | { readonly kind: 'found'; readonly victims: readonly P[] }
  | { readonly kind: 'not-enough'; readonly unmet: readonly Requirement[] };

/** What is to be freed so that the shortages are none. */
export function requirementsOf(shortages: readonly Shortage[]): readonly Requirement[] {
  return shortages.map(({ resource, requested, used, capacity }) => ({
    resource,
    amount: requested - (capacity - used),
  }));
}

/**
 * Whom the kubelet ends to let a critical pod in (kubelet: getPodsToPreempt): of Guaranteed pods as few as do if all
 * others went, then of Burstable ones if all BestEffort ones went, then of BestEffort ones. They come in that order of
 * classes from the last to the first, in each as they were chosen. Budgets do not count; each ends within its own grace period.
 * Equal pods: the first by namespace and name.
 */
export function preemptForCritical<P extends Pod>(
  pod: Pod,
  others: readonly P[],
  requirements: readonly Requirement[],
): CriticalPreemption<P> {
  const candidates = others.filter((other) => isPreemptable(pod, other));
  const freed = new Freed();
  const unmet = less(requirements, candidates, freed);
  if (unmet.length > 0) return { kind: 'not-enough', unmet };
  const ofClass = (wanted: QosClass): readonly P[] =>
    candidates.filter((candidate) => qosClassInForce(candidate) === wanted);
  const bestEffort = ofClass('BestEffort');
  const burstable = ofClass('Burstable');
  const guaranteed = nearest(
    ofClass('Guaranteed'),
    less(requirements, [...bestEffort, ...burstable], freed),
    freed,
  );
  const fromBurstable = nearest(burstable, less(requirements, [...bestEffort, ...guaranteed], freed), freed);
  const fromBestEffort = nearest(
    bestEffort,
    less(requirements, [...fromBurstable, ...guaranteed], freed),
    freed,
  );
  return { kind: 'found', victims: [...fromBestEffort, ...fromBurstable, ...guaranteed] };
}

/** Critical before not critical; else by priority, where both have one (kubelet: Preemptable). */
function isPreemptable(preemptor: Pod, other: Pod): boolean {
  if (isCritical(preemptor) && !isCritical(other)) return true;
  return (
    preemptor.priority !== undefined && other.priority !== undefined && preemptor.priority > other.priority
  );
}

/** What the end of pods frees; each pod is added up once, as every choice looks at all of them. */
class Freed {
  readonly #known = new Map<string, Map<Pod, bigint>>();

  of(pod: Pod, resource: string): bigint {
    const ofResource = this.#known.get(resource) ?? new Map<Pod, bigint>();
    this.#known.set(resource, ofResource);
    const amount = ofResource.get(pod) ?? requestOf(pod, resource);
    ofResource.set(pod, amount);
    return amount;
  }
}

/** What is left to be freed after these pods are gone. */
function less(
  requirements: readonly Requirement[],
  gone: readonly Pod[],
  freed: Freed,
): readonly Requirement[] {
  return requirements
    .map(({ resource, amount }) => ({
      resource,
      amount: gone.reduce((left, pod) => left - freed.of(pod, resource), amount),
    }))
    .filter(({ amount }) => amount > 0n);
}

/** Takes the pod that comes nearest to what is still needed, again and again until nothing is. */
function nearest<P extends Pod>(
  pods: readonly P[],
  requirements: readonly Requirement[],
  freed: Freed,
): readonly P[] {
  const victims: P[] = [];
  const small = bySize(freed);
  const kinds = alike(pods.toSorted(small), requirements, freed);
  let needed = requirements;
  while (needed.length > 0) {
    let best: { readonly pod: P; readonly rest: P[]; readonly away: number } | undefined;
    for (const { rest } of kinds) {
      const pod = rest.at(-1);
      if (pod === undefined) continue;
      const away = distance(pod, needed, freed);
      const isNearer =
        best === undefined || away < best.away || (away === best.away && small(pod, best.pod) < 0);
      if (isNearer) best = { pod, rest, away };
    }
    if (best === undefined) break;
    victims.push(best.pod);
    best.rest.pop();
    needed = less(needed, [best.pod], freed);
  }
  return victims;
}

/** Pods by what they free, which makes those of one kind equally near: of each only the first by name has to be looked at. */
function alike<P extends Pod>(
  inOrder: readonly P[],
  requirements: readonly Requirement[],
  freed: Freed,
): readonly { readonly rest: P[] }[] {
  const resources = [...requirements.map(({ resource }) => resource), 'memory', 'cpu'];
  const keyOf = (pod: P): string => resources.map((resource) => freed.of(pod, resource)).join(' ');
  // The first is to be taken from the end.
  return [...groupedBy(inOrder.toReversed(), keyOf).values()].map((pods) => ({ rest: [...pods] }));
}

/** Of pods that come as near the smaller one. */
function bySize(freed: Freed): Comparator<Pod> {
  return orderedBy<Pod>(
    byNumber((pod) => freed.of(pod, 'memory')),
    byNumber((pod) => freed.of(pod, 'cpu')),
    byText((pod) => pod.namespace),
    byText((pod) => pod.name),
  );
}

/** The squares of the parts that would still be missing, summed: double precision, as in the kubelet. */
function distance(pod: Pod, needed: readonly Requirement[], freed: Freed): number {
  return needed.reduce((sum, { resource, amount }) => {
    const missing = amount - freed.of(pod, resource);
    const part = missing > 0n ? Number(missing) / Number(amount) : 0;
    return sum + part * part;
  }, 0);
}
