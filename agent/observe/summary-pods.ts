import {
  asList,
  asRecord,
  asString,
  type PlainRecord,
  type PlainValue,
  valueAt,
} from '../../config/text/plain-value.ts';
import type { Pod, PodUsage, PodVolume, UsageByUid } from '../model/pod.ts';
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
  const part = (name: string, key: string): bigint | undefined =>
    unsignedCount(valueAt(asRecord(valueAt(entry, name)), key));
  return withoutUnknown({
    memoryWorkingSetBytes: part('memory', 'workingSetBytes'),
    processCount: part('process_stats', 'process_count'),
    ephemeralStorageBytes: part('ephemeral-storage', 'usedBytes'),
    inodes: part('ephemeral-storage', 'inodesUsed'),
    rootfsBytes: ofContainers(entry, 'rootfs', 'usedBytes'),
    logsBytes: ofContainers(entry, 'logs', 'usedBytes'),
    localVolumesBytes: ofVolumes(entry, volumes, 'usedBytes'),
    rootfsInodes: ofContainers(entry, 'rootfs', 'inodesUsed'),
    logsInodes: ofContainers(entry, 'logs', 'inodesUsed'),
    localVolumesInodes: ofVolumes(entry, volumes, 'inodesUsed'),
  });
}

function ofContainers(entry: PlainRecord, part: 'rootfs' | 'logs', key: FigureKey): bigint | undefined {
  const containers = asList(valueAt(entry, 'containers')) ?? [];
  return sumOfKnown(
    containers.map((container) => unsignedCount(valueAt(asRecord(valueAt(asRecord(container), part)), key))),
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
