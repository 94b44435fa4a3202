import { isDeepStrictEqual } from 'node:util';
import { byText, orderedBy } from '../../decide/ordered-by.ts';
import type { Pod } from '../../model/pod.ts';

/** A pod in the state of one resourceVersion. */
interface VersionedPod {
  readonly pod: Pod;
  readonly resourceVersion: string;
}

/** What is known of the pods of a node, and up to which version: a watch goes on from there. */
export interface PodLedger {
  readonly resourceVersion: string;
  /** By UID. The same value as long as nothing in it changes. */
  readonly pods: ReadonlyMap<string, Pod>;
}

/** What a line of a watch says. */
export type PodChange =
  /** Added or modified. */
  | ({ readonly kind: 'put' } & VersionedPod)
  | ({ readonly kind: 'gone' } & VersionedPod)
  /** Nothing has changed up to this version. */
  | { readonly kind: 'bookmark'; readonly resourceVersion: string };

/** The ledger that a whole list is; it says all there is, so that nothing of an earlier one counts any more. */
export function ledgerOf(pods: readonly Pod[], resourceVersion: string): PodLedger {
  return { resourceVersion, pods: new Map(pods.map((pod) => [keyOf(pod), pod])) };
}

/**
 * The ledger after a change. Changes come in the order of their versions, so that one which is not later than what is known has
 * been seen before: after a connection that broke off, or from a server that is behind. A UID that is gone never comes back,
 * so that counts at any time. Of two pods with one name the one that was told of later is there.
 */
export function afterChange(ledger: PodLedger, change: PodChange): PodLedger {
  const resourceVersion = later(ledger.resourceVersion, change.resourceVersion);
  const pods = podsAfter(ledger, change);
  return { resourceVersion, pods };
}

function podsAfter({ pods, resourceVersion }: PodLedger, change: PodChange): PodLedger['pods'] {
  if (change.kind === 'bookmark') return pods;
  const { pod } = change;
  const key = keyOf(pod);
  if (change.kind === 'gone') {
    if (!pods.has(key)) return pods;
    return new Map([...pods].filter(([other]) => other !== key));
  }
  const isSeen = isLaterOrSame(resourceVersion, change.resourceVersion);
  if (isSeen || isDeepStrictEqual(pods.get(key), pod)) return pods;
  const others = [...pods].filter(([other, { namespace, name }]) => {
    return other === key || namespace !== pod.namespace || name !== pod.name;
  });
  return new Map([...others, [key, pod]]);
}

/** The pods in an order that does not depend on how they came: by namespace, name and UID. */
export function podsInOrder({ pods }: PodLedger): readonly Pod[] {
  return [...pods.values()].sort(BY_NAME);
}

const BY_NAME = orderedBy<Pod>(
  byText(({ namespace }) => namespace),
  byText(({ name }) => name),
  byText(({ uid }) => uid ?? ''),
);

function keyOf({ uid, namespace, name }: Pod): string {
  return uid ?? `${namespace}/${name}`;
}

function later(known: string, told: string): string {
  return told === '' || isLaterOrSame(known, told) ? known : told;
}

/** Versions can be compared where both are whole numbers (API conventions since 1.35; etcd's revisions ever were). */
function isLaterOrSame(known: string, told: string): boolean {
  return NUMBER.test(known) && NUMBER.test(told) && BigInt(known) >= BigInt(told);
}

const NUMBER = /^\d{1,30}$/;
