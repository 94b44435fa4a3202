import type { AllocatedDevice, DeviceName, DeviceTaint, ResourceClaim } from '../../model/device.ts';
import type { Toleration } from '../../model/pod.ts';
import { byNumber, type Comparator, orderedBy, whereFirst } from '../ordered-by.ts';
import { toleratesDevice } from './device-taints.ts';

/** When the pods of a claim have to go, for one taint of one of its devices. */
export interface DeviceEviction {
  readonly device: DeviceName;
  readonly taint: DeviceTaint;
  /** The toleration that gives the time; absent where nothing tolerates the taint. */
  readonly toleration?: Toleration;
  /** How long after the taint was added; 0 and more. */
  readonly afterSeconds: bigint;
  /** In milliseconds of the Unix epoch; absent where it is not known since when the taint is there. */
  readonly atMs?: number;
}

const MS_PER_SECOND = 1000;

/**
 * When a device's taints end the pods that use it, or undefined where they never do (device-taint-eviction-controller). Time
 * runs from when the taint was added. Only tolerations with the very effect NoExecute count here, and all of them do: one
 * without seconds lets the pods stay, else the shortest time counts, below 0 as 0. Of several taints the earliest decides.
 */
export function deviceEviction(
  device: AllocatedDevice,
  taints: readonly DeviceTaint[],
): DeviceEviction | undefined {
  const { driver, pool, device: name, tolerations } = device;
  return earliest(
    taints.flatMap((taint) => {
      const eviction = taint.effect === 'NoExecute' ? taintEviction(taint, tolerations) : undefined;
      return eviction === undefined ? [] : [{ device: { driver, pool, device: name }, ...eviction }];
    }),
  );
}

/** The earliest eviction for any device of a claim; `taintsOf` gives all taints of a device. */
export function claimEviction(
  claim: ResourceClaim,
  taintsOf: (name: DeviceName) => readonly DeviceTaint[],
): DeviceEviction | undefined {
  return earliest(claim.devices.flatMap((device) => deviceEviction(device, taintsOf(device)) ?? []));
}

/** The one that comes first; those of a known time before others, then the shorter time, then the first given. */
export function earliest<T extends DeviceEviction>(evictions: readonly T[]): T | undefined {
  return evictions.toSorted(EARLIEST_FIRST)[0];
}

const EARLIEST_FIRST: Comparator<DeviceEviction> = orderedBy<DeviceEviction>(
  whereFirst(({ atMs }) => atMs !== undefined),
  byNumber(({ atMs }) => atMs ?? 0),
  byNumber(({ afterSeconds }) => afterSeconds),
);

function taintEviction(
  taint: DeviceTaint,
  tolerations: readonly Toleration[],
): Omit<DeviceEviction, 'device'> | undefined {
  const used = tolerations.filter((one) => one.effect === 'NoExecute' && toleratesDevice(one, taint));
  if (used.some(({ tolerationSeconds }) => tolerationSeconds === undefined)) return undefined;
  const shortest = used.reduce<Toleration | undefined>(
    (least, one) => (least === undefined || secondsOf(one) < secondsOf(least) ? one : least),
    undefined,
  );
  const afterSeconds = shortest === undefined ? 0n : secondsOf(shortest);
  return {
    taint,
    ...(shortest === undefined ? {} : { toleration: shortest }),
    afterSeconds,
    ...(taint.timeAddedMs === undefined
      ? {}
      : { atMs: taint.timeAddedMs + Number(afterSeconds) * MS_PER_SECOND }),
  };
}

function secondsOf({ tolerationSeconds = 0n }: Toleration): bigint {
  return tolerationSeconds > 0n ? tolerationSeconds : 0n;
}
