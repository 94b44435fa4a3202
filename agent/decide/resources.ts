import {
  addQuantities,
  isPositive,
  maxQuantity,
  type Quantity,
  quantityToInteger,
  ZERO,
} from '../../config/numbers/quantity.ts';
import type { Container, Pod } from '../model/pod.ts';

/** Whose answers are wanted: nodeqos' own, or the kubelet's with its known faults. */
export type Compatibility = 'nodeqos' | 'kubelet';

/** Which half of a container's or pod's resources. */
export type ResourceKind = 'requests' | 'limits';

/** Whether a resource may be stated for a whole pod: cpu, memory and huge pages (KEP-2837). */
export function isPodLevelResource(resource: string): boolean {
  return resource === 'cpu' || resource === 'memory' || resource.startsWith('hugepages-');
}

/**
 * What the containers need of a resource together, exactly (KEP-753): all regular ones and sidecars at once, or the
 * highest point of the start, where each ordinary init container runs beside the sidecars that stand before it. A
 * container that states nothing adds nothing; ephemeral containers never count.
 */
export function aggregateResource(
  containers: readonly Container[],
  kind: ResourceKind,
  resource: string,
): Quantity {
  let regular = ZERO;
  let sidecars = ZERO;
  let startPeak = ZERO;
  for (const container of containers) {
    const own = container[kind].get(resource) ?? ZERO;
    switch (container.type) {
      case 'regular':
        regular = addQuantities(regular, own);
        break;
      case 'sidecar':
        sidecars = addQuantities(sidecars, own);
        break;
      case 'init':
        startPeak = maxQuantity(startPeak, addQuantities(own, sidecars));
        break;
      case 'ephemeral':
        break;
    }
  }
  return maxQuantity(addQuantities(regular, sidecars), startPeak);
}

/**
 * What the pod requests of a resource, exactly: the pod's own statement where there is one, else what its containers
 * need together; the overhead of its runtime class always comes on top (kubelet: PodRequests). The pod must have gone
 * through defaulting.
 */
export function podRequest(pod: Pod, resource: string): Quantity {
  const overhead = pod.overhead.get(resource) ?? ZERO;
  return addQuantities(statedRequest(pod, resource), overhead);
}

/** What the pod requests of memory in bytes, rounded up to whole ones. */
export function podMemoryRequestBytes(pod: Pod): bigint {
  return quantityToInteger(podRequest(pod, 'memory'));
}

/**
 * The pod's memory limit in bytes, overhead included, or null where it has none: the pod's own statement, else what the
 * containers' limits add up to if every container and init container has one. A limit of 0 is none (kubelet: a pod's
 * memory.max is written only where limits are declared).
 */
export function podMemoryLimitBytes(pod: Pod): bigint | null {
  const stated = pod.podLevel?.limits.get('memory') ?? ZERO;
  const limit = isPositive(stated) ? stated : aggregateLimit(pod.containers, 'memory');
  return limit === undefined
    ? null
    : quantityToInteger(addQuantities(limit, pod.overhead.get('memory') ?? ZERO));
}

/** The sum of the containers' limits of a resource, or undefined unless every one but ephemeral ones has a positive one. */
export function aggregateLimit(containers: readonly Container[], resource: string): Quantity | undefined {
  const counted = containers.filter((container) => container.type !== 'ephemeral');
  const allLimited = counted.every((container) => isPositive(container.limits.get(resource) ?? ZERO));
  return counted.length > 0 && allLimited ? aggregateResource(counted, 'limits', resource) : undefined;
}

/**
 * The request that usage is measured against when pods are ranked for eviction. Overhead counts only where the request
 * is above zero. In the kubelet's mode a pod with resources of its own has no request for what they do not name, so that
 * its containers' ephemeral-storage request is not seen; nodeqos sees it.
 */
export function rankingRequest(pod: Pod, resource: string, compatibility: Compatibility): Quantity {
  const request =
    compatibility === 'kubelet' && pod.podLevel !== undefined
      ? (pod.podLevel.requests.get(resource) ?? ZERO)
      : statedRequest(pod, resource);
  return isPositive(request) ? addQuantities(request, pod.overhead.get(resource) ?? ZERO) : request;
}

/** The container's own memory request in bytes, rounded up; 0 where it has none. */
export function memoryRequestBytes(container: Container): bigint {
  return quantityToInteger(container.requests.get('memory') ?? ZERO);
}

/** The container's own memory limit in bytes, rounded up; null where it has none. A limit of 0 is none. */
export function memoryLimitBytes(container: Container): bigint | null {
  const limit = container.limits.get('memory') ?? ZERO;
  return isPositive(limit) ? quantityToInteger(limit) : null;
}

function statedRequest(pod: Pod, resource: string): Quantity {
  return pod.podLevel?.requests.get(resource) ?? aggregateResource(pod.containers, 'requests', resource);
}
