import { visible } from '../../report/visible.ts';
import type { NodeGlance } from '../pressure/node-look.ts';
import { statusTable } from '../pressure/status-table.ts';
import type { Io } from './io.ts';
import { wrapText } from './wrap.ts';

/** What is done with each look. */
export interface Show {
  /** `said` are the warnings of this look. */
  glance(glance: NodeGlance, said: readonly string[]): void;
  /** A look that failed after one that did not: the node may be back in a moment. */
  trouble(sentence: string): void;
  /** Leaves everything as it was. */
  close(): void;
}

/** ECMA-48 and xterm: another screen and back, no cursor and back, and drawing over what is there without a flicker. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[2J';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

/**
 * Shows each look in the place of the one before, on a screen of its own that is gone at the end; where stdout is no terminal,
 * or one that cannot move its cursor, one below the other. Lines that do not fit below are left out.
 */
export function terminalScreen(io: Io, interval: string): Show {
  const isLive = io.isTerminal && io.env['TERM'] !== 'dumb';
  let isOpen = false;
  let shown = '';
  const draw = (text: string): void => {
    if (!isLive) {
      io.out(`${text}\n`);
      return;
    }
    if (!isOpen) io.out(ENTER);
    isOpen = true;
    const rows = text
      .trimEnd()
      .split('\n')
      .slice(0, Math.max(1, (io.rows ?? 24) - 1));
    io.out(`${HOME}${rows.map((row) => `${row}${CLEAR_LINE}\n`).join('')}${CLEAR_BELOW}`);
  };
  return {
    glance: ({ status, hugepagesBytes }, said) => {
      const nowMs = Date.now();
      const { columns } = io;
      const table = statusTable({ columns, status, host: undefined, hugepagesBytes, nowMs });
      const notes = [...new Set(said)].map((message) => note(message, columns));
      shown = [table, ...notes].join('');
      draw(`${head(nowMs, interval)}\n${shown}`);
    },
    trouble: (sentence) => {
      draw(`${head(Date.now(), interval)}\n${note(sentence, io.columns)}\n${shown}`);
    },
    close: () => {
      if (isOpen) io.out(LEAVE);
    },
  };
}

function head(nowMs: number, interval: string): string {
  return `nodeqos top, ${new Date(nowMs).toISOString().slice(0, 19)}Z, every ${interval}; Ctrl-C ends\n`;
}

function note(message: string, columns: number): string {
  return `${wrapText(visible(message), columns, 2)}\n`;
}
