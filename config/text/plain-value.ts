/** What a YAML or JSON document holds. Integers beyond 2^53 are bigint; other numbers are doubles. */
export type PlainValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly PlainValue[]
  | { readonly [key: string]: PlainValue };

export type PlainRecord = Readonly<Record<string, PlainValue>>;

/** The value as a map, or undefined if it is something else. */
export function asRecord(value: PlainValue | undefined): PlainRecord | undefined {
  return isRecord(value) ? value : undefined;
}

/** Whether the value is a map. */
export function isRecord(value: PlainValue | undefined): value is PlainRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as a list, or undefined if it is something else. */
export function asList(value: PlainValue | undefined): readonly PlainValue[] | undefined {
  return isList(value) ? value : undefined;
}

/** Whether the value is a list. */
export function isList(value: PlainValue | undefined): value is readonly PlainValue[] {
  return Array.isArray(value);
}

/** The value as a text, or undefined if it is something else. */
export function asString(value: PlainValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value as a boolean, or undefined if it is something else. */
export function asBoolean(value: PlainValue | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** The value as an exact integer, or undefined if it is something else or has a fraction. */
export function asInteger(value: PlainValue | undefined): bigint | undefined {
  if (typeof value === 'bigint') {
    return value;
  }
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : undefined;
}

/**
 * A key's own value: what a map inherits, such as `constructor`, is not in the document. Use this for keys that come from a
 * file; undefined where the key is not there.
 */
export function valueAt(record: PlainRecord | undefined, key: string): PlainValue | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** What a person calls the value's type, with its article: "a string", "a number", "nothing" for null. */
export function typeName(value: PlainValue): string {
  if (value === null) {
    return 'nothing';
  }
  if (isList(value)) {
    return 'a list';
  }
  switch (typeof value) {
    case 'string':
      return 'a string';
    case 'boolean':
      return 'a boolean';
    case 'number':
    case 'bigint':
      return 'a number';
    default:
      return 'a map';
  }
}
