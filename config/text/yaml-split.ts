/** A part of a text, and how many lines come before it. */
export interface Piece {
  readonly text: string;
  readonly linesBefore: number;
}

/** A document that is a map with a list of items, taken apart: what is beside the list, and groups of its items. */
export interface ListPieces {
  readonly frame: Piece;
  readonly groups: readonly Piece[];
}

/** Items are put together up to this size: the syntax tree of one group takes a hundred times its text. */
const GROUP_CHARACTERS = 512 * 1024;

/** Takes a text apart at its document markers, which no scalar can hold at the start of a line. */
export function splitDocuments(text: string): readonly Piece[] {
  const starts = [
    0,
    ...[...text.matchAll(/^---(?=\s|$)/gm)].map(({ index }) => index).filter((index) => index > 0),
  ];
  return piecesAt(text, starts, text.length, 0);
}

/**
 * Takes a document apart at the items of its top-level list `items`, as kubectl prints Lists; undefined where there is none.
 * Whatever an item holds is indented further than its dash, so a dash at the list's own column starts an item.
 */
export function splitItems({ text, linesBefore }: Piece): ListPieces | undefined {
  const head = /^items:[ \t]*(?:#.*)?\r?\n( *)-(?=\s)/m.exec(text);
  if (head === null) {
    return undefined;
  }
  const indent = head[1] ?? '';
  const first = head.index + head[0].length - indent.length - 1;
  const ending = /^[^ #\r\n-]/gm;
  ending.lastIndex = first;
  const end = ending.exec(text)?.index ?? text.length;
  const dashes = new RegExp(`^${indent}-(?=\\s)`, 'gm');
  dashes.lastIndex = first;
  const starts: number[] = [];
  for (let match = dashes.exec(text); match !== null && match.index < end; match = dashes.exec(text)) {
    if (match.index - (starts.at(-1) ?? Number.NEGATIVE_INFINITY) >= GROUP_CHARACTERS) {
      starts.push(match.index);
    }
  }
  return {
    frame: { text: text.slice(0, head.index) + text.slice(end), linesBefore },
    groups: piecesAt(text, starts, end, linesBefore),
  };
}

function piecesAt(
  text: string,
  starts: readonly number[],
  end: number,
  linesBefore: number,
): readonly Piece[] {
  let lines = linesBefore + lineBreaks(text.slice(0, starts[0]));
  return starts.map((start, index) => {
    const piece = { text: text.slice(start, starts[index + 1] ?? end), linesBefore: lines };
    lines += lineBreaks(piece.text);
    return piece;
  });
}

function lineBreaks(text: string): number {
  let count = 0;
  for (let index = text.indexOf('\n'); index !== -1; index = text.indexOf('\n', index + 1)) {
    count += 1;
  }
  return count;
}
