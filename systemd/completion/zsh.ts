import { COMMON_OPTIONS, type CommandFacts, type OptionFacts, type ValueKind } from './command-tree.ts';

const ACTIONS: Readonly<Record<ValueKind, string>> = { file: '_files', folder: '_files -/', text: '' };

/** The completion for zsh, by _arguments (zshcompsys(1)). */
export function zshCompletion(tree: readonly CommandFacts[]): string {
  return `#compdef nodeqos
# Made from the program's own commands and options.

local curcontext="$curcontext" state line
typeset -A opt_args
local -a nodeqos_commands
nodeqos_commands=(
${tree.map(({ name, summary }) => `  ${quoted(`${name}:${summary}`)}`).join('\n')}
)

_arguments -C ${COMMON_OPTIONS.flatMap(aloneSpecs).join(' ')} '1:command:->command' '*::argument:->argument'

case $state in
  command) _describe -t commands 'nodeqos command' nodeqos_commands ;;
  argument)
    case $words[1] in
${tree.map(commandCase).join('\n')}
    esac
    ;;
esac
`;
}

function commandCase(command: CommandFacts): string {
  const specs = [
    ...command.options.flatMap(optionSpecs),
    ...COMMON_OPTIONS.flatMap(aloneSpecs),
    ...command.arguments.map(({ name, kind }) => quoted(`:${name}:${ACTIONS[kind]}`)),
  ];
  return `      ${command.name})
        _arguments \\
${specs.map((spec) => `          ${spec}`).join(' \\\n')}
        ;;`;
}

/** An option that ends the line: nothing else makes sense beside it. */
function aloneSpecs({ name, letter, describe }: OptionFacts): readonly string[] {
  return [`--${name}`, ...(letter === undefined ? [] : [`-${letter}`])].map((spelling) =>
    quoted(`(- *)${spelling}[${inBrackets(describe)}]`),
  );
}

function optionSpecs({ name, letter, describe, value }: OptionFacts): readonly string[] {
  const both = letter === undefined ? '' : `(--${name} -${letter})`;
  const choices = value?.choices ?? [];
  const action = choices.length > 0 ? `(${choices.join(' ')})` : ACTIONS[value?.kind ?? 'text'];
  const after = value === undefined ? '' : `:${name}:${action}`;
  return [
    quoted(`${both}--${name}${value === undefined ? '' : '='}[${inBrackets(describe)}]${after}`),
    ...(letter === undefined
      ? []
      : [quoted(`${both}-${letter}${value === undefined ? '' : '+'}[${inBrackets(describe)}]${after}`)]),
  ];
}

function inBrackets(text: string): string {
  return text.replaceAll(/[[\]\\]/g, '\\$&');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
