import {
  addQuantities,
  isPositive,
  maxQuantity,
  type Quantity,
  subtractQuantities,
  ZERO,
} from '../../../config/numbers/quantity.ts';
import { aggregateResource, podRequest } from '../../decide/resources.ts';
import type { Container, Pod, Resources } from '../../model/pod.ts';

/** Which of the requests of a pod that may be resized while it runs (KEP-1287): what was set aside, or what it was told. */
type StatusView = 'allocatedRequests' | 'actualRequests';

/**
 * What a pod holds of its node to the scheduler: the most of what its spec asks for, what was set aside for it and what it was
 * told; a spec that the node can never meet does not count (upstream: PodRequests with UseStatusResources). A pod that no node
 * has holds nothing yet, so that its spec alone counts.
 */
export function heldRequest(pod: Pod, resource: string): Quantity {
  if (pod.nodeName === undefined || isAsSpecified(pod)) return podRequest(pod, resource);
  const actual = requestIn('actualRequests', pod, resource, notInfeasible);
  const allocated = requestIn('allocatedRequests', pod, resource, notInfeasible);
  const inStatus = maxQuantity(actual, allocated);
  return pod.isResizeInfeasible === true ? inStatus : maxQuantity(podRequest(pod, resource), inStatus);
}

/**
 * What a pod holds to the kubelet of its node: what it set aside, or what the pod was told where that is still more. It puts
 * what it set aside in the place of the spec before it counts (kubelet: UpdatePodFromAllocation).
 */
export function heldAtKubelet(pod: Pod, resource: string): Quantity {
  if (isAsSpecified(pod)) return podRequest(pod, resource);
  return maxQuantity(
    allocatedRequest(pod, resource),
    requestIn('actualRequests', pod, resource, asSpecified),
  );
}

/**
 * What the kubelet set aside for a pod, else what its spec asks for: what a pod has to be let in with, and what its end is
 * counted to free (kubelet: getPodsToPreempt).
 */
export function allocatedRequest(pod: Pod, resource: string): Quantity {
  return isAsSpecified(pod)
    ? podRequest(pod, resource)
    : requestIn('allocatedRequests', pod, resource, asSpecified);
}

/** What counts for a container of which the status says nothing. */
type Fallback = (pod: Pod, specified: Resources) => Resources;

const asSpecified: Fallback = (_, specified) => specified;
const notInfeasible: Fallback = (pod, specified) => (pod.isResizeInfeasible === true ? NOTHING : specified);

/** With the overhead, which a pod's own status requests hold already. What a pod states for itself goes by that status alone. */
function requestIn(view: StatusView, pod: Pod, resource: string, fallback: Fallback): Quantity {
  const overhead = pod.overhead.get(resource) ?? ZERO;
  const own = pod[view]?.get(resource);
  if (own !== undefined) {
    const rest = subtractQuantities(own, overhead);
    return addQuantities(isPositive(rest) ? rest : ZERO, overhead);
  }
  const stated = pod.podLevel?.requests.get(resource);
  const request = stated ?? aggregateOf(view, pod, resource, fallback);
  return addQuantities(request, overhead);
}

function aggregateOf(view: StatusView, pod: Pod, resource: string, fallback: Fallback): Quantity {
  const containers = pod.containers.map(
    (container): Container => ({
      ...container,
      requests: inView(view, container) ?? fallback(pod, container.requests),
    }),
  );
  return aggregateResource(containers, 'requests', resource);
}

/** A container that was told nothing yet holds what was set aside for it. */
function inView(view: StatusView, container: Container): Resources | undefined {
  return container[view] ?? container.allocatedRequests;
}

const NOTHING: Resources = new Map();

/** Whether its status says nothing else than its spec, as of nearly all pods: then nothing has to be compared. */
function isAsSpecified(pod: Pod): boolean {
  if (pod.isResizeInfeasible === true) return false;
  if (pod.allocatedRequests !== undefined || pod.actualRequests !== undefined) return false;
  return pod.containers.every(
    ({ requests, allocatedRequests = requests, actualRequests = requests }) =>
      allocatedRequests === requests && actualRequests === requests,
  );
}
