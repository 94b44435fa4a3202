import type { Quantity } from '../numbers/quantity.ts';
import type { Threshold } from '../signal.ts';

export type MemoryReservationPolicy = 'None' | 'TieredReservation';
/** How the kubelet and the runtime name cgroups: as systemd units, or as plain folders. */
export type CgroupDriver = 'systemd' | 'cgroupfs';

/** How long pods of a priority, and of those above it up to the next one, have to end when the node shuts down. */
export interface ShutdownGrace {
  readonly priority: number;
  readonly seconds: number;
}

/** What a KubeletConfiguration means for nodeqos, with the kubelet's defaults in. */
export interface KubeletSettings {
  /** With the allocatableMemory.available copies; sorted by signal, hard before soft, amounts before percentages, size. */
  readonly evictionThresholds: readonly Threshold[];
  readonly evictionPressureTransitionPeriodMs: number;
  /** As stated; negative means the pod's own grace. */
  readonly evictionMaxPodGracePeriodSeconds: number;
  readonly memoryThrottlingFactor: number | null;
  readonly memoryReservationPolicy: MemoryReservationPolicy;
  /** True unless stated false. */
  readonly memoryQosGate: boolean;
  readonly memoryQosGateStatedFalse: boolean;
  /** Stated true, which a kubelet before 1.37 needs. */
  readonly memoryQosGateStatedTrue?: true;
  readonly cgroupDriver: CgroupDriver;
  readonly cgroupDriverStated: boolean;
  readonly cgroupRoot: string;
  readonly kubeReserved: ReadonlyMap<string, Quantity>;
  readonly systemReserved: ReadonlyMap<string, Quantity>;
  readonly kubeReservedCgroup?: string;
  readonly systemReservedCgroup?: string;
  readonly enforceNodeAllocatable: readonly string[];
  readonly staticPodPath: string | null;
  /** shutdownGracePeriodByPodPriority as stated; absent: not stated. */
  readonly shutdownGraceByPriority?: readonly ShutdownGrace[];
  /** As stated, a unix: URL or a path; absent: not stated. */
  readonly containerRuntimeEndpoint?: string;
  /** The port with authentication, as stated; absent: 10250. */
  readonly port?: number;
  /** The port without authentication; absent: off. */
  readonly readOnlyPort?: number;
}
