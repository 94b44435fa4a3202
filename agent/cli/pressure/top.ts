import { setTimeout as sleep } from 'node:timers/promises';
import { API_VERSION } from '../../../config/api-version.ts';
import { parseDuration } from '../../../config/numbers/duration.ts';
import { EXIT, type ExitStatus, Failure } from '../../exit.ts';
import { jsonText } from '../../report/json-text.ts';
import { defineCommand } from '../console/command.ts';
import type { Io } from '../console/io.ts';
import { ASK_OPTIONS, NODE_OPTIONS, STATS_OPTIONS } from '../console/options.ts';
import { type Show, terminalScreen } from '../console/terminal-screen.ts';
import { type LookArguments, lookAtNode } from './node-look.ts';

export const topCommand = defineCommand({
  signature: 'top',
  summary: 'The status of a node again and again: live on a terminal, else one JSON line for each look',
  positionals: {},
  options: {
    ...NODE_OPTIONS,
    ...STATS_OPTIONS,
    ...ASK_OPTIONS,
    interval: {
      type: 'string',
      default: '1s',
      requiresArg: true,
      describe: 'Time between two looks, 100ms to 1h',
    },
    count: { type: 'string', requiresArg: true, describe: 'End after this many looks' },
    output: {
      alias: 'o',
      choices: ['table', 'jsonl'],
      requiresArg: true,
      describe: 'Output format [default: table on a terminal, else jsonl]',
    },
  },
  run: async (args, io) => {
    const format = args.output ?? (io.isTerminal ? 'table' : 'jsonl');
    const intervalMs = intervalOf(args.interval);
    const count = args.count === undefined ? Infinity : countOf(args.count);
    const show = format === 'table' ? terminalScreen(io, args.interval) : jsonLines(io);
    return watch({ args, io, show, intervalMs, count });
  },
});

interface Watching {
  readonly args: LookArguments;
  readonly io: Io;
  readonly show: Show;
  readonly intervalMs: number;
  readonly count: number;
}

/** Looks until it is told to end, or nobody reads. Throws Failure where already the first look fails. */
async function watch({ args, io, show, intervalMs, count }: Watching): Promise<ExitStatus> {
  const { signal, readerGone } = io;
  const ends = AbortSignal.any(readerGone === undefined ? [signal] : [signal, readerGone]);
  try {
    for (let look = 0; look < count && !ends.aborted; look += 1) {
      if (look > 0 && !(await pause(intervalMs, ends))) break;
      await lookOnce(args, io, show, look === 0);
    }
    return EXIT.ok;
  } finally {
    show.close();
  }
}

async function lookOnce(args: LookArguments, io: Io, show: Show, isFirst: boolean): Promise<void> {
  const said: string[] = [];
  const { isTerminal, columns, env, signal } = io;
  const listening: Io = {
    isTerminal,
    columns,
    env,
    signal,
    out: () => undefined,
    err: () => undefined,
    warn: (message) => said.push(message),
  };
  try {
    const glance = await lookAtNode(args, listening);
    show.glance(glance, [...said, ...glance.warnings.map(({ message }) => message)]);
  } catch (error) {
    if (isFirst || !(error instanceof Failure)) throw error;
    show.trouble(error.message);
  }
}

/** Whether the time passed without being told to end. */
async function pause(ms: number, ends: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal: ends });
    return true;
  } catch (error) {
    if (ends.aborted) return false;
    throw error;
  }
}

/** One NodeStatus a line. */
function jsonLines(io: Io): Show {
  return {
    glance: ({ status, warnings }, said) => {
      for (const message of said) io.warn(message);
      const document = { apiVersion: API_VERSION, kind: 'NodeStatus', ...status, warnings };
      io.out(`${jsonText(document, 0)}\n`);
    },
    trouble: (sentence) => {
      io.warn(sentence);
    },
    close: () => undefined,
  };
}

function intervalOf(text: string): number {
  const duration = parseDuration(text);
  if (!duration.ok) throw new Failure(EXIT.usage, `--interval ${text}: ${duration.message}`);
  if (duration.value >= SHORTEST_MS && duration.value <= LONGEST_MS) return duration.value;
  throw new Failure(EXIT.usage, `--interval ${text}: give a duration from 100ms to 1h, such as 1s`);
}

const SHORTEST_MS = 100;
const LONGEST_MS = 3_600_000;

function countOf(text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new Failure(EXIT.usage, `--count ${text}: give a whole number from 1`);
}
