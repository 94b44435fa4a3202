import type { Toleration } from './pod.ts';

/** Which device: names are unique in a driver's pool. */
export interface DeviceName {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}

/** What a device's taint does: nothing, keep it from being allocated, or end the pods that use it too. */
export type DeviceTaintEffect = 'None' | 'NoSchedule' | 'NoExecute';

/** A taint of one device, from its ResourceSlice or a rule. */
export interface DeviceTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: DeviceTaintEffect;
  /** Since when, in milliseconds of the Unix epoch; absent where the object does not say. */
  readonly timeAddedMs?: number;
}

/** A device of a ResourceSlice. */
export interface Device extends DeviceName {
  /** Its own taints, in their order. */
  readonly taints: readonly DeviceTaint[];
  /** The node that has it; absent where several may reach it. */
  readonly nodeName?: string;
}

/** A DeviceTaintRule: one more taint for all the devices that it selects. */
export interface DeviceTaintRule {
  readonly name: string;
  /** All parts that are there must hold. Absent: no device; empty: every device. */
  readonly selector?: Partial<DeviceName>;
  readonly taint: DeviceTaint;
}

/** A device that was given to a claim, with what the claim's request tolerates. */
export interface AllocatedDevice extends DeviceName {
  readonly tolerations: readonly Toleration[];
}

/** A pod that a claim is reserved for. */
interface ClaimConsumer {
  readonly name: string;
  readonly uid: string;
}

/** A ResourceClaim with what it was given. */
export interface ResourceClaim {
  readonly namespace: string;
  readonly name: string;
  /** None as long as nothing is allocated. */
  readonly devices: readonly AllocatedDevice[];
  readonly reservedFor: readonly ClaimConsumer[];
}

/** The devices of a cluster and who has them. */
export interface DeviceSnapshot {
  readonly devices: readonly Device[];
  readonly rules: readonly DeviceTaintRule[];
  readonly claims: readonly ResourceClaim[];
}
