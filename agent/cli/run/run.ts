import { EXIT, type ExitStatus, Failure } from '../../exit.ts';
import { openRoot, requireCgroup2 } from '../../observe/root.ts';
import { defineCommand } from '../console/command.ts';
import type { Io } from '../console/io.ts';
import { NODE_OPTIONS, WHAT_IF_OPTIONS } from '../console/options.ts';
import { begin, end, once, statusOfRun, untilAborted } from './agent-life.ts';
import { assemble } from './assembly.ts';
import type { RunArguments } from './run-settings.ts';

export const runCommand = defineCommand({
  signature: 'run',
  summary:
    'The agent: watch the node, write Memory QoS, evict under pressure; in dry-run unless told otherwise',
  positionals: {},
  options: {
    ...NODE_OPTIONS,
    ...WHAT_IF_OPTIONS,
    stats: {
      type: 'string',
      requiresArg: true,
      describe:
        'cgroup, kubelet:URL, or summary:PATH (a saved kubelet /stats/summary that is written anew) [default: stats.source of nodeqos.yaml]',
    },
    'dry-run': {
      type: 'boolean',
      default: false,
      describe: 'Act on nothing, whatever the configuration says',
    },
    enforce: { type: 'boolean', default: false, describe: 'Act, whatever the configuration says' },
    once: { type: 'boolean', default: false, describe: 'One tick, then exit when what it began has ended' },
    'audit-log': {
      type: 'string',
      requiresArg: true,
      describe: 'Where the audit log goes [default: audit.jsonl in the state folder]',
    },
    interval: {
      type: 'string',
      requiresArg: true,
      describe: 'Longest time between two looks, such as 1s; shorter while memory runs out',
    },
    listen: {
      type: 'string',
      requiresArg: true,
      describe: 'ADDR:PORT, unix:PATH or none: where /metrics, /healthz, /readyz and /state are answered',
    },
  },
  run: async (args, io) => await run(args, io),
});

/** Runs until it is told to end; with --once for one tick. Throws Failure: 64, 66, 69, 75, 77, 78. */
async function run(args: RunArguments, io: Io): Promise<ExitStatus> {
  if (args.offline) {
    throw new Failure(
      EXIT.usage,
      'run looks at a node, so it takes no --offline; replay decides on what was recorded',
    );
  }
  io.neverWait?.();
  const root = await openRoot({ root: args.root, cgroupRoot: args.cgroupRoot });
  requireCgroup2(root);
  const all = await assemble(args, root, io);
  const stop = (): void => {
    all.stopping.abort();
  };
  io.signal.addEventListener('abort', stop, { once: true });
  try {
    await begin(all);
    await (args.once ? once(all) : untilAborted(all));
  } finally {
    await end(all);
  }
  return statusOfRun(all);
}
