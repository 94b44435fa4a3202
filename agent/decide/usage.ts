import { quantityToInteger } from '../../config/numbers/quantity.ts';
import type { Signal } from '../../config/signal.ts';
import type { FilesystemLayout } from '../model/node.ts';
import type { Pod, PodUsage } from '../model/pod.ts';
import { type Compatibility, rankingRequest } from './resources.ts';

/** What runs out when a signal falls. */
export type StarvedResource = 'memory' | 'pids' | 'disk' | 'inodes';

/** The resource behind a signal (kubelet: signalToResource). */
export function starvedResource(signal: Signal): StarvedResource {
  switch (signal) {
    case 'memory.available':
    case 'allocatableMemory.available':
      return 'memory';
    case 'pid.available':
      return 'pids';
    case 'containerfs.available':
    case 'imagefs.available':
    case 'nodefs.available':
      return 'disk';
    case 'containerfs.inodesFree':
    case 'imagefs.inodesFree':
    case 'nodefs.inodesFree':
      return 'inodes';
  }
}

/** Where a signal looks, and whose faults are wanted. */
export interface MeasureRules {
  readonly signal: Signal;
  readonly layout: FilesystemLayout;
  readonly compat: Compatibility;
}

/**
 * What a pod uses of the resource behind a signal, in bytes or as a count; undefined where it was not measured. The kubelet
 * takes a missing part of statistics that are there for 0, and only a pod without any statistics for unmeasured.
 */
export function measuredUsage(usage: PodUsage | undefined, rules: MeasureRules): bigint | undefined {
  if (usage === undefined) return undefined;
  const measured = measuredPart(usage, rules);
  return measured ?? (rules.compat === 'kubelet' ? 0n : undefined);
}

function measuredPart(usage: PodUsage, rules: MeasureRules): bigint | undefined {
  switch (starvedResource(rules.signal)) {
    case 'memory':
      return usage.memoryWorkingSetBytes;
    case 'pids':
      return usage.processCount;
    case 'disk':
      return localStorage(rules, usage.ephemeralStorageBytes, {
        rootfs: usage.rootfsBytes,
        logs: usage.logsBytes,
        volumes: usage.localVolumesBytes,
      });
    case 'inodes':
      return localStorage(rules, usage.inodes, {
        rootfs: usage.rootfsInodes,
        logs: usage.logsInodes,
        volumes: usage.localVolumesInodes,
      });
  }
}

/**
 * The request that usage is held against; undefined for process IDs, which nobody can request. Inodes: 0, likewise. Of
 * memory and disk the pod's request in bytes (kubelet eviction: podRequest).
 */
export function requestFor(pod: Pod, signal: Signal, compat: Compatibility): bigint | undefined {
  switch (starvedResource(signal)) {
    case 'memory':
      return quantityToInteger(rankingRequest(pod, 'memory', compat));
    case 'pids':
      return undefined;
    case 'disk':
      return storageRequest(pod, compat);
    case 'inodes':
      return 0n;
  }
}

/** The ephemeral-storage request in bytes. */
export function storageRequest(pod: Pod, compat: Compatibility): bigint {
  return quantityToInteger(rankingRequest(pod, 'ephemeral-storage', compat));
}

interface StorageParts {
  readonly rootfs: bigint | undefined;
  readonly logs: bigint | undefined;
  readonly volumes: bigint | undefined;
}

/**
 * The parts of a pod's local storage that lie on the filesystem of the signal (kubelet: fsStatsType by layout). Parts that
 * nobody measured add nothing as long as one was; where there are no parts, the total stands in, but only on a node with one
 * filesystem, since it does not say where it lies.
 */
function localStorage(
  rules: MeasureRules,
  total: bigint | undefined,
  parts: StorageParts,
): bigint | undefined {
  const everything = [parts.rootfs, parts.logs, parts.volumes];
  const isImages = rules.signal.startsWith('imagefs.');
  switch (rules.layout) {
    case 'single':
      return sumOfKnown(everything) ?? total;
    case 'dedicated-imagefs':
      return rules.signal.startsWith('nodefs.') ? sumOfKnown([parts.logs, parts.volumes]) : parts.rootfs;
    case 'split':
      if (!isImages) return sumOfKnown(everything);
      // The kubelet measures only "images" here and has no case for it: every pod comes out at 0.
      return rules.compat === 'kubelet' ? 0n : parts.rootfs;
  }
}

function sumOfKnown(parts: readonly (bigint | undefined)[]): bigint | undefined {
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, part) => sum + part, 0n);
}
