import {
  addQuantities,
  compareQuantities,
  isPositive,
  type Quantity,
  ZERO,
} from '../../config/numbers/quantity.ts';
import type { Pod, QosClass, ResourceRequirements, Resources } from '../model/pod.ts';

/** The only resources that make a class. */
const CLASSIFYING = ['cpu', 'memory'] as const;

/**
 * The class that the pod's resources give it (kubelet: ComputePodQOS, with pod-level resources). Amounts of zero are as
 * good as none. Where the pod states resources of its own, its containers are not looked at; else every container, init
 * container and sidecar counts, ephemeral ones do not. The pod must have gone through defaulting.
 */
export function computeQosClass(pod: Pod): QosClass {
  const stated =
    pod.podLevel === undefined
      ? pod.containers.filter((container) => container.type !== 'ephemeral')
      : [pod.podLevel];
  const requests = positiveSums(stated.map((one) => one.requests));
  const limits = positiveSums(stated.map((one) => one.limits));
  if (requests.size === 0 && limits.size === 0) {
    return 'BestEffort';
  }
  const guaranteed =
    stated.every(hasBothLimits) && CLASSIFYING.every((resource) => isEqual(requests, limits, resource));
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

/** The class that the kubelet goes by: what the pod's status says, and only without it what the resources give. */
export function qosClassInForce(pod: Pod): QosClass {
  return pod.reportedQosClass ?? computeQosClass(pod);
}

function positiveSums(all: readonly Resources[]): ReadonlyMap<string, Quantity> {
  const sums = new Map<string, Quantity>();
  for (const resource of CLASSIFYING) {
    const sum = all
      .map((resources) => resources.get(resource) ?? ZERO)
      .filter(isPositive)
      .reduce(addQuantities, ZERO);
    if (isPositive(sum)) {
      sums.set(resource, sum);
    }
  }
  return sums;
}

function hasBothLimits({ limits }: ResourceRequirements): boolean {
  return CLASSIFYING.every((resource) => isPositive(limits.get(resource) ?? ZERO));
}

function isEqual(
  requests: ReadonlyMap<string, Quantity>,
  limits: ReadonlyMap<string, Quantity>,
  resource: string,
): boolean {
  return compareQuantities(requests.get(resource) ?? ZERO, limits.get(resource) ?? ZERO) === 0;
}
