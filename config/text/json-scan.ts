import type { KeyPath, PlaceNode } from './place.ts';
import type { PlainValue } from './plain-value.ts';

export interface JsonScan {
  readonly value: PlainValue;
  /** Only where places were asked for. */
  readonly root: PlaceNode | undefined;
  /** Keys that a map holds more than once, each with the offset of the later one. */
  readonly duplicates: readonly { readonly path: KeyPath; readonly offset: number }[];
}

/** A list or map that is being read: where its values go, and the key that a value is awaited for. */
interface Frame {
  readonly target: PlainValue[] | Record<string, PlainValue>;
  readonly node: PlaceNode | undefined;
  /** Absent for the frame around the whole document. */
  readonly path: KeyPath | undefined;
  key: string | undefined;
}

/** Punctuation but commas and colons, which the order of the rest makes needless; then strings, numbers and words. */
const TOKEN = /[{}[\]]|"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null/g;

/**
 * Reads a text that JSON.parse has accepted, once more, for what JSON.parse does not tell: exact integers, places and
 * doubled keys. It keeps its own stack, so that depth costs memory and not the call stack. Places cost memory too and are
 * only noted on demand.
 */
export function scanJson(text: string, places: 'with-places' | 'without-places'): JsonScan {
  const node = places === 'with-places' ? placeNode(0) : undefined;
  const top: Frame = { target: [], node, path: undefined, key: undefined };
  const frames: Frame[] = [top];
  const duplicates: { path: KeyPath; offset: number }[] = [];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const frame = frames.at(-1) ?? top;
    if ('}]'.includes(token)) {
      frames.pop();
    } else if (!Array.isArray(frame.target) && frame.key === undefined) {
      const doubled = addKey(frame, JSON.parse(token) as string, index);
      duplicates.push(...(doubled === undefined ? [] : [{ path: doubled, offset: index }]));
    } else {
      const opened = addValue(frame, token, index);
      if (opened !== undefined) {
        frames.push(opened);
      }
    }
  }
  const value = Array.isArray(top.target) ? top.target[0] : undefined;
  return { value: value ?? null, root: node?.children.get(0), duplicates };
}

/** Notes the key that a value comes for; gives its path where the map has it already. */
function addKey(frame: Frame, key: string, offset: number): KeyPath | undefined {
  frame.key = key;
  frame.node?.children.set(key, placeNode(offset));
  return Object.hasOwn(frame.target, key) ? [...(frame.path ?? []), key] : undefined;
}

/** Puts a value into its list or map; a list or map that opens comes back as the frame to go on with. */
function addValue(frame: Frame, token: string, offset: number): Frame | undefined {
  const value = token === '[' ? [] : token === '{' ? emptyRecord() : undefined;
  const key = Array.isArray(frame.target) ? frame.target.length : (frame.key ?? '');
  if (Array.isArray(frame.target)) {
    frame.node?.children.set(key, placeNode(offset));
    frame.target.push(value ?? scalar(token));
  } else {
    frame.target[key] = value ?? scalar(token);
    frame.key = undefined;
  }
  return value === undefined
    ? undefined
    : {
        target: value,
        node: frame.node?.children.get(key),
        path: frame.path === undefined ? [] : [...frame.path, key],
        key: undefined,
      };
}

/** A map without prototype, so that a key such as __proto__ is a key like any other. */
function emptyRecord(): Record<string, PlainValue> {
  return Object.create(null) as Record<string, PlainValue>;
}

function placeNode(offset: number): PlaceNode {
  return { offset, children: new Map() };
}

function scalar(token: string): PlainValue {
  const value = JSON.parse(token) as PlainValue;
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?[0-9]+$/.test(token)
    ? BigInt(token)
    : value;
}
