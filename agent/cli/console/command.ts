import type { InferredOptionTypes, Options } from 'yargs';
import type { ExitStatus } from '../../exit.ts';
import type { Io } from './io.ts';

type OptionTable = Readonly<Record<string, Options>>;

/** `node-name` as yargs also gives it: `nodeName`. */
type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** What a command's `run` gets: each option and positional under its camel-case name. */
type Arguments<O extends OptionTable> = {
  [Name in keyof InferredOptionTypes<O> as CamelCase<Name & string>]: InferredOptionTypes<O>[Name];
};

/** One command: what it is called with, and what it does. It gives the exit status, or throws a Failure. */
export interface Command<O extends OptionTable = OptionTable, P extends OptionTable = OptionTable> {
  /** As in the usage line: `explain <pod>`. */
  readonly signature: string;
  readonly summary: string;
  readonly positionals: P;
  readonly options: O;
  readonly run: (args: Arguments<O & P>, io: Io) => Promise<ExitStatus>;
}

/** Ties the types of a command's options to its `run`. */
export function defineCommand<const O extends OptionTable, const P extends OptionTable>(
  command: Command<O, P>,
): Command<O, P> {
  return command;
}
