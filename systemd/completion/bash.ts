import { COMMON_OPTIONS, type CommandFacts, type OptionFacts } from './command-tree.ts';

/** The completion for bash, which bash-completion loads; it calls nothing of bash-completion's. */
export function bashCompletion(tree: readonly CommandFacts[]): string {
  const names = tree.map(({ name }) => name);
  return `# bash completion for nodeqos(8), made from its own commands and options

_nodeqos_options() {
  case $1 in
${tree.map((command) => `    ${command.name}) echo '${dashed([...command.options, ...COMMON_OPTIONS])}' ;;`).join('\n')}
  esac
}

# What may follow the option $2 of the command $1: words, or what kind of thing.
_nodeqos_values() {
  case "$1 $2" in
${tree.flatMap(valueCases).join('\n')}
  esac
}

# What stands for the argument of the command $1.
_nodeqos_arguments() {
  case $1 in
${tree.flatMap(argumentCases).join('\n')}
  esac
}

_nodeqos() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} command='' values i
  # --output=json is three words here.
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $prev == '=' ]]; then
    prev=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      ${names.join(' | ')})
        command=\${COMP_WORDS[i]}
        break
        ;;
    esac
  done

  if [[ -z $command ]]; then
    values='${[...names, dashed(COMMON_OPTIONS)].join(' ')}'
  else
    values=$(_nodeqos_values "$command" "$prev")
    if [[ -z $values && $cur != -* ]]; then
      values=$(_nodeqos_arguments "$command")
    fi
    if [[ -z $values ]]; then
      values=$(_nodeqos_options "$command")
    fi
  fi

  COMPREPLY=()
  case $values in
    @text) ;;
    @file)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      ;;
    @folder)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$cur")
      ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur") ;;
  esac
}

complete -F _nodeqos nodeqos
`;
}

function dashed(options: readonly OptionFacts[]): string {
  return options.flatMap(spellings).join(' ');
}

function spellings({ name, letter }: OptionFacts): readonly string[] {
  return [`--${name}`, ...(letter === undefined ? [] : [`-${letter}`])];
}

function valueCases(command: CommandFacts): readonly string[] {
  return command.options.flatMap((option) => {
    if (option.value === undefined) return [];
    const patterns = spellings(option).map((spelling) => `'${command.name} ${spelling}'`);
    const { choices, kind } = option.value;
    return [`    ${patterns.join(' | ')}) echo '${choices.length > 0 ? choices.join(' ') : `@${kind}`}' ;;`];
  });
}

function argumentCases(command: CommandFacts): readonly string[] {
  return command.arguments.slice(0, 1).map(({ kind }) => `    ${command.name}) echo '@${kind}' ;;`);
}
