import { type Reasoned, throttlingLimit } from './memory-high.ts';
import type { QosContainer, QosInputs, QosPod } from './qos-pod.ts';

const NO_FACTOR: Reasoned = { limit: 'max', reason: 'max: no memoryThrottlingFactor' };
const GUARANTEED: Reasoned = { limit: 'max', reason: 'max: a Guaranteed pod is not throttled' };
const NO_POD_LEVEL: Reasoned = { limit: 'max', reason: 'max: the pod has no pod-level resources' };
const NO_POD_LIMIT: Reasoned = { limit: 'max', reason: 'max: the pod declares no memory limit' };
/** The reason of a value that would need the node's capacity, and does not have it. */
export const CAPACITY_NOT_KNOWN = 'max: no limit, and node allocatable is not known';
const NO_CAPACITY: Reasoned = { limit: 'max', reason: CAPACITY_NOT_KNOWN };

/**
 * memory.high of a container: the formula over its own limit, else the pod-level one, else the kubelet's absolute
 * allocatable. None in a Guaranteed pod, nor where request and limit are equal and above 0 (rules of 1.37).
 */
export function containerThrottling(pod: QosPod, container: QosContainer, inputs: QosInputs): Reasoned {
  const { memoryThrottlingFactor: factor } = inputs.policy;
  if (factor === null) {
    return NO_FACTOR;
  }
  if (pod.qosClass === 'Guaranteed') {
    return GUARANTEED;
  }
  const { requestBytes } = container;
  const limitBytes = container.limitBytes ?? pod.podLevelLimitBytes;
  if (limitBytes !== null && limitBytes === requestBytes) {
    return { limit: 'max', reason: `max: request equals limit (${requestBytes})` };
  }
  const rule = { factor, pageSizeBytes: inputs.node.pageSizeBytes };
  if (container.limitBytes !== null) {
    return throttlingLimit(requestBytes, container.limitBytes, rule, '');
  }
  if (pod.podLevelLimitBytes !== null) {
    return throttlingLimit(requestBytes, pod.podLevelLimitBytes, rule, ' (pod-level limit)');
  }
  const { allocatableBytes } = inputs.node;
  return allocatableBytes === undefined
    ? NO_CAPACITY
    : throttlingLimit(requestBytes, allocatableBytes, rule, ' (no limit: node allocatable)');
}

/**
 * memory.high of a pod's own cgroup: only with pod-level resources and a declared memory limit, overhead included on both
 * sides. Node allocatable never stands in for a limit here.
 */
export function podThrottling(pod: QosPod, inputs: QosInputs): Reasoned {
  const { memoryThrottlingFactor: factor } = inputs.policy;
  if (factor === null) {
    return NO_FACTOR;
  }
  if (pod.qosClass === 'Guaranteed') {
    return GUARANTEED;
  }
  if (!pod.podLevel) {
    return NO_POD_LEVEL;
  }
  if (pod.limitBytes === null) {
    return NO_POD_LIMIT;
  }
  const rule = { factor, pageSizeBytes: inputs.node.pageSizeBytes };
  return throttlingLimit(pod.requestBytes, pod.limitBytes, rule, '');
}
