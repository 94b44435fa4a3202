import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  isPositive,
  type Quantity,
  quantityOf,
  quantityToInteger,
  ZERO,
} from '../../../config/numbers/quantity.ts';
import type { StorageLimit } from '../../model/eviction.ts';
import type { FilesystemLayout } from '../../model/node.ts';
import type { ContainerStorage, Pod, PodUsage } from '../../model/pod.ts';
import { aggregateResource, type Compatibility } from '../resources.ts';

/** A limit, as stated and as the most bytes that keep it. */
interface Limit {
  readonly stated: Quantity;
  readonly mostBytes: bigint;
}

interface NamedLimit extends Limit {
  readonly name: string;
}

/** A pod with the local storage limits that it can exceed; worked out once, since it is asked at every look. */
export interface LimitedPod {
  readonly pod: Pod;
  readonly emptyDirs: readonly NamedLimit[];
  readonly total: Limit | undefined;
  readonly containers: readonly NamedLimit[];
}

/** A limit that is exceeded, and the sentence that says so. */
export interface StorageBreach {
  readonly limit: StorageLimit;
  readonly message: string;
}

const STORAGE = 'ephemeral-storage';

/** The pods that have a local storage limit, in the order of the list, with their limits. */
export function limitedPods(pods: readonly Pod[]): readonly LimitedPod[] {
  return pods
    .map((pod) => ({
      pod,
      emptyDirs: emptyDirLimits(pod),
      total: totalLimit(pod),
      containers: containerLimits(pod),
    }))
    .filter(({ emptyDirs, total }) => emptyDirs.length > 0 || total !== undefined);
}

/**
 * The first local storage limit that a pod exceeds: of an emptyDir, of the pod, of a container (kubelet eviction:
 * localStorageEviction). What was not measured exceeds nothing.
 */
export function storageBreach(
  limited: LimitedPod,
  usage: PodUsage,
  rules: { readonly layout: FilesystemLayout; readonly compat: Compatibility },
): StorageBreach | undefined {
  return (
    emptyDirBreach(limited, usage) ??
    totalBreach(limited, usage, rules.compat) ??
    containerBreach(limited, usage, rules.layout)
  );
}

/** Whether statistics hold anything that a local storage limit could be held against. */
export function hasStorageFigures(usage: PodUsage): boolean {
  return (
    totalBytes(usage, 'nodeqos') !== undefined ||
    usage.volumeBytes !== undefined ||
    usage.containerStorage !== undefined
  );
}

function emptyDirLimits({ volumes }: Pod): readonly NamedLimit[] {
  return volumes.flatMap(({ kind, name, sizeLimit }) =>
    kind === 'emptyDir' && sizeLimit !== undefined && isPositive(sizeLimit)
      ? [{ name, ...limitOf(sizeLimit) }]
      : [],
  );
}

/**
 * What the containers' limits come to by the formula of pods, with the overhead where that is above 0. A container without
 * limit adds 0, so that one with a limit bounds the whole pod.
 */
function totalLimit(pod: Pod): Limit | undefined {
  const counted = pod.containers.filter(({ type }) => type !== 'ephemeral');
  if (!counted.some(({ limits }) => limits.has(STORAGE))) return undefined;
  const sum = aggregateResource(counted, 'limits', STORAGE);
  return limitOf(isPositive(sum) ? addQuantities(sum, pod.overhead.get(STORAGE) ?? ZERO) : sum);
}

/** Of regular containers only: sidecars and init containers are not looked at. */
function containerLimits({ containers }: Pod): readonly NamedLimit[] {
  return containers.flatMap(({ type, name, limits }) => {
    const limit = limits.get(STORAGE) ?? ZERO;
    return type === 'regular' && isPositive(limit) ? [{ name, ...limitOf(limit) }] : [];
  });
}

function limitOf(stated: Quantity): Limit {
  const roundedUp = quantityToInteger(stated);
  const isWhole = compareQuantities(quantityOf(roundedUp), stated) <= 0;
  return { stated, mostBytes: isWhole ? roundedUp : roundedUp - 1n };
}

function emptyDirBreach({ emptyDirs }: LimitedPod, { volumeBytes }: PodUsage): StorageBreach | undefined {
  const broken = emptyDirs.find(({ name, mostBytes }) => (volumeBytes?.get(name) ?? 0n) > mostBytes);
  return broken === undefined
    ? undefined
    : {
        limit: 'emptydirfs.limit',
        message: `Usage of EmptyDir volume "${broken.name}" exceeds the limit "${formatQuantity(broken.stated)}". `,
      };
}

function totalBreach(
  { total }: LimitedPod,
  usage: PodUsage,
  compat: Compatibility,
): StorageBreach | undefined {
  return total === undefined || (totalBytes(usage, compat) ?? 0n) <= total.mostBytes
    ? undefined
    : {
        limit: 'ephemeralpodfs.limit',
        message: `Pod ephemeral local storage usage exceeds the total limit of containers ${formatQuantity(total.stated)}. `,
      };
}

/** The kubelet knows the total only; its parts, where they are all that is known, come to no more than that. */
function totalBytes(usage: PodUsage, compat: Compatibility): bigint | undefined {
  if (usage.ephemeralStorageBytes !== undefined || compat === 'kubelet') return usage.ephemeralStorageBytes;
  const known = [usage.rootfsBytes, usage.logsBytes, usage.localVolumesBytes].filter(
    (part) => part !== undefined,
  );
  return known.length === 0 ? undefined : known.reduce((sum, part) => sum + part, 0n);
}

function containerBreach(
  { containers }: LimitedPod,
  { containerStorage }: PodUsage,
  layout: FilesystemLayout,
): StorageBreach | undefined {
  const broken = containers.find(
    ({ name, mostBytes }) => containerBytes(containerStorage?.get(name), layout) > mostBytes,
  );
  return broken === undefined
    ? undefined
    : {
        limit: 'ephemeralcontainerfs.limit',
        message: `Container ${broken.name} exceeded its local ephemeral storage limit "${formatQuantity(broken.stated)}". `,
      };
}

/** The writable layer counts where images have no filesystem of their own. */
function containerBytes(storage: ContainerStorage | undefined, layout: FilesystemLayout): bigint {
  const rootfs = layout === 'single' ? (storage?.rootfsBytes ?? 0n) : 0n;
  return (storage?.logsBytes ?? 0n) + rootfs;
}
