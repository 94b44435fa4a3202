import { isPositive, type Quantity, ZERO } from '../../config/numbers/quantity.ts';
import type { Container, Pod, ResourceRequirements, Resources } from '../model/pod.ts';
import { aggregateLimit, aggregateResource, isPodLevelResource } from './resources.ts';

/**
 * The pod as the API would keep it: requests and limits that follow from others are filled in, resource by resource and
 * in this order (KEP-2837). 1. A container's missing request is its limit. And where the pod states resources of its
 * own: 2. its missing request is what its containers request together, if any of them does, else its limit; 3. its
 * missing limit is what the containers' limits add up to, if every container and init container has one. A request of 0
 * is not missing; a limit of 0 is none. Doing it twice changes nothing.
 */
export function withDefaults(pod: Pod): Pod {
  const containers = pod.containers.map(withRequests);
  if (pod.podLevel === undefined && containers.every((container, at) => container === pod.containers[at])) {
    return pod;
  }
  if (pod.podLevel === undefined) {
    return { ...pod, containers };
  }
  return { ...pod, containers, podLevel: podLevelWithDefaults(pod.podLevel, containers) };
}

function withRequests(container: Container): Container {
  const missing = [...container.limits].filter(
    ([resource, limit]) => !container.requests.has(resource) && isPositive(limit),
  );
  return missing.length === 0
    ? container
    : { ...container, requests: new Map([...container.requests, ...missing]) };
}

function podLevelWithDefaults(
  stated: ResourceRequirements,
  containers: readonly Container[],
): ResourceRequirements {
  const requests = new Map(stated.requests);
  const limits = new Map(stated.limits);
  for (const resource of podLevelResources(stated, containers)) {
    const limit = positive(stated.limits, resource);
    const request = defaultRequest(containers, resource) ?? limit;
    if (!requests.has(resource) && request !== undefined) {
      requests.set(resource, request);
    }
    const limitOfContainers = aggregateLimit(containers, resource);
    if (limit === undefined && limitOfContainers !== undefined) {
      limits.set(resource, limitOfContainers);
    }
  }
  return { requests, limits };
}

/** What the containers request together, or undefined where none requests anything, not even 0. */
function defaultRequest(containers: readonly Container[], resource: string): Quantity | undefined {
  return containers.some((container) => container.type !== 'ephemeral' && container.requests.has(resource))
    ? aggregateResource(containers, 'requests', resource)
    : undefined;
}

function podLevelResources(stated: ResourceRequirements, containers: readonly Container[]): Set<string> {
  const names = [stated, ...containers].flatMap(({ requests, limits }) => [
    ...requests.keys(),
    ...limits.keys(),
  ]);
  return new Set(names.filter(isPodLevelResource));
}

function positive(resources: Resources, resource: string): Quantity | undefined {
  const amount = resources.get(resource) ?? ZERO;
  return isPositive(amount) ? amount : undefined;
}
