import { COMMON_OPTIONS, type CommandFacts, type OptionFacts } from './command-tree.ts';

/** The completion for fish. */
export function fishCompletion(tree: readonly CommandFacts[]): string {
  return [
    '# fish completion for nodeqos(8), made from its own commands and options',
    'complete -c nodeqos -f',
    ...COMMON_OPTIONS.map((option) => `complete -c nodeqos${optionWords(option)}`),
    ...tree.flatMap(commandLines),
    '',
  ].join('\n');
}

function commandLines(command: CommandFacts): readonly string[] {
  const within = `complete -c nodeqos -n '__fish_seen_subcommand_from ${command.name}'`;
  const takesFile = command.arguments.some(({ kind }) => kind === 'file');
  return [
    `complete -c nodeqos -n __fish_use_subcommand -a ${command.name} -d ${quoted(command.summary)}`,
    ...(takesFile ? [`${within} -F`] : []),
    ...command.options.map((option) => `${within}${optionWords(option)}`),
  ];
}

function optionWords({ name, letter, describe, value }: OptionFacts): string {
  const spelling = ` -l ${name}${letter === undefined ? '' : ` -s ${letter}`}`;
  return `${spelling}${valueWords(value)} -d ${quoted(describe)}`;
}

function valueWords(value: OptionFacts['value']): string {
  if (value === undefined) return '';
  if (value.choices.length > 0) return ` -x -a ${quoted(value.choices.join(' '))}`;
  if (value.kind === 'folder') return " -x -a '(__fish_complete_directories)'";
  return value.kind === 'file' ? ' -r -F' : ' -x';
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
