import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from 'yaml';
import { DEEPEST_LEVEL, type KeyPath, TOO_DEEP } from './place.ts';
import { isList, isRecord, type PlainValue } from './plain-value.ts';
import { plainScalar, taggedScalar } from './yaml-scalar.ts';

/** More values than any honest document makes out of its aliases; documents that multiply themselves make billions. */
const MOST_ALIASED_VALUES = 100_000;

/** What stops the reading of a document, and where. */
export class YamlFault {
  readonly message: string;
  readonly offset: number;

  constructor(message: string, node: Node) {
    this.message = message;
    this.offset = node.range?.[0] ?? 0;
  }
}

interface Anchored {
  readonly node: Node;
  /** Absent while the node itself is still being read. */
  value?: PlainValue;
  size: number;
}

/** One walk over a document's nodes, which makes values of them. */
export class YamlWalk {
  readonly duplicates: { readonly path: KeyPath; readonly offset: number }[] = [];
  readonly #anchors = new Map<string, Anchored>();
  readonly #targets = new Map<Alias, Node>();
  #size = 0;
  #aliased = 0;

  /** The node that an alias stands for; only after the walk. */
  targetOf(alias: Alias): Node | undefined {
    return this.#targets.get(alias);
  }

  valueOf(node: unknown, path: KeyPath): PlainValue | YamlFault {
    this.#size += 1;
    if (isAlias(node)) {
      return this.#aliasValue(node);
    }
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) {
      return null;
    }
    if (path.length > DEEPEST_LEVEL) {
      return new YamlFault(TOO_DEEP, node);
    }
    const anchored: Anchored | undefined = node.anchor === undefined ? undefined : { node, size: this.#size };
    if (anchored !== undefined && node.anchor !== undefined) {
      this.#anchors.set(node.anchor, anchored);
    }
    const value = this.#ownValue(node, path);
    if (anchored !== undefined && !(value instanceof YamlFault)) {
      anchored.value = value;
      anchored.size = this.#size - anchored.size + 1;
    }
    return value;
  }

  #ownValue(node: Node, path: KeyPath): PlainValue | YamlFault {
    if (isScalar(node)) {
      return scalarValue(node);
    }
    if (isMap(node)) {
      return this.#mapValue(node, path);
    }
    const list: PlainValue[] = [];
    for (const [index, item] of (isSeq(node) ? node.items : []).entries()) {
      const value = this.valueOf(item, [...path, index]);
      if (value instanceof YamlFault) {
        return value;
      }
      list.push(value);
    }
    return list;
  }

  #mapValue(map: YAMLMap, path: KeyPath): PlainValue | YamlFault {
    // Without a prototype a key such as __proto__ is a key like any other.
    const record = Object.create(null) as Record<string, PlainValue>;
    for (const { key, value: node } of map.items) {
      const fault = isMergeKey(key)
        ? this.#merge(record, node, path, key)
        : this.#addPair(record, key, node, { path, map });
      if (fault !== undefined) {
        return fault;
      }
    }
    return record;
  }

  #addPair(
    record: Record<string, PlainValue>,
    keyNode: unknown,
    node: unknown,
    { path, map }: { path: KeyPath; map: YAMLMap },
  ): YamlFault | undefined {
    const target = isAlias(keyNode) ? this.#anchors.get(keyNode.source)?.node : keyNode;
    const key = isScalar(target) ? keyText(target) : undefined;
    if (key === undefined) {
      return new YamlFault('a key must be a text, a number or a boolean', isScalar(keyNode) ? keyNode : map);
    }
    const value = this.valueOf(node, [...path, key]);
    if (value instanceof YamlFault) {
      return value;
    }
    this.#set(record, key, value, { path, offset: isScalar(keyNode) ? (keyNode.range?.[0] ?? 0) : 0 });
    return undefined;
  }

  #set(
    record: Record<string, PlainValue>,
    key: string,
    value: PlainValue,
    { path, offset }: { path: KeyPath; offset: number },
  ): void {
    if (Object.hasOwn(record, key)) {
      this.duplicates.push({ path: [...path, key], offset });
    }
    record[key] = value;
  }

  /** go-yaml v2 merges where the key stands: it wins over what came before it, and of a list the first map wins. */
  #merge(
    record: Record<string, PlainValue>,
    node: unknown,
    path: KeyPath,
    key: Scalar,
  ): YamlFault | undefined {
    const source = this.valueOf(node, [...path, '<<']);
    if (source instanceof YamlFault) {
      return source;
    }
    const maps = isList(source) ? [...source].reverse() : [source];
    const keysBefore = new Set(Object.keys(record));
    for (const map of maps) {
      if (!isRecord(map)) {
        return new YamlFault('the merge key << needs a map, or a list of maps', key);
      }
      for (const [name, value] of Object.entries(map)) {
        if (keysBefore.has(name)) {
          this.duplicates.push({ path: [...path, name], offset: key.range?.[0] ?? 0 });
        }
        record[name] = value;
      }
    }
    return undefined;
  }

  #aliasValue(alias: Alias): PlainValue | YamlFault {
    const anchored = this.#anchors.get(alias.source);
    if (anchored === undefined) {
      return new YamlFault(`*${alias.source} names no anchor above it; define &${alias.source} first`, alias);
    }
    if (anchored.value === undefined) {
      return new YamlFault(`&${alias.source} contains itself; write out what it stands for`, alias);
    }
    this.#targets.set(alias, anchored.node);
    this.#size += anchored.size;
    this.#aliased += anchored.size;
    return this.#aliased > MOST_ALIASED_VALUES
      ? new YamlFault('its aliases multiply it without measure; write out what they stand for', alias)
      : anchored.value;
  }
}

function isMergeKey(key: unknown): key is Scalar {
  return isScalar(key) && key.type === 'PLAIN' && key.value === '<<';
}

function scalarValue(node: Scalar): PlainValue | YamlFault {
  // The failsafe schema gives texts, and null for what is not written.
  const text = typeof node.value === 'string' ? node.value : '';
  if (node.tag !== undefined) {
    const tagged = taggedScalar(node.tag, text);
    return tagged.ok ? tagged.value : new YamlFault(tagged.message, node);
  }
  if (node.type !== 'PLAIN') {
    return text;
  }
  const plain = plainScalar(text);
  return plain.ok ? plain.value : new YamlFault(plain.message, node);
}

/** A key as JSON has it: texts as they are, numbers and booleans printed; undefined for null, which no key can be. */
export function keyText(key: Scalar): string | undefined {
  const value = scalarValue(key);
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      return undefined;
  }
}
