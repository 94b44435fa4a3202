import yargs from 'yargs';
import { EXIT, type ExitStatus, Failure } from '../exit.ts';
import { visible } from '../report/visible.ts';
import { captureCommand } from './capture.ts';
import { checkCommand } from './check.ts';
import type { Command } from './console/command.ts';
import type { Io } from './console/io.ts';
import { lastOfRepeated, refuseEmptyValues, refuseValuesOfSwitches, usageSentence } from './console/usage.ts';
import { VERSION } from './console/version.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor/doctor.ts';
import { fakeTreeCommand } from './fake-tree.ts';
import { applyCommand } from './memory-qos/apply.ts';
import { planCommand } from './memory-qos/plan.ts';
import { qosCommand } from './memory-qos/qos.ts';
import { resetCommand } from './memory-qos/reset.ts';
import { explainCommand } from './pressure/explain.ts';
import { rankCommand } from './pressure/rank.ts';
import { statusCommand } from './pressure/status.ts';
import { topCommand } from './pressure/top.ts';
import { runCommand } from './run/run.ts';
import { recordCommand } from './trace/record.ts';
import { replayCommand } from './trace/replay.ts';
import { admitCommand } from './whatif/admit.ts';
import { preemptCommand } from './whatif/preempt.ts';
import { taintsCommand } from './whatif/taints.ts';

/**
 * Runs one command line and gives its exit status (sysexits, exit.ts). A Failure becomes its one sentence on stderr;
 * anything else that is thrown is a fault of nodeqos itself and ends in 70.
 */
export async function runProgram(argv: readonly string[], io: Io): Promise<ExitStatus> {
  try {
    const parsing = await parseArguments(argv, io);
    return parsing === undefined ? EXIT.ok : await parsing();
  } catch (error) {
    if (error instanceof Failure) {
      // A pod's name in the sentence is somebody's data: it must not move the cursor.
      io.err(`nodeqos: ${visible(error.message)}\n`);
      return error.status;
    }
    io.err(`nodeqos: internal error, please report it: ${describeBug(error, io)}\n`);
    return EXIT.bug;
  }
}

/** Gives what is to be run, or undefined where help or the version was the answer and has been printed. */
async function parseArguments(
  argv: readonly string[],
  io: Io,
): Promise<(() => Promise<ExitStatus>) | undefined> {
  let selected: (() => Promise<ExitStatus>) | undefined;
  const parser = yargs()
    .scriptName('nodeqos')
    .usage(
      '$0 <command> [options]\n\nMemory QoS and node-pressure eviction for a cgroup v2 node, in dry-run unless told otherwise.',
    )
    .detectLocale(false)
    .exitProcess(false)
    .showHelpOnFail(false)
    .wrap(Math.min(io.columns, 110))
    .parserConfiguration({
      'parse-numbers': false,
      'dot-notation': false,
    })
    .version(VERSION)
    .help()
    .alias('help', 'h')
    .strict()
    .strictCommands()
    .recommendCommands()
    .demandCommand(1, 'a command is missing; see nodeqos --help')
    .fail((message, error) => {
      throw new Failure(EXIT.usage, usageSentence(message || error.message));
    });

  const all = commands();
  refuseValuesOfSwitches(argv, all);
  for (const command of all) {
    parser.command(
      command.signature,
      command.summary,
      (builder) => {
        for (const [name, option] of Object.entries(command.positionals)) {
          builder.positional(name, option as Parameters<typeof builder.positional>[1]);
        }
        return builder.options(command.options);
      },
      (parsed) => {
        const args = lastOfRepeated(parsed, command);
        refuseEmptyValues(args, command as Command);
        selected = () => command.run(args as never, io);
      },
    );
  }
  await parser.parseAsync([...argv], {}, (_error, _args, output) => {
    if (output !== '') io.out(`${output}\n`);
  });
  return selected;
}

/** A command whose own options the parser has checked already. */
export type AnyCommand = Omit<Command, 'run'> & {
  readonly run: (args: never, io: Io) => Promise<ExitStatus>;
};

/** Every command, in the order in which the help shows them. */
export function commands(): readonly AnyCommand[] {
  return [
    doctorCommand,
    checkCommand,
    qosCommand,
    planCommand,
    applyCommand,
    resetCommand,
    rankCommand,
    runCommand,
    statusCommand,
    topCommand,
    explainCommand,
    recordCommand,
    replayCommand,
    preemptCommand,
    taintsCommand,
    admitCommand,
    captureCommand,
    fakeTreeCommand,
    // The demo tells its story by calling the other commands, so it is handed the way to call them.
    demoCommand(runProgram),
  ];
}

function describeBug(error: unknown, io: Io): string {
  if (!(error instanceof Error)) return String(error);
  return io.env['NODEQOS_DEBUG'] === undefined
    ? `${error.name}: ${error.message} (NODEQOS_DEBUG=1 shows where)`
    : (error.stack ?? error.message);
}
