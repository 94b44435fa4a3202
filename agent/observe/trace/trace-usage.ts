import type { KeyPath } from '../../../config/text/document.ts';
import {
  isRecord,
  type PlainRecord,
  type PlainValue,
  typeName,
  valueAt,
} from '../../../config/text/plain-value.ts';
import type { ContainerStorage, PodUsage, UsageByUid } from '../../model/pod.ts';
import { USAGE_NUMBERS } from '../../model/usage-fields.ts';
import { FieldFault } from '../fields.ts';
import { unsignedCount } from '../summary/summary-number.ts';

/**
 * Reads the usage of one line of a trace, by UID. What is absent or null was not measured; a counter that came out negative
 * is 0. Throws FieldFault with the path of what is no count.
 */
export function readUsage(value: PlainValue | undefined, path: KeyPath): UsageByUid {
  const usage = new Map<string, PodUsage>();
  const record = recordOf(value, path);
  for (const uid of Object.keys(record)) usage.set(uid, usageOf(record[uid], [...path, uid]));
  return usage;
}

/** Filled by hand: a day of a busy node has tens of millions of these numbers. */
function usageOf(value: PlainValue | undefined, path: KeyPath): PodUsage {
  const record = recordOf(value, path);
  const usage: { -readonly [K in keyof PodUsage]: PodUsage[K] } = {};
  for (const key of USAGE_NUMBERS) {
    const count = countAt(record, key, path);
    if (count !== undefined) usage[key] = count;
  }
  const volumeBytes = countsBelow(record, 'volumeBytes', path);
  if (volumeBytes !== undefined) usage.volumeBytes = volumeBytes;
  const containerMemoryBytes = countsBelow(record, 'containerMemoryBytes', path);
  if (containerMemoryBytes !== undefined) usage.containerMemoryBytes = containerMemoryBytes;
  const containerStorage = storageBelow(record, path);
  if (containerStorage !== undefined) usage.containerStorage = containerStorage;
  return usage;
}

function countsBelow(
  record: PlainRecord,
  key: string,
  path: KeyPath,
): ReadonlyMap<string, bigint> | undefined {
  const value = valueAt(record, key) ?? null;
  if (value === null) return undefined;
  const below = [...path, key];
  const counts = recordOf(value, below);
  return new Map(
    Object.keys(counts).flatMap((name) => {
      const count = countAt(counts, name, below);
      return count === undefined ? [] : [[name, count]];
    }),
  );
}

function storageBelow(record: PlainRecord, path: KeyPath): ReadonlyMap<string, ContainerStorage> | undefined {
  const value = valueAt(record, 'containerStorage') ?? null;
  if (value === null) return undefined;
  const below = [...path, 'containerStorage'];
  const containers = recordOf(value, below);
  return new Map(
    Object.keys(containers).map((name) => {
      const parts = recordOf(containers[name], [...below, name]);
      const rootfsBytes = countAt(parts, 'rootfsBytes', [...below, name]);
      const logsBytes = countAt(parts, 'logsBytes', [...below, name]);
      const storage: ContainerStorage = {
        ...(rootfsBytes === undefined ? {} : { rootfsBytes }),
        ...(logsBytes === undefined ? {} : { logsBytes }),
      };
      return [name, storage];
    }),
  );
}

function countAt(record: PlainRecord, key: string, path: KeyPath): bigint | undefined {
  const value = valueAt(record, key);
  if (value === undefined || value === null) return undefined;
  const count = unsignedCount(value);
  if (count !== undefined) return count;
  const found = typeof value === 'number' ? String(value) : typeName(value);
  throw new FieldFault([...path, key], `expected a whole number of bytes or counts, found ${found}`);
}

/** null is a map without anything in it. */
function recordOf(value: PlainValue | undefined, path: KeyPath): PlainRecord {
  if (value === undefined || value === null) return {};
  if (isRecord(value)) return value;
  throw new FieldFault(path, `expected a map, found ${typeName(value)}`);
}
