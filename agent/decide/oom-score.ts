import { isPositive, quantityToInteger, ZERO } from '../../config/numbers/quantity.ts';
import type { Container, Pod } from '../model/pod.ts';
import { isCritical } from './critical.ts';
import { qosClassInForce } from './qos-class.ts';
import { aggregateResource, memoryRequestBytes } from './resources.ts';

const GUARANTEED = -997;
const BEST_EFFORT = 1000;
/** Nothing Burstable is as safe as a Guaranteed container, nor as exposed as a BestEffort one. */
const BURSTABLE_LOWEST = 3;
const BURSTABLE_HIGHEST = 999;

/**
 * The oom_score_adj that the kubelet gives a container on a machine of `capacityBytes` of memory, which must be above 0.
 * A Burstable container's falls with the share of the machine that it requests; a sidecar's is never above that of the
 * pod's smallest regular container, so that it does not die first (kubelet: GetContainerOOMScoreAdjust). An ephemeral
 * container counts as one that requests nothing.
 */
export function oomScoreAdj(pod: Pod, container: Container, capacityBytes: bigint): number {
  if (isCritical(pod) && pod.priorityClassName === 'system-node-critical') {
    return GUARANTEED;
  }
  switch (qosClassInForce(pod)) {
    case 'Guaranteed':
      return GUARANTEED;
    case 'BestEffort':
      return BEST_EFFORT;
    case 'Burstable':
      return burstableScore(protectedBytes(pod, container) + shareOfPodLevelBytes(pod), capacityBytes);
  }
}

/** The request that a container's score is made from: a sidecar has at least that of the smallest regular container. */
function protectedBytes(pod: Pod, container: Container): bigint {
  switch (container.type) {
    case 'ephemeral':
      return 0n;
    case 'sidecar': {
      const own = memoryRequestBytes(container);
      const smallest = smallestRegularBytes(pod);
      return smallest > own ? smallest : own;
    }
    case 'init':
    case 'regular':
      return memoryRequestBytes(container);
  }
}

/** The smallest memory request of a regular container in bytes; 0 in a pod that has none. */
function smallestRegularBytes(pod: Pod): bigint {
  const requests = pod.containers.filter(({ type }) => type === 'regular').map(memoryRequestBytes);
  return requests.reduce((smallest, bytes) => (bytes < smallest ? bytes : smallest), requests[0] ?? 0n);
}

/**
 * What each container gets of the memory that the pod requests beyond its containers, in bytes: an equal part for every
 * regular and init container, cut down to whole bytes.
 */
function shareOfPodLevelBytes(pod: Pod): bigint {
  const request = pod.podLevel?.requests.get('memory') ?? ZERO;
  const sharers = pod.containers.filter(({ type }) => type !== 'ephemeral').length;
  if (!isPositive(request) || sharers === 0) {
    return 0n;
  }
  const ofContainers = quantityToInteger(aggregateResource(pod.containers, 'requests', 'memory'));
  return (quantityToInteger(request) - ofContainers) / BigInt(sharers);
}

function burstableScore(bytes: bigint, capacityBytes: bigint): number {
  const score = 1000n - (1000n * bytes) / capacityBytes;
  if (score < BigInt(BURSTABLE_LOWEST)) {
    return BURSTABLE_LOWEST;
  }
  return score > BigInt(BURSTABLE_HIGHEST) ? BURSTABLE_HIGHEST : Number(score);
}
