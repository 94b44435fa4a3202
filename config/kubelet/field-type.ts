/** What Go makes of a field; `optional` fields are pointers there and take null, others take null as their zero value. */
export type FieldType =
  | { readonly kind: 'string' | 'boolean' | 'float' | 'time' | 'quantity' }
  | { readonly kind: 'integer'; readonly min: bigint; readonly max: bigint }
  | { readonly kind: 'duration'; readonly nullable: boolean; readonly numbers: boolean }
  | { readonly kind: 'list'; readonly item: FieldType }
  | { readonly kind: 'map'; readonly item: FieldType }
  | { readonly kind: 'struct'; readonly fields: Fields };

export type Fields = Readonly<Record<string, FieldType>>;

export const STRING: FieldType = { kind: 'string' };
export const BOOLEAN: FieldType = { kind: 'boolean' };
export const FLOAT: FieldType = { kind: 'float' };
export const TIME: FieldType = { kind: 'time' };
/** resource.Quantity: a text or a number. */
export const QUANTITY: FieldType = { kind: 'quantity' };
export const INT32: FieldType = { kind: 'integer', min: -2147483648n, max: 2147483647n };
export const INT64: FieldType = { kind: 'integer', min: -9223372036854775808n, max: 9223372036854775807n };
export const UINT32: FieldType = { kind: 'integer', min: 0n, max: 4294967295n };
/** metav1.Duration: a text only, and null is the empty text, which is no duration. */
export const DURATION: FieldType = { kind: 'duration', nullable: false, numbers: false };
/** A pointer to one. */
export const OPTIONAL_DURATION: FieldType = { kind: 'duration', nullable: true, numbers: false };
/** logs.TimeOrMetaDuration: a text, or a number of nanoseconds. */
export const DURATION_OR_NANOSECONDS: FieldType = { kind: 'duration', nullable: true, numbers: true };
export const STRINGS: FieldType = listOf(STRING);
export const STRING_MAP: FieldType = mapOf(STRING);

/** A list of such items. */
export function listOf(item: FieldType): FieldType {
  return { kind: 'list', item };
}

/** A map from any text to such items. */
export function mapOf(item: FieldType): FieldType {
  return { kind: 'map', item };
}

/** A map of known keys. */
export function struct(fields: Fields): FieldType {
  return { kind: 'struct', fields };
}
