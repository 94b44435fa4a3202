import type { StatusRequests } from '../../model/pod.ts';
import type { Fields } from '../fields.ts';

/**
 * What the status of a container, or of a pod, says of requests that were allocated and that the runtime was told; one that
 * is empty says nothing. Throws FieldFault.
 */
export function readStatusRequests(status: Fields): StatusRequests {
  const allocatedRequests = status.quantities('allocatedResources');
  const actualRequests = status.map('resources').quantities('requests');
  if (allocatedRequests.size + actualRequests.size === 0) return NOTHING_SAID;
  return {
    ...(allocatedRequests.size === 0 ? {} : { allocatedRequests }),
    ...(actualRequests.size === 0 ? {} : { actualRequests }),
  };
}

const NOTHING_SAID: StatusRequests = {};

/** Whether the kubelet says that its node can never give a pod what it asks for by now (upstream: IsPodResizeInfeasible). */
export function isResizeInfeasible(status: Fields): boolean {
  const pending = status.maps('conditions').find((one) => one.text('type') === 'PodResizePending');
  return pending?.text('reason') === 'Infeasible';
}
