import type { Fault } from '../fault.ts';
import { parseDuration } from '../numbers/duration.ts';
import { parseQuantity } from '../numbers/quantity.ts';
import { formatPath, type KeyPath } from '../text/place.ts';
import { isList, isRecord, type PlainValue, typeName } from '../text/plain-value.ts';
import type { Fields, FieldType } from './field-type.ts';

export interface Shape {
  readonly errors: readonly Fault[];
  /** Keys that nobody knows; the kubelet drops them. */
  readonly unknown: readonly Fault[];
}

/**
 * Checks a value against the types that the kubelet decodes it into, as Go's decoder does: names are case sensitive, a
 * number is no text, null is the zero value but for durations. Everything that is wrong is told, not only the first thing.
 */
export function checkShape(value: PlainValue, fields: Fields): Shape {
  const errors: Fault[] = [];
  const unknown: Fault[] = [];
  checkValue(value, { kind: 'struct', fields }, [], { errors, unknown });
  return { errors, unknown };
}

interface Sink {
  readonly errors: Fault[];
  readonly unknown: Fault[];
}

function checkValue(value: PlainValue, type: FieldType, path: KeyPath, sink: Sink): void {
  if (value === null && type.kind !== 'duration') {
    return;
  }
  if (type.kind === 'list') {
    checkItems(value, type.item, path, sink);
  } else if (type.kind === 'map' || type.kind === 'struct') {
    checkEntries(value, type, path, sink);
  } else {
    const message = scalarFault(value, type);
    if (message !== undefined) {
      sink.errors.push({ path, message });
    }
  }
}

function checkItems(value: PlainValue, item: FieldType, path: KeyPath, sink: Sink): void {
  if (!isList(value)) {
    sink.errors.push({ path, message: expected('a list', value) });
    return;
  }
  for (const [index, child] of value.entries()) {
    checkValue(child, item, [...path, index], sink);
  }
}

function checkEntries(
  value: PlainValue,
  type: Extract<FieldType, { kind: 'map' | 'struct' }>,
  path: KeyPath,
  sink: Sink,
): void {
  if (!isRecord(value)) {
    sink.errors.push({ path, message: expected('a map', value) });
    return;
  }
  for (const [key, child] of Object.entries(value)) {
    const field = type.kind === 'map' ? type.item : fieldOf(type.fields, key);
    if (field === undefined) {
      const fields = type.kind === 'map' ? {} : type.fields;
      sink.unknown.push({ path: [...path, key], message: unknownField(key, fields, path) });
    } else {
      checkValue(child, field, [...path, key], sink);
    }
  }
}

function fieldOf(fields: Fields, key: string): FieldType | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function unknownField(key: string, fields: Fields, path: KeyPath): string {
  const meant = Object.keys(fields).find((name) => name.toLowerCase() === key.toLowerCase());
  const where = path.length === 0 ? 'KubeletConfiguration' : formatPath(path);
  return meant === undefined
    ? `unknown field, which the kubelet drops; ${where} has no such key: remove it or move it to where it belongs`
    : `unknown field, which the kubelet drops; names are case sensitive: write ${meant}`;
}

type ScalarType = Exclude<FieldType, { kind: 'list' | 'map' | 'struct' }>;

function scalarFault(value: PlainValue, type: ScalarType): string | undefined {
  switch (type.kind) {
    case 'string':
    case 'time':
      return typeof value === 'string' ? undefined : expected('a string', value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : expected('a boolean', value);
    case 'float':
      return isNumber(value) ? undefined : expected('a number', value);
    case 'integer':
      return integerFault(value, type);
    case 'quantity':
      return quantityFault(value);
    case 'duration':
      return durationFault(value, type);
  }
}

function isNumber(value: PlainValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function integerFault(
  value: PlainValue,
  { min, max }: Extract<FieldType, { kind: 'integer' }>,
): string | undefined {
  if (!isNumber(value)) {
    return expected('a whole number', value);
  }
  if (typeof value === 'number' && !Number.isInteger(value)) {
    return `expected a whole number, got ${value}; remove the fraction`;
  }
  return value < min || value > max
    ? `${value} is out of range; give a number from ${min} to ${max}`
    : undefined;
}

function quantityFault(value: PlainValue): string | undefined {
  if (isNumber(value)) {
    return undefined;
  }
  if (typeof value !== 'string') {
    return expected('a quantity', value);
  }
  const quantity = parseQuantity(value.trim());
  return quantity.ok ? undefined : quantity.message;
}

function durationFault(
  value: PlainValue,
  type: Extract<FieldType, { kind: 'duration' }>,
): string | undefined {
  if ((value === null && type.nullable) || (isNumber(value) && type.numbers)) {
    return undefined;
  }
  if (typeof value !== 'string') {
    return value === null
      ? 'expected a duration, got nothing; write one such as 30s, or remove the key'
      : expected('a duration', value);
  }
  const duration = parseDuration(value);
  return duration.ok ? undefined : duration.message;
}

/** What Go's decoder says, in words: what was wanted, what came, and what to write instead. */
function expected(wanted: string, value: PlainValue): string {
  return `expected ${wanted}, got ${typeName(value)}${shown(value)}; ${remedy(wanted, value)}`;
}

function shown(value: PlainValue): string {
  if (typeof value === 'string') {
    return ` ${JSON.stringify(value.slice(0, 60))}`;
  }
  return isNumber(value) || typeof value === 'boolean' ? ` ${String(value)}` : '';
}

function remedy(wanted: string, value: PlainValue): string {
  if (wanted === 'a duration') {
    return 'write it with its unit, such as "30s"';
  }
  if (wanted === 'a string' && (isNumber(value) || typeof value === 'boolean')) {
    return `put it in quotes: "${String(value)}"`;
  }
  if (value === 'nil') {
    return 'for nothing write null or remove the key';
  }
  return typeof value === 'string' && isUnquoted(value, wanted)
    ? 'remove the quotes'
    : `write ${wanted} or remove the key`;
}

/** Whether a text would be what was wanted without its quotes. */
function isUnquoted(text: string, wanted: string): boolean {
  switch (wanted) {
    case 'a boolean':
      return text === 'true' || text === 'false';
    case 'a number':
    case 'a whole number':
      return /^-?[0-9]+(?:\.[0-9]+)?$/.test(text);
    default:
      return false;
  }
}
