import { type EvictionPolicy, evictionPolicy } from '../../decide/eviction/policy.ts';
import type { Compatibility } from '../../decide/resources.ts';
import { EXIT, type ExitStatus, Failure } from '../../exit.ts';
import type { Observation } from '../../model/observation.ts';
import { type TraceLines, traceLines } from '../../observe/trace/trace-file.ts';
import { TraceReader } from '../../observe/trace/trace-reader.ts';
import { defineCommand } from '../console/command.ts';
import type { Io } from '../console/io.ts';
import { CONFIGURATION_OPTIONS, POD_OPTIONS } from '../console/options.ts';
import { Progress } from '../console/progress.ts';
import { loadConfiguration } from '../inputs/configuration.ts';
import { type ReplayOutput, replayOutput } from './replay-output.ts';

interface ReplayArguments {
  readonly trace: string;
  readonly kubeletConfig?: string | undefined;
  readonly kubeletConfigDir?: string | undefined;
  readonly config?: string | undefined;
  readonly compare?: string | undefined;
  readonly compat: Compatibility;
  readonly nodeName?: string | undefined;
  readonly output: 'table' | 'jsonl';
}

export const replayCommand = defineCommand({
  signature: 'replay <trace>',
  summary: 'What a configuration would have done on a trace, and where another one parts from it',
  positionals: {
    trace: {
      type: 'string',
      demandOption: true,
      describe: 'Observations as JSON lines, as nodeqos record writes them',
    },
  },
  options: {
    ...CONFIGURATION_OPTIONS,
    'kubelet-config': {
      ...CONFIGURATION_OPTIONS['kubelet-config'],
      describe: "KubeletConfiguration file [default: the kubelet's defaults]",
    },
    config: { ...CONFIGURATION_OPTIONS.config, describe: "nodeqos' own configuration [default: none]" },
    compare: {
      type: 'string',
      requiresArg: true,
      describe: 'Another KubeletConfiguration file, without drop-ins: show where the two part',
    },
    compat: {
      choices: ['nodeqos', 'kubelet'],
      default: 'nodeqos',
      requiresArg: true,
      describe: "Whose rules: nodeqos' own, or the kubelet's with its known faults",
    },
    'node-name': POD_OPTIONS['node-name'],
    output: {
      alias: 'o',
      choices: ['table', 'jsonl'],
      default: 'table',
      requiresArg: true,
      describe: 'Output format: what changes, or a line for every observation',
    },
  },
  run: replayTrace,
});

/** Prints what each observation leads to; a trace that breaks off in the middle of its last line is replayed up to there. */
async function replayTrace(args: ReplayArguments, io: Io): Promise<ExitStatus> {
  const output = replayOutput(args.output, io, policiesOf(args, io));
  const reader = new TraceReader(args.trace, {
    nodeName: args.nodeName,
    warn: (message) => {
      io.warn(message);
    },
  });
  // On one terminal the lines themselves show how far it is.
  const isShown = args.output === 'table' || !io.isTerminal;
  const progress = new Progress(io, 'Replaying', () => performance.now());
  let observations = 0;
  try {
    for await (const part of traceLines(args.trace)) {
      observations += replayPart(part, reader, output, io);
      if (io.readerGone?.aborted === true) return EXIT.ok;
      if (isShown && part.bytesInAll !== undefined) progress.show(part.bytesRead / part.bytesInAll);
    }
  } finally {
    progress.clear();
  }
  if (observations === 0) {
    throw new Failure(EXIT.badData, `${args.trace}: holds no observation; nodeqos record writes a trace`);
  }
  output.end();
  return EXIT.ok;
}

/** Gives the number of observations. Throws Failure 65 for a line that is none. */
function replayPart(part: TraceLines, reader: TraceReader, output: ReplayOutput, io: Io): number {
  const { lines, firstNumber, isTorn } = part;
  let observations = 0;
  for (const [index, line] of lines.entries()) {
    const observation = observationOf(line, firstNumber + index, reader, isTorn ? io : undefined);
    if (observation !== undefined) {
      output.look(observation);
      observations += 1;
    }
  }
  output.flush();
  return observations;
}

/** undefined: an empty line, or one that was not written to its end, which `torn` is told of. */
function observationOf(
  line: string,
  number: number,
  reader: TraceReader,
  torn: Io | undefined,
): Observation | undefined {
  if (line.trim() === '') return undefined;
  const reading = reader.read(line, number);
  if (reading.ok) return reading.value;
  if (!reading.isNoJson || torn === undefined) throw new Failure(EXIT.badData, reading.message);
  torn.warn(`${reading.place}: the last line was not written to its end and is left out`);
  return undefined;
}

function policiesOf(
  args: ReplayArguments,
  io: Io,
): readonly { readonly name: string; readonly policy: EvictionPolicy }[] {
  const policy = (
    kubeletConfig: string | undefined,
    kubeletConfigDir: string | undefined,
  ): EvictionPolicy => {
    const { kubelet, nodeqos } = loadConfiguration(
      { kubeletConfig, kubeletConfigDir, config: args.config },
      undefined,
      io,
    );
    if (args.compare !== undefined && nodeqos.eviction.thresholds !== undefined) {
      io.warn(
        `${args.config ?? 'nodeqos.yaml'}: its eviction.thresholds win over those of both KubeletConfigurations`,
      );
    }
    return evictionPolicy(kubelet, nodeqos, args.compat);
  };
  const first = {
    name: args.kubeletConfig ?? "the kubelet's defaults",
    policy: policy(args.kubeletConfig, args.kubeletConfigDir),
  };
  return args.compare === undefined
    ? [first]
    : [first, { name: args.compare, policy: policy(args.compare, undefined) }];
}
