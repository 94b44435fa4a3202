import { quantityToInteger, quantityToMilli, ZERO } from '../../../config/numbers/quantity.ts';
import type { Pod, Resources } from '../../model/pod.ts';
import { resourcesOf } from '../fit/load.ts';
import { allocatedRequest, heldAtKubelet } from '../fit/pod-requests.ts';

/** A resource of which a node has too little for a pod: thousandths of cpu, else whole units. */
export interface Shortage {
  readonly resource: string;
  readonly requested: bigint;
  readonly used: bigint;
  readonly capacity: bigint;
}

/** The kubelet looks at these first and in this order; any other resource comes after them. */
const FIRST = ['pods', 'cpu', 'memory', 'ephemeral-storage'];

/**
 * What a node lacks for a pod beside those that are there, in the kubelet's order: the number of pods, cpu, memory,
 * ephemeral storage, then the others by name (scheduler: NodeResourcesFit, as the kubelet calls it). `allocatable` is what
 * pods may request; where it does not say how many pods there may be, their number decides nothing. An extended resource
 * that the node does not know is not asked for (kubelet: removeMissingExtendedResources).
 */
export function shortages(pod: Pod, others: readonly Pod[], allocatable: Resources): readonly Shortage[] {
  const asked = resourcesOf([pod]).filter((name) => allocatable.has(name) || !isExtended(name));
  const counted = allocatable.has('pods') ? ['pods', ...asked] : asked;
  return inKubeletOrder(counted)
    .map((resource) => ({
      resource,
      requested: requestOf(pod, resource),
      used: saturated(others.reduce((sum, other) => sum + heldOf(other, resource), 0n)),
      capacity: amountOf(resource, allocatable.get(resource) ?? ZERO),
    }))
    .filter(({ requested, used, capacity }) => requested > capacity - used);
}

/**
 * What a pod is let in with, and what its end frees, of a resource: one of `pods`, thousandths of cpu, else whole units, rounded
 * up for the whole pod.
 */
export function requestOf(pod: Pod, resource: string): bigint {
  return resource === 'pods' ? 1n : amountOf(resource, allocatedRequest(pod, resource));
}

/** What a pod that is there holds of a resource. */
function heldOf(pod: Pod, resource: string): bigint {
  return resource === 'pods' ? 1n : amountOf(resource, heldAtKubelet(pod, resource));
}

const INT64_MAX = (1n << 63n) - 1n;

/** Sums end where 64 bits do. */
function saturated(sum: bigint): bigint {
  return sum > INT64_MAX ? INT64_MAX : sum;
}

function amountOf(resource: string, quantity: Parameters<typeof quantityToInteger>[0]): bigint {
  return resource === 'cpu' ? quantityToMilli(quantity) : quantityToInteger(quantity);
}

function inKubeletOrder(names: readonly string[]): readonly string[] {
  return [...FIRST.filter((name) => names.includes(name)), ...names.filter((name) => !FIRST.includes(name))];
}

/** Whether somebody outside of Kubernetes defines the resource, such as nvidia.com/gpu (API: IsExtendedResourceName). */
function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
}
