import { parseQuantity, quantityToInteger } from '../../config/numbers/quantity.ts';
import type { Parsed } from '../../config/result.ts';
import { parsed, refused } from '../../config/result.ts';
import type { PlainRecord, PlainValue } from '../../config/text/plain-value.ts';
import { asRecord, asString, typeName, valueAt } from '../../config/text/plain-value.ts';
import type { MemoryUsage } from './memory-usage.ts';
import { wholePages } from './memory-usage.ts';

const FIELDS = ['current', 'anon', 'file', 'inactiveFile'] as const;

/** Usage by `namespace/pod/container`. */
export type UsageByContainer = ReadonlyMap<string, MemoryUsage>;

/**
 * Reads a map of `namespace/pod/container` to `{current, anon, file, inactiveFile}` in quantities. What is left out follows
 * from the rest: current is anon and file together, anon what file leaves of current, inactiveFile half of file. Refused
 * with the key's name: a field that nobody knows, a quantity that is none, parts that are larger than their whole.
 */
export function readUsage(value: PlainValue): Parsed<UsageByContainer> {
  const record = asRecord(value);
  if (record === undefined) {
    return refused(`expected a map of namespace/pod/container to usage, found ${typeName(value)}`);
  }
  const usage = new Map<string, MemoryUsage>();
  for (const [key, entry] of Object.entries(record)) {
    if (key.split('/').length !== 3) {
      return refused(`${key}: expected namespace/pod/container`);
    }
    const one = readEntry(entry);
    if (!one.ok) {
      return refused(`${key}: ${one.message}`);
    }
    usage.set(key, one.value);
  }
  return parsed(usage);
}

function readEntry(value: PlainValue): Parsed<MemoryUsage> {
  const record = asRecord(value);
  const unknown = Object.keys(record ?? {}).find((key) => !(FIELDS as readonly string[]).includes(key));
  if (record === undefined || unknown !== undefined) {
    const found = unknown === undefined ? typeName(value) : `the field ${unknown}`;
    return refused(`expected a map with ${FIELDS.join(', ')}, found ${found}`);
  }
  const amounts = new Map<string, bigint>();
  for (const field of FIELDS) {
    const bytes = readBytes(record, field);
    if (!bytes.ok) {
      return bytes;
    }
    if (bytes.value !== undefined) {
      amounts.set(field, bytes.value);
    }
  }
  return complete(amounts);
}

function complete(amounts: ReadonlyMap<string, bigint>): Parsed<MemoryUsage> {
  const current = amounts.get('current');
  const fileBytes = amounts.get('file') ?? 0n;
  const anonBytes = amounts.get('anon') ?? (current ?? fileBytes) - fileBytes;
  const currentBytes = current ?? anonBytes + fileBytes;
  const inactiveFileBytes = amounts.get('inactiveFile') ?? wholePages(fileBytes / 2n);
  if (anonBytes < 0n || anonBytes + fileBytes > currentBytes) {
    return refused('anon and file together are more than current');
  }
  if (inactiveFileBytes > fileBytes) {
    return refused('inactiveFile is more than file');
  }
  return parsed({ currentBytes, anonBytes, fileBytes, inactiveFileBytes });
}

function readBytes(record: PlainRecord, field: string): Parsed<bigint | undefined> {
  const value = valueAt(record, field);
  if (value === undefined) {
    return parsed(undefined);
  }
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : asString(value);
  const quantity = text === undefined ? undefined : parseQuantity(text);
  if (quantity?.ok !== true) {
    return refused(`${field}: ${quantity?.message ?? `expected a quantity, found ${typeName(value)}`}`);
  }
  const bytes = quantityToInteger(quantity.value);
  return bytes < 0n ? refused(`${field}: a usage is not below 0`) : parsed(wholePages(bytes));
}
