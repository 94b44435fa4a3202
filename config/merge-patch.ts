import { isRecord, type PlainRecord, type PlainValue } from './text/plain-value.ts';

/**
 * RFC 7386: maps are merged key by key, null deletes, all else (lists too) replaces what was there. Neither argument is
 * changed.
 */
export function mergePatch(target: PlainValue | undefined, patch: PlainRecord): PlainRecord {
  // Without a prototype a key such as __proto__ is a key like any other.
  const merged = Object.create(null) as Record<string, PlainValue>;
  Object.assign(merged, isRecord(target) ? target : {});
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      Reflect.deleteProperty(merged, key);
    } else {
      merged[key] = isRecord(value) ? mergePatch(merged[key], value) : value;
    }
  }
  return merged;
}
