import type { Device, DeviceName, DeviceSnapshot, DeviceTaint, ResourceClaim } from '../../model/device.ts';
import type { Pod } from '../../model/pod.ts';
import { byText, orderedBy } from '../ordered-by.ts';
import { type TolerationEntry, tolerationEntry } from '../tolerate.ts';
import { claimEviction, type DeviceEviction, earliest } from './device-evictions.ts';
import { taintsOfDevice, untoleratedOfDevice } from './device-taints.ts';

/** A device's taint in a document; `timeAdded` in RFC 3339, null where it is not known. */
export interface DeviceTaintEntry {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
  readonly timeAdded: string | null;
}

/** A tainted device; `allocatable` says whether a request without tolerations could get it. */
interface DeviceEntry extends DeviceName {
  readonly taints: readonly DeviceTaintEntry[];
  readonly allocatable: boolean;
}

/** A claim that holds devices: whether it can be reserved for another pod, and for which taint not. */
interface ClaimEntry {
  readonly namespace: string;
  readonly name: string;
  readonly reservable: boolean;
  readonly firstUntolerated: (DeviceName & { readonly taint: DeviceTaintEntry }) | null;
}

/** What the taints of its devices do to a pod. */
export interface DevicePodEntry {
  readonly namespace: string;
  readonly name: string;
  readonly noExecute: 'stay' | 'evict';
  /** RFC 3339; null with stay, and where it is not known since when the taint is there. */
  readonly evictAt: string | null;
  /** After the taint was added; null with stay. */
  readonly evictAfterSeconds: bigint | null;
  readonly decidedBy:
    | (DeviceName & {
        readonly claim: string;
        readonly taint: DeviceTaintEntry;
        readonly toleration: TolerationEntry | null;
      })
    | null;
}

/** What the taints of devices mean, as part of a TaintReport. */
export interface DeviceReport {
  readonly devices: readonly DeviceEntry[];
  readonly claims: readonly ClaimEntry[];
  readonly devicePods: readonly DevicePodEntry[];
}

/**
 * What device taints mean for a node: its tainted devices and those that several nodes reach, every claim that holds a
 * device, and the given pods that claims are reserved for. Each list is by name.
 */
export function deviceReport(snapshot: DeviceSnapshot, nodeName: string, pods: readonly Pod[]): DeviceReport {
  const rules = snapshot.rules.toSorted(byText(({ name }) => name));
  const known = new Map(snapshot.devices.map((device) => [keyOf(device), device]));
  // A rule taints a device that no slice lists any more, too.
  const taintsOf = (name: DeviceName): readonly DeviceTaint[] =>
    taintsOfDevice({ ...name, taints: known.get(keyOf(name))?.taints ?? [] }, rules);
  const isHere = (device: Device): boolean => device.nodeName === undefined || device.nodeName === nodeName;
  const claims = snapshot.claims.filter(({ devices }) => devices.length > 0).toSorted(BY_NAMESPACE_AND_NAME);
  return {
    devices: snapshot.devices
      .filter(isHere)
      .toSorted(byText(keyOf))
      .map((device) => deviceEntry(device, taintsOf(device)))
      .filter(({ taints }) => taints.length > 0),
    claims: claims.map((claim) => claimEntry(claim, taintsOf)),
    devicePods: pods
      .toSorted(BY_NAMESPACE_AND_NAME)
      .flatMap((pod) => devicePodEntry(pod, claims, taintsOf) ?? []),
  };
}

const BY_NAMESPACE_AND_NAME = orderedBy<{ readonly namespace: string; readonly name: string }>(
  byText(({ namespace }) => namespace),
  byText(({ name }) => name),
);

type TaintsOf = (name: DeviceName) => readonly DeviceTaint[];

function keyOf({ driver, pool, device }: DeviceName): string {
  return `${driver}\n${pool}\n${device}`;
}

function nameOf({ driver, pool, device }: DeviceName): DeviceName {
  return { driver, pool, device };
}

function deviceEntry(device: Device, taints: readonly DeviceTaint[]): DeviceEntry {
  return {
    ...nameOf(device),
    taints: taints.map(taintEntry),
    allocatable: untoleratedOfDevice(taints, []) === undefined,
  };
}

function claimEntry(claim: ResourceClaim, taintsOf: TaintsOf): ClaimEntry {
  const [first] = claim.devices.flatMap((device) => {
    const taint = untoleratedOfDevice(taintsOf(device), device.tolerations);
    return taint === undefined ? [] : [{ ...nameOf(device), taint: taintEntry(taint) }];
  });
  const { namespace, name } = claim;
  return { namespace, name, reservable: first === undefined, firstUntolerated: first ?? null };
}

/** Undefined for a pod that no claim is reserved for, and for one that no node has: the controller passes it over. */
function devicePodEntry(
  pod: Pod,
  claims: readonly ResourceClaim[],
  taintsOf: TaintsOf,
): DevicePodEntry | undefined {
  const own = claims.filter((claim) => isReservedFor(claim, pod));
  if (own.length === 0 || pod.nodeName === undefined) return undefined;
  const evictions = own.flatMap((claim) => {
    const eviction = claimEviction(claim, taintsOf);
    return eviction === undefined ? [] : [{ ...eviction, claim: claim.name }];
  });
  const first = earliest(evictions);
  const { namespace, name } = pod;
  return first === undefined
    ? { namespace, name, noExecute: 'stay', evictAt: null, evictAfterSeconds: null, decidedBy: null }
    : { namespace, name, noExecute: 'evict', ...outcomeOf(first) };
}

function isReservedFor(claim: ResourceClaim, pod: Pod): boolean {
  return (
    claim.namespace === pod.namespace &&
    claim.reservedFor.some(({ name, uid }) => name === pod.name && (pod.uid === undefined || uid === pod.uid))
  );
}

function outcomeOf(
  eviction: DeviceEviction & { readonly claim: string },
): Omit<DevicePodEntry, 'namespace' | 'name' | 'noExecute'> {
  const { device, taint, toleration, claim, afterSeconds, atMs } = eviction;
  return {
    evictAt: timeText(atMs),
    evictAfterSeconds: afterSeconds,
    decidedBy: {
      ...device,
      claim,
      taint: taintEntry(taint),
      toleration: toleration === undefined ? null : tolerationEntry(toleration),
    },
  };
}

function taintEntry({ key, value, effect, timeAddedMs }: DeviceTaint): DeviceTaintEntry {
  return { key, value, effect, timeAdded: timeText(timeAddedMs) };
}

/** Times beyond what a date can be are not shown; the seconds say the same. */
function timeText(ms: number | undefined): string | null {
  const time = new Date(ms ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time.toISOString().replace('.000Z', 'Z');
}
