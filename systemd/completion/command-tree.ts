import type { Options } from 'yargs';
import { commands } from '../../agent/cli/program.ts';

/** What follows an option or stands for an argument: what a shell can complete. */
export type ValueKind = 'file' | 'folder' | 'text';

/** One option as a person writes it. */
export interface OptionFacts {
  /** Without dashes. */
  readonly name: string;
  readonly letter?: string;
  readonly describe: string;
  /** Undefined for a switch. */
  readonly value?: { readonly kind: ValueKind; readonly choices: readonly string[] };
  readonly default?: string;
  readonly isRequired: boolean;
}

/** What stands after the command without dashes. */
export interface ArgumentFacts {
  readonly name: string;
  readonly describe: string;
  readonly kind: ValueKind;
}

export interface CommandFacts {
  readonly name: string;
  readonly summary: string;
  readonly arguments: readonly ArgumentFacts[];
  readonly options: readonly OptionFacts[];
}

/** The values that are places on disk; a test holds that each option with a value is either here or known to be none. */
const FILES: readonly string[] = [
  'kubelet-config',
  'config',
  'pods',
  'node',
  'audit-log',
  'out',
  'compare',
  'usage',
  'trace',
  'archive',
  'snapshot',
];
const FOLDERS: readonly string[] = ['kubelet-config-dir', 'cgroup-root', 'dir'];
/** A folder or an archive, and a file or a pod's name by the command: files are offered. */
const EITHER: readonly string[] = ['root', 'pod'];

/** What every command takes. */
export const COMMON_OPTIONS: readonly OptionFacts[] = [
  { name: 'help', letter: 'h', describe: 'Show help', isRequired: false },
  { name: 'version', describe: 'Show version number', isRequired: false },
];

/** The whole command line as data: the program's own commands and options, in the order of its help. */
export function commandTree(): readonly CommandFacts[] {
  return commands().map(({ signature, summary, positionals, options }) => ({
    name: signature.split(' ', 1)[0] ?? signature,
    summary,
    arguments: Object.entries(positionals).map(([name, { describe }]) => ({
      name,
      describe: describe ?? '',
      kind: kindOf(name),
    })),
    options: Object.entries(options).map(([name, option]) => optionFacts(name, option)),
  }));
}

function optionFacts(name: string, option: Options): OptionFacts {
  const { alias, describe = '', type, choices = [], demandOption } = option;
  const byDefault: unknown = option.default;
  const letter = typeof alias === 'string' && alias.length === 1 ? alias : undefined;
  return {
    name,
    ...(letter === undefined ? {} : { letter }),
    describe,
    ...(type === 'boolean' ? {} : { value: { kind: kindOf(name), choices: choices.map(String) } }),
    ...(typeof byDefault === 'string' ? { default: byDefault } : {}),
    isRequired: demandOption === true,
  };
}

function kindOf(name: string): ValueKind {
  if (FOLDERS.includes(name)) return 'folder';
  return FILES.includes(name) || EITHER.includes(name) ? 'file' : 'text';
}
