import { asList, asRecord, type PlainRecord, valueAt } from './plain-value.ts';

/** A JSON map with a list of items, taken apart: what is beside the items, and the text of each. */
export interface JsonListPieces {
  /** The map, its list of items empty. */
  readonly frame: PlainRecord;
  /** Each is the text of a list or map, as far as brackets tell: parsing says whether it is JSON. */
  readonly items: Iterable<string>;
}

/**
 * Takes the text of a List apart without parsing it as a whole: a large one, parsed at once, makes millions of values that
 * all live until the last one is read. Undefined where the text is no map with one list `items` of maps; whoever asked
 * parses it whole then, and learns what is wrong with it. Where it gives pieces, the text is JSON if every item is.
 */
export function splitJsonList(text: string): JsonListPieces | undefined {
  const head = /^\s*\{/.exec(text)?.[0];
  const opening = head === undefined ? undefined : openingOfItems(text, head.length);
  if (opening === undefined) return undefined;
  const bounds = itemBounds(text, opening + 1);
  if (bounds === undefined) return undefined;
  const frame = parsedRecord(`${text.slice(0, opening)}[]${text.slice(bounds.end)}`);
  // A second list of that name would have replaced the first one.
  const isOnlyOne = !text.slice(bounds.end).includes('"items"');
  return frame === undefined || asList(valueAt(frame, 'items'))?.length !== 0 || !isOnlyOne
    ? undefined
    : { frame, items: slices(text, bounds.items) };
}

function* slices(text: string, items: readonly (readonly [number, number])[]): Generator<string> {
  for (const [start, end] of items) yield text.slice(start, end);
}

function parsedRecord(text: string): PlainRecord | undefined {
  try {
    return asRecord(JSON.parse(text) as PlainRecord);
  } catch {
    return undefined;
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_MAP = 0x7b;
const CLOSE_MAP = 0x7d;

/** Where the list `items` of the outermost map opens; `start` is right behind the map's bracket. */
function openingOfItems(text: string, start: number): number | undefined {
  for (let at = start; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(text, at);
        const opening = /^"items"\s*:\s*\[/.exec(text.slice(at, Math.min(end + 100, text.length)));
        if (opening !== null) return at + opening[0].length - 1;
        at = end - 1;
        break;
      }
      case OPEN_LIST:
      case OPEN_MAP:
        at = endOfValue(text, at) - 1;
        break;
      case CLOSE_MAP:
        return undefined;
    }
  }
  return undefined;
}

interface ItemBounds {
  readonly items: readonly (readonly [number, number])[];
  /** Right behind the list. */
  readonly end: number;
}

/** The maps of a list, of which `start` is right behind the bracket: each behind the last one's comma, until the list ends. */
function itemBounds(text: string, start: number): ItemBounds | undefined {
  const items: (readonly [number, number])[] = [];
  let isItemDue = true;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === CLOSE_LIST) return isItemDue && items.length > 0 ? undefined : { items, end: at + 1 };
    if (code === OPEN_MAP && isItemDue) {
      const end = endOfValue(text, at);
      items.push([at, end]);
      at = end - 1;
      isItemDue = false;
    } else if (code === COMMA && !isItemDue) {
      isItemDue = true;
    } else if (!isBlank(code)) {
      return undefined;
    }
  }
  return undefined;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Right behind the list or map that opens at `start`; the end of the text where it does not close. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at) - 1;
    } else if (code === OPEN_MAP || code === OPEN_LIST) {
      depth += 1;
    } else if (code === CLOSE_MAP || code === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

/** Right behind the string that opens at `start`; the end of the text where it does not close. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
