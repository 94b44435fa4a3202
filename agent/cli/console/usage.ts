import { EXIT, Failure } from '../../exit.ts';
import { visible } from '../../report/visible.ts';
import type { Command } from './command.ts';

type OptionsOf = Pick<Command, 'options'>;

/**
 * Refuses `--check=foo`: the parser takes any text after a switch's `=` for a yes or a no. Throws Failure 64. `argv` is
 * what follows `nodeqos`.
 */
export function refuseValuesOfSwitches(argv: readonly string[], commands: readonly OptionsOf[]): void {
  const switches = new Set(
    commands
      .flatMap(({ options }) => Object.entries(options))
      .filter(([, { type }]) => type === 'boolean')
      .map(([name]) => name),
  );
  const end = argv.indexOf('--');
  for (const argument of end === -1 ? argv : argv.slice(0, end)) {
    const [, name = '', value = ''] = /^--([^=]+)=(.*)$/s.exec(argument) ?? [];
    if (switches.has(name) && value !== 'true' && value !== 'false') {
      throw new Failure(EXIT.usage, `--${name} takes no value, and ${JSON.stringify(value)} was given`);
    }
  }
}

/** The arguments with the last value of each option that is given several times and takes one. */
export function lastOfRepeated(
  args: Readonly<Record<string, unknown>>,
  { options }: OptionsOf,
): Readonly<Record<string, unknown>> {
  const single = Object.entries(options).filter(([, { array }]) => array !== true);
  const names = new Set(single.flatMap(([name, { alias }]) => [name, camelCase(name), alias]));
  const last = (value: unknown): unknown => (Array.isArray(value) ? (value as unknown[]).at(-1) : value);
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, names.has(name) ? last(value) : value]),
  );
}

function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Refuses an option or argument that is there and empty, which mostly is a shell variable that nobody set: an empty node
 * name would choose no pod, and an empty root the folder one is in. Throws Failure 64.
 */
export function refuseEmptyValues(args: Readonly<Record<string, unknown>>, command: Command): void {
  for (const name of Object.keys(command.positionals)) {
    if (args[name] === '') throw new Failure(EXIT.usage, `${name} is empty; give a value`);
  }
  for (const name of Object.keys(command.options)) {
    const value = args[name];
    if (value === '' || (Array.isArray(value) && value.includes(''))) {
      throw new Failure(EXIT.usage, `--${name} is empty; give a value or leave it out`);
    }
  }
}

/** The parser's own words as one sentence that names the option, what is wrong and where to look further. */
export function usageSentence(message: string): string {
  const sentence = message.replaceAll(/\s*\n\s*/g, ' ').trim();
  if (sentence.includes('--help')) return sentence;
  if (sentence.endsWith('?')) return `unknown command. ${sentence} See nodeqos --help`;
  return `${rephrased(sentence)}; see nodeqos --help`;
}

function rephrased(sentence: string): string {
  const choice = /^Invalid values: Argument: (\S+), Given: "(.*?)", Choices: (.*)$/s.exec(sentence);
  if (choice !== null) {
    const [, name = '', given = '', choices = ''] = choice;
    return `--${name} ${visible(given)}: give one of ${choices.replaceAll('"', '')}`;
  }
  const [, missing] = /^Missing required arguments?: (.*)$/s.exec(sentence) ?? [];
  if (missing !== undefined) return `missing: ${missing.replaceAll(/[^ ,]+/g, '--$&')}`;
  const [, valueless] = /^Not enough arguments following: (.*)$/s.exec(sentence) ?? [];
  if (valueless !== undefined) return `${valueless.length === 1 ? '-' : '--'}${valueless} needs a value`;
  if (sentence.startsWith('Not enough non-option arguments'))
    return 'an argument is missing after the command';
  return sentence.replace(/^Unknown (arguments?|commands?): /, 'unknown $1: ');
}
