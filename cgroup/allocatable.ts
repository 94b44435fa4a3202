import { amountIn } from '../config/numbers/percent.ts';
import { addQuantities, type Quantity, quantityOf, quantityToInteger } from '../config/numbers/quantity.ts';
import type { Threshold } from '../config/signal.ts';

/** What is set aside of a node's memory before pods get any. */
export interface Reservations {
  readonly kubeReserved: ReadonlyMap<string, Quantity>;
  readonly systemReserved: ReadonlyMap<string, Quantity>;
}

/**
 * The kubelet's absolute allocatable in bytes: capacity less both reservations, exact, then rounded up, never below 0. No
 * eviction threshold and no huge pages are taken off, so it is not the Node's own allocatable (kubelet:
 * GetNodeAllocatableAbsolute). It stands in for a limit in the formula of memory.high.
 */
export function absoluteAllocatableBytes(capacityBytes: bigint, reservations: Reservations): bigint {
  const { kubeReserved, systemReserved } = reservations;
  let left = quantityOf(capacityBytes);
  for (const reserved of [kubeReserved.get('memory'), systemReserved.get('memory')]) {
    if (reserved !== undefined) {
      left = addQuantities(left, { ...reserved, unscaled: -reserved.unscaled });
    }
  }
  const bytes = quantityToInteger(left);
  return bytes < 0n ? 0n : bytes;
}

/**
 * What the Node's status would say is allocatable, in bytes: absolute allocatable less the hard memory.available threshold
 * and the memory of huge pages, never below 0 (kubelet: GetNodeAllocatableReservation).
 */
export function statusAllocatableBytes(
  capacityBytes: bigint,
  reservations: Reservations,
  thresholds: readonly Threshold[],
  hugepagesBytes: bigint,
): bigint {
  const absolute = absoluteAllocatableBytes(capacityBytes, reservations);
  const hard = thresholds.find(
    ({ signal, type, derived }) => signal === 'memory.available' && type === 'hard' && !derived,
  );
  const evicted = hard === undefined ? 0n : amountIn(hard.value, capacityBytes);
  const bytes = absolute - evicted - hugepagesBytes;
  return bytes < 0n ? 0n : bytes;
}
