import {
  asList,
  asRecord,
  asString,
  type PlainRecord,
  type PlainValue,
  valueAt,
} from '../../../config/text/plain-value.ts';
import type { ContainerStorage, Pod, PodUsage, PodVolume, UsageByUid } from '../../model/pod.ts';
import { unsignedCount } from './summary-number.ts';

/** The numbers of one kind that the summary has of a pod: bytes, or inodes. */
type FigureKey = 'usedBytes' | 'inodesUsed';

/**
 * Usage by podRef.uid, which of a static pod is the cgroup's UID. A part that the summary does not have is absent. Pods that
 * are listed twice count as first listed.
 */
export function summaryUsage(entries: readonly PlainValue[], pods: readonly Pod[]): UsageByUid {
  const volumes = new Map(pods.map((pod) => [pod.cgroupUid, pod.volumes]));
  const usage = new Map<string, PodUsage>();
  for (const entry of entries.map(asRecord)) {
    const uid = asString(valueAt(asRecord(valueAt(entry, 'podRef')), 'uid'));
    if (entry !== undefined && uid !== undefined && !usage.has(uid)) {
      usage.set(uid, podUsage(entry, volumes.get(uid) ?? []));
    }
  }
  return usage;
}

function podUsage(entry: PlainRecord, volumes: readonly PodVolume[]): PodUsage {
  return withoutUnknown({
    memoryWorkingSetBytes: partOf(entry, 'memory', 'workingSetBytes'),
    // A summary does not tell the page cache that is in use from the rest.
    activeFileBytes: undefined,
    processCount: partOf(entry, 'process_stats', 'process_count'),
    ephemeralStorageBytes: partOf(entry, 'ephemeral-storage', 'usedBytes'),
    inodes: partOf(entry, 'ephemeral-storage', 'inodesUsed'),
    rootfsBytes: ofContainers(entry, 'rootfs', 'usedBytes'),
    logsBytes: ofContainers(entry, 'logs', 'usedBytes'),
    localVolumesBytes: ofVolumes(entry, volumes, 'usedBytes'),
    rootfsInodes: ofContainers(entry, 'rootfs', 'inodesUsed'),
    logsInodes: ofContainers(entry, 'logs', 'inodesUsed'),
    localVolumesInodes: ofVolumes(entry, volumes, 'inodesUsed'),
    volumeBytes: byEmptyDir(entry, volumes),
    containerStorage: byContainer(entry, storageOf),
    containerMemoryBytes: byContainer(entry, (container) => partOf(container, 'memory', 'workingSetBytes')),
  });
}

/** Bytes of each emptyDir by its name, on tmpfs too: they have limits of their own. */
function byEmptyDir(
  entry: PlainRecord,
  volumes: readonly PodVolume[],
): ReadonlyMap<string, bigint> | undefined {
  const names = new Set(volumes.filter(({ kind }) => kind === 'emptyDir').map(({ name }) => name));
  return byName(asList(valueAt(entry, 'volume')), (volume) =>
    names.has(asString(valueAt(volume, 'name')) ?? '')
      ? unsignedCount(valueAt(volume, 'usedBytes'))
      : undefined,
  );
}

function byContainer<T>(
  entry: PlainRecord,
  read: (container: PlainRecord) => T | undefined,
): ReadonlyMap<string, T> | undefined {
  return byName(asList(valueAt(entry, 'containers')), read);
}

/** By name, in their order, what is known of each: of two of one name the first. Undefined where nothing is known. */
function byName<T>(
  list: readonly PlainValue[] | undefined,
  read: (one: PlainRecord) => T | undefined,
): ReadonlyMap<string, T> | undefined {
  const known = new Map<string, T>();
  for (const one of (list ?? []).map(asRecord)) {
    const name = asString(valueAt(one, 'name'));
    const value = one === undefined ? undefined : read(one);
    if (name !== undefined && value !== undefined && !known.has(name)) known.set(name, value);
  }
  return known.size === 0 ? undefined : known;
}

function storageOf(container: PlainRecord): ContainerStorage | undefined {
  const rootfsBytes = partOf(container, 'rootfs', 'usedBytes');
  const logsBytes = partOf(container, 'logs', 'usedBytes');
  if (rootfsBytes === undefined && logsBytes === undefined) return undefined;
  return {
    ...(rootfsBytes === undefined ? {} : { rootfsBytes }),
    ...(logsBytes === undefined ? {} : { logsBytes }),
  };
}

function partOf(entry: PlainRecord, part: string, key: string): bigint | undefined {
  return unsignedCount(valueAt(asRecord(valueAt(entry, part)), key));
}

function ofContainers(entry: PlainRecord, part: 'rootfs' | 'logs', key: FigureKey): bigint | undefined {
  const containers = asList(valueAt(entry, 'containers')) ?? [];
  return sumOfKnown(
    containers
      .map(asRecord)
      .map((container) => (container === undefined ? undefined : partOf(container, part, key))),
  );
}

/** Volumes on the node's own disk, each by the first statistics of its name (kubelet: podLocalVolumeUsage). */
function ofVolumes(entry: PlainRecord, volumes: readonly PodVolume[], key: FigureKey): bigint | undefined {
  const statistics = (asList(valueAt(entry, 'volume')) ?? []).map(asRecord);
  return sumOfKnown(
    volumes
      .filter((volume) => volume.kind !== 'other' && !volume.memoryBacked)
      .map((volume) => statistics.find((one) => valueAt(one, 'name') === volume.name))
      .map((one) => unsignedCount(valueAt(one, key))),
  );
}

function sumOfKnown(numbers: readonly (bigint | undefined)[]): bigint | undefined {
  const known = numbers.filter((number) => number !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, number) => sum + number, 0n);
}

type Unknown<T> = { readonly [K in keyof T]-?: T[K] | undefined };

function withoutUnknown(usage: Unknown<Required<PodUsage>>): PodUsage {
  return Object.fromEntries(Object.entries(usage).filter(([, number]) => number !== undefined));
}
