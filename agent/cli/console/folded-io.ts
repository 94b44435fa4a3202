import type { Io } from './io.ts';

/**
 * An Io whose lines are at most as wide as its columns: a longer one goes on below, under the start of its last column (or
 * a little to the right of its own start). Warnings come in their place between the lines, each once. A word that is wider
 * than a line stays whole.
 */
export function foldedIo(io: Io): Io {
  const said = new Set<string>();
  return {
    out: (text) => {
      io.out(fold(text, io.columns));
    },
    err: (text) => {
      io.err(fold(text, io.columns));
    },
    warn: (message) => {
      if (!said.has(message)) {
        said.add(message);
        io.err(fold(`warning: ${message}\n`, io.columns));
      }
    },
    isTerminal: io.isTerminal,
    columns: io.columns,
    env: io.env,
    signal: io.signal,
  };
}

/** The text with every line folded. */
export function fold(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => foldLine(line, columns))
    .join('\n');
}

function foldLine(line: string, columns: number): string {
  if (line.length <= columns) {
    return line;
  }
  const indent = ' '.repeat(hangingIndent(line, columns));
  const lines: string[] = [];
  let rest = line;
  while (rest.length > columns) {
    const start = lines.length === 0 ? indent.length : indent.length + 1;
    const blank = rest.lastIndexOf(' ', columns);
    const at = blank >= start ? blank : rest.indexOf(' ', columns);
    if (at === -1) {
      break;
    }
    lines.push(rest.slice(0, at).trimEnd());
    rest = indent + rest.slice(at).trimStart();
  }
  return [...lines, rest].join('\n');
}

/** Where the last column starts that leaves a third of the width, else two places right of the line's own start. */
function hangingIndent(line: string, columns: number): number {
  const limit = Math.floor((columns * 2) / 3);
  let indent = (/^ */.exec(line)?.[0].length ?? 0) + 2;
  for (const gap of line.matchAll(/\S( {2,})(?=\S)/g)) {
    const column = gap.index + 1 + (gap[1]?.length ?? 0);
    if (column <= limit) {
      indent = column;
    }
  }
  return indent;
}
