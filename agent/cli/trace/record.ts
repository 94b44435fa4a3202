import { parseDuration } from '../../../config/numbers/duration.ts';
import { counted } from '../../decide/human.ts';
import { EXIT, type ExitStatus, Failure } from '../../exit.ts';
import { systemClock } from '../../observe/system-clock.ts';
import { type TraceLine, traceLine } from '../../report/trace/trace-line.ts';
import { defineCommand } from '../console/command.ts';
import type { Io } from '../console/io.ts';
import { SEEN_NODE_OPTIONS, STATS_OPTIONS } from '../console/options.ts';
import type { InputArguments } from '../inputs/node-setup.ts';
import { type Recorder, recorder } from './recorder.ts';
import { TraceFileWriter } from './trace-file-writer.ts';

interface RecordArguments extends Omit<InputArguments, 'offline'> {
  readonly out: string;
  readonly duration?: string | undefined;
  readonly interval: string;
  readonly force: boolean;
}

/** More often than this nothing on a node changes, and looking is all that would happen. */
const SHORTEST_INTERVAL_MS = 10;

export const recordCommand = defineCommand({
  signature: 'record',
  summary: 'Write down what evictions are decided by, look by look, for replay',
  positionals: {},
  options: {
    ...SEEN_NODE_OPTIONS,
    ...STATS_OPTIONS,
    out: { type: 'string', demandOption: true, requiresArg: true, describe: 'The trace to write' },
    duration: {
      type: 'string',
      requiresArg: true,
      describe: 'For how long, such as 10m [default: until it is interrupted]',
    },
    interval: {
      type: 'string',
      default: '1s',
      requiresArg: true,
      describe: 'From one look to the next, at least 10ms',
    },
    force: { type: 'boolean', default: false, describe: 'Replace a trace that is already there' },
  },
  run: recordTrace,
});

/** Says how many observations were written. An interruption ends the trace after a whole line, and well. */
async function recordTrace(args: RecordArguments, io: Io): Promise<ExitStatus> {
  const intervalMs = durationOf('--interval', args.interval);
  if (intervalMs < SHORTEST_INTERVAL_MS) {
    throw new Failure(EXIT.usage, `--interval ${args.interval}: give 10ms or more`);
  }
  const durationMs =
    args.duration === undefined ? Number.POSITIVE_INFINITY : durationOf('--duration', args.duration);
  const { signal } = io;
  const node = await recorder(args, io, monotonicMs());
  try {
    const lines = await recordInto(args, node, { intervalMs, durationMs, signal });
    io.err(`${args.out}: ${counted(BigInt(lines), 'observation', 'observations')}\n`);
    return EXIT.ok;
  } finally {
    node.close();
  }
}

/** Gives how many observations were written. */
async function recordInto({ out, force }: RecordArguments, node: Recorder, pace: Pace): Promise<number> {
  const file = TraceFileWriter.open(out, force);
  try {
    await recordUntil(node, file, pace);
    return file.lines;
  } finally {
    file.close();
  }
}

interface Pace {
  readonly intervalMs: number;
  readonly durationMs: number;
  readonly signal: AbortSignal;
}

/** Looks at once and then at every full interval; a look that takes longer makes the next ones fall out, not pile up. */
async function recordUntil(
  node: Recorder,
  file: TraceFileWriter,
  { intervalMs, durationMs, signal }: Pace,
): Promise<void> {
  const startMs = monotonicMs();
  let before: TraceLine | undefined;
  for (let atMs = startMs; !signal.aborted; atMs = monotonicMs()) {
    const observation = node.look(atMs);
    if (observation !== undefined) {
      const line = traceLine(observation, before);
      file.append(line.text);
      before = line;
    }
    const sinceMs = monotonicMs() - startMs;
    const nextMs = (Math.floor(sinceMs / intervalMs) + 1) * intervalMs;
    if (nextMs >= durationMs) return;
    await systemClock.sleep(nextMs - sinceMs, signal);
  }
}

/** Whole milliseconds since the machine started. */
function monotonicMs(): number {
  return Math.floor(systemClock.nowMs());
}

/** Milliseconds of an option. Throws Failure 64. */
function durationOf(option: string, text: string): number {
  const duration = parseDuration(text);
  if (!duration.ok) throw new Failure(EXIT.usage, `${option}: ${duration.message}`);
  if (duration.value < 0)
    throw new Failure(EXIT.usage, `${option} ${text}: give a time that is not negative`);
  return duration.value;
}
