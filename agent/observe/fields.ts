import { parseQuantity, type Quantity, ZERO } from '../../config/numbers/quantity.ts';
import type { KeyPath } from '../../config/text/document.ts';
import {
  asInteger,
  asRecord,
  isList,
  type PlainRecord,
  type PlainValue,
  typeName,
  valueAt,
} from '../../config/text/plain-value.ts';

/** A field that cannot be what it should be. Readers throw it inside and give it to their callers as a value. */
export class FieldFault extends Error {
  readonly path: KeyPath;

  constructor(path: KeyPath, message: string) {
    super(message);
    this.name = 'FieldFault';
    this.path = path;
  }
}

/** Where a value stands: a path, or a key below such a place. Most places are never asked for, so no path is made of them. */
type FieldPlace = KeyPath | { readonly above: FieldPlace; readonly key: string | number };

function pathOf(place: FieldPlace): KeyPath {
  return 'above' in place ? [...pathOf(place.above), place.key] : place;
}

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

/** The amounts of one input, equal ones as one value: the pods of a cluster have few different requests. */
export class SharedAmounts {
  readonly #known = new Map<string, ReadonlyMap<string, Quantity>>();

  /** What is known of a map with the same texts, else what `read` makes of it. */
  of(record: PlainRecord, read: () => ReadonlyMap<string, Quantity>): ReadonlyMap<string, Quantity> {
    let text = '';
    for (const name of Object.keys(record)) {
      const value = record[name];
      if (typeof value !== 'string') return read();
      text += `${name.length} ${value.length} ${name}${value}`;
    }
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const amounts = read();
    this.#known.set(text, amounts);
    return amounts;
  }
}

/**
 * A map of a Kubernetes object, read as the API reads JSON: null is as good as absent, and a value of another type than
 * the field's is refused, never converted. Every getter throws FieldFault with the path of the field.
 */
export class Fields {
  readonly #record: PlainRecord | undefined;
  readonly #place: FieldPlace;
  readonly #amounts: SharedAmounts | undefined;

  /** `amounts`, where given, serves all of it: a large input states the same requests over and over. */
  constructor(value: PlainValue | undefined, path: FieldPlace = [], amounts?: SharedAmounts) {
    const record = asRecord(value);
    if (record === undefined && value !== undefined && value !== null) {
      throw new FieldFault(pathOf(path), `expected a map, found ${typeName(value)}`);
    }
    this.#place = path;
    this.#record = record;
    this.#amounts = amounts;
  }

  get path(): KeyPath {
    return pathOf(this.#place);
  }

  has(key: string): boolean {
    return this.#present(key) !== undefined;
  }

  /** The value as it is, for a field of several shapes; undefined where it is absent or null. */
  plain(key: string): PlainValue | undefined {
    return this.#present(key);
  }

  /** The text, or undefined where it is absent, null or empty: the API does not tell those apart. */
  text(key: string): string | undefined {
    const value = this.#present(key);
    if (value === undefined || value === '') {
      return undefined;
    }
    if (typeof value !== 'string') {
      throw this.#fault(key, `expected a string, found ${typeName(value)}`);
    }
    return value;
  }

  /** True or false, or undefined where it is absent. */
  flag(key: string): boolean | undefined {
    const value = this.#present(key);
    if (value !== undefined && typeof value !== 'boolean') {
      throw this.#fault(key, `expected true or false, found ${typeName(value)}`);
    }
    return value;
  }

  /** A whole number of `bits` bits with sign, or undefined where it is absent. */
  integer(key: string, bits: 32 | 64): bigint | undefined {
    const value = this.#present(key);
    if (value === undefined) {
      return undefined;
    }
    const integer = asInteger(value);
    if (integer === undefined || BigInt.asIntN(bits, integer) !== integer) {
      throw this.#fault(key, `expected a whole number of ${bits} bits, found ${shown(value)}`);
    }
    return integer;
  }

  /** The map below a key, empty where it is absent. */
  map(key: string): Fields {
    return new Fields(this.#present(key), { above: this.#place, key }, this.#amounts);
  }

  /** The maps of the list below a key, none where it is absent. An item that is null is an empty map. */
  maps(key: string): readonly Fields[] {
    const items = this.items(key);
    if (items.length === 0) return [];
    const above = { above: this.#place, key };
    return items.map((item, at) => new Fields(item, { above, key: at }, this.#amounts));
  }

  /** The items of the list below a key as they are, none where it is absent. */
  items(key: string): readonly PlainValue[] {
    const value = this.#present(key) ?? [];
    if (!isList(value)) {
      throw this.#fault(key, `expected a list, found ${typeName(value)}`);
    }
    return value;
  }

  /** The texts of the list below a key, none where it is absent. */
  textItems(key: string): readonly string[] {
    return this.items(key).map((item, at) => {
      if (typeof item === 'string') return item;
      throw new FieldFault([...this.path, key, at], `expected a string, found ${typeName(item)}`);
    });
  }

  /** A map of texts, such as labels. */
  texts(key: string): ReadonlyMap<string, string> {
    const below = this.map(key);
    const names = below.keys();
    return names.length === 0 ? NOTHING : new Map(names.map((name) => [name, below.text(name) ?? '']));
  }

  /**
   * A map of quantities, such as requests. As in the API's JSON a quantity is a text, blanks around it do not count, or
   * a number, or null for zero; it cannot be negative.
   */
  quantities(key: string): ReadonlyMap<string, Quantity> {
    const below = this.map(key);
    const names = below.keys();
    if (names.length === 0) return NOTHING;
    const read = (): ReadonlyMap<string, Quantity> =>
      new Map(names.map((name) => [name, below.quantity(name) ?? ZERO]));
    return this.#amounts === undefined || below.#record === undefined
      ? read()
      : this.#amounts.of(below.#record, read);
  }

  /** A quantity that is not negative, or undefined where it is absent or null. */
  quantity(key: string): Quantity | undefined {
    const value = this.#present(key);
    if (value === undefined) {
      return undefined;
    }
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') {
      throw this.#fault(key, `expected a quantity such as 512Mi, found ${typeName(value)}`);
    }
    const quantity = parseQuantity(String(value).trim());
    if (!quantity.ok) {
      throw this.#fault(key, quantity.message);
    }
    if (quantity.value.unscaled < 0n) {
      throw this.#fault(key, `${String(value).trim()} is negative; it must be 0 or more`);
    }
    return quantity.value;
  }

  keys(): readonly string[] {
    return Object.keys(this.#record ?? {});
  }

  #present(key: string): PlainValue | undefined {
    return valueAt(this.#record, key) ?? undefined;
  }

  #fault(key: string, message: string): FieldFault {
    return new FieldFault([...this.path, key], message);
  }
}

/** A number as it was written, any other value by its type. */
function shown(value: PlainValue): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : typeName(value);
}
