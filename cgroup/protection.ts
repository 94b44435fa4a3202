import { asTheKernelKeeps, floorToPage, type Limit } from './memory-files.ts';
import type { Reasoned } from './memory-high.ts';
import type { QosInputs, QosPod } from './qos-pod.ts';

const NO_POLICY: Reasoned = { limit: 0n, reason: '0: memoryReservationPolicy is None' };
const NO_REQUEST: Reasoned = { limit: 0n, reason: '0: no memory request' };
const BEST_EFFORT: Reasoned = { limit: 0n, reason: '0: a BestEffort pod is not protected' };
const LOW_OF_GUARANTEED: Reasoned = { limit: 0n, reason: '0: a Guaranteed pod is protected by memory.min' };
const MIN_OF_BURSTABLE: Reasoned = { limit: 0n, reason: '0: a Burstable pod is protected by memory.low' };
/** Root protection under `safe` follows the working sets, which never rest; within a twentieth it is left alone. */
const ROOT_TOLERANCE_DIVISOR = 20n;

/** Whose request and limit: the pod's own, or one container's. */
export interface Claimant {
  /** As it is called in the reason. */
  readonly what: 'request' | 'pod request';
  readonly requestBytes: bigint;
  /** What `safe` takes the headroom of; null where there is no limit at all. */
  readonly limitBytes: bigint | null;
}

/**
 * memory.min of a pod or container: the request of a Guaranteed one under TieredReservation (KEP-2570); with `protection:
 * safe` at most the limit less the headroom, since min equal to max leaves page cache no room and ends in OOM kills.
 */
export function minProtection(pod: QosPod, claimant: Claimant, inputs: QosInputs): Reasoned {
  const without = unprotected(pod, claimant, inputs);
  if (without !== undefined) {
    return without;
  }
  if (pod.qosClass === 'Burstable') {
    return MIN_OF_BURSTABLE;
  }
  const { requestBytes, limitBytes, what } = claimant;
  if (inputs.policy.protection !== 'safe' || limitBytes === null) {
    return floored(what, requestBytes, inputs);
  }
  const { headroom } = inputs.policy;
  const spared = BigInt(Math.floor(Number(limitBytes) * (1 - headroom)));
  const bytes = spared < requestBytes ? spared : requestBytes;
  const limit = asTheKernelKeeps(bytes, inputs.node.pageSizeBytes);
  const formula = `floor_page(min(${what} ${requestBytes}, limit ${limitBytes} x (1 - ${headroom})))`;
  return { limit, reason: `${formula} = ${limit}` };
}

/** memory.low of a pod or container: the request of a Burstable one under TieredReservation (KEP-2570). */
export function lowProtection(pod: QosPod, claimant: Claimant, inputs: QosInputs): Reasoned {
  const without = unprotected(pod, claimant, inputs);
  if (without !== undefined) {
    return without;
  }
  return pod.qosClass === 'Guaranteed'
    ? LOW_OF_GUARANTEED
    : floored(claimant.what, claimant.requestBytes, inputs);
}

function unprotected(pod: QosPod, claimant: Claimant, inputs: QosInputs): Reasoned | undefined {
  if (inputs.policy.memoryReservationPolicy === 'None') {
    return NO_POLICY;
  }
  if (pod.qosClass === 'BestEffort') {
    return BEST_EFFORT;
  }
  return claimant.requestBytes === 0n ? NO_REQUEST : undefined;
}

function floored(what: string, bytes: bigint, inputs: QosInputs): Reasoned {
  const limit = asTheKernelKeeps(bytes, inputs.node.pageSizeBytes);
  return { limit, reason: `floor_page(${what} ${bytes}) = ${limit}` };
}

/** memory.min of kubepods, and memory.low of kubepods and of the Burstable tier. */
export interface TierProtection {
  readonly rootMin: Reasoned;
  readonly burstableLow: Reasoned;
}

/**
 * Sums over all pods, so that parents cover their children (kubelet: qos_container_manager_linux.go, rules of 1.37): the
 * root's min is Guaranteed and Burstable together, low is Burstable. With `protection: safe` the root's min is what the
 * Guaranteed pods use of their requests, so that an idle one does not shield others through memory_recursiveprot.
 */
export function tierProtection(pods: readonly QosPod[], inputs: QosInputs): TierProtection {
  if (inputs.policy.memoryReservationPolicy === 'None') {
    return { rootMin: NO_POLICY, burstableLow: NO_POLICY };
  }
  const guaranteed = pods.filter(({ qosClass }) => qosClass === 'Guaranteed');
  const burstableBytes = sum(pods.filter(({ qosClass }) => qosClass === 'Burstable').map(requestOf));
  const burstableLow = floored('Burstable requests', burstableBytes, inputs);
  if (inputs.policy.protection === 'safe') {
    return { rootMin: safeRootMin(guaranteed, inputs), burstableLow };
  }
  const guaranteedBytes = sum(guaranteed.map(requestOf));
  const limit = asTheKernelKeeps(guaranteedBytes + burstableBytes, inputs.node.pageSizeBytes);
  const reason = `floor_page(Guaranteed requests ${guaranteedBytes} + Burstable requests ${burstableBytes}) = ${limit}`;
  return { rootMin: { limit, reason }, burstableLow };
}

/** A working set that is not known counts as the whole request: protection is not taken from what cannot be measured. */
function safeRootMin(guaranteed: readonly QosPod[], inputs: QosInputs): Reasoned {
  const bytes = sum(
    guaranteed.map(({ workingSetBytes, requestBytes }) =>
      workingSetBytes !== undefined && workingSetBytes < requestBytes ? workingSetBytes : requestBytes,
    ),
  );
  const target = floorToPage(bytes, inputs.node.pageSizeBytes);
  const formula = `floor_page(sum of min(working set, request) of Guaranteed pods ${bytes}) = ${target}`;
  const current = inputs.node.currentRootMin;
  if (isNear(current, target)) {
    return { limit: current, reason: `${formula}; ${current} is within 5% of it and stays` };
  }
  return { limit: asTheKernelKeeps(bytes, inputs.node.pageSizeBytes), reason: formula };
}

function isNear(current: Limit | undefined, target: bigint): current is bigint {
  if (current === undefined || current === 'max') {
    return false;
  }
  const off = current > target ? current - target : target - current;
  return off * ROOT_TOLERANCE_DIVISOR <= target;
}

function requestOf(pod: QosPod): bigint {
  return pod.requestBytes;
}

function sum(values: readonly bigint[]): bigint {
  let total = 0n;
  for (const value of values) {
    total += value;
  }
  return total;
}
