import type { KubeletSettings, MemoryReservationPolicy } from './kubelet/settings.ts';
import type { NodeQosSettings } from './nodeqos/settings.ts';
import type { Threshold } from './signal.ts';

/** What the command line says: wins over both configurations. */
export interface WhatIf {
  readonly throttlingFactor?: number;
  readonly reservationPolicy?: MemoryReservationPolicy;
  readonly protection?: 'kubelet' | 'safe';
}

/** What Memory QoS is to do. */
export interface MemoryQosPolicy {
  /** null: no memory.high. */
  readonly memoryThrottlingFactor: number | null;
  readonly memoryReservationPolicy: MemoryReservationPolicy;
  readonly protection: 'kubelet' | 'safe';
  /** A share of the limit that `safe` leaves unprotected. */
  readonly headroom: number;
}

/** The policy in force: the command line, then nodeqos.yaml, then KubeletConfiguration. */
export function memoryQosPolicy(
  kubelet: KubeletSettings,
  nodeqos: NodeQosSettings,
  whatIf: WhatIf = {},
): MemoryQosPolicy {
  const own = nodeqos.memoryQos;
  return {
    memoryThrottlingFactor: whatIf.throttlingFactor ?? own.throttlingFactor ?? kubelet.memoryThrottlingFactor,
    memoryReservationPolicy:
      whatIf.reservationPolicy ?? own.reservationPolicy ?? kubelet.memoryReservationPolicy,
    protection: whatIf.protection ?? own.protection,
    headroom: own.headroom,
  };
}

/**
 * The thresholds in force: nodeqos' own replace all of the kubelet's. Their copies on allocatableMemory.available count where
 * the kubelet enforces allocatable on pods, as its own do.
 */
export function evictionThresholds(kubelet: KubeletSettings, nodeqos: NodeQosSettings): readonly Threshold[] {
  const own = nodeqos.eviction.thresholds;
  if (own === undefined) {
    return kubelet.evictionThresholds;
  }
  return own.filter(({ derived }) => !derived || kubelet.enforceNodeAllocatable.includes('pods'));
}

/** How long a node condition lasts after its cause, in milliseconds: nodeqos.yaml wins, and may say 0. */
export function pressureTransitionPeriodMs(kubelet: KubeletSettings, nodeqos: NodeQosSettings): number {
  return nodeqos.eviction.pressureTransitionPeriodMs ?? kubelet.evictionPressureTransitionPeriodMs;
}

/** The longest grace of a soft eviction, in seconds; negative: the pod's own. */
export function maxPodGracePeriodSeconds(kubelet: KubeletSettings, nodeqos: NodeQosSettings): number {
  return nodeqos.eviction.maxPodGracePeriodSeconds ?? kubelet.evictionMaxPodGracePeriodSeconds;
}
