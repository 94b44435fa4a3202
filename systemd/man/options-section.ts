import type { ArgumentFacts, CommandFacts, OptionFacts } from '../completion/command-tree.ts';
import { roffText, taggedParagraph } from './roff.ts';

/** What stands for a value where there is nothing to choose from. */
const VALUE_NAMES: Readonly<Record<string, string>> = {
  root: 'DIR',
  'cgroup-root': 'DIR',
  'kubelet-config-dir': 'DIR',
  dir: 'DIR',
  pods: 'SOURCE',
  stats: 'SOURCE',
  listen: 'ADDRESS',
  'memory-capacity': 'QUANTITY',
  'page-size': 'BYTES',
  'throttling-factor': 'FACTOR',
  'node-name': 'NAME',
  interval: 'DURATION',
  duration: 'DURATION',
  count: 'N',
  kernel: 'RELEASE',
  'cgroup-driver': 'DRIVER',
  'reservation-policy': 'POLICY',
  protection: 'LAYOUT',
  output: 'FORMAT',
  compat: 'RULES',
};

/** How a command is called, for SYNOPSIS. */
export function synopsis(command: CommandFacts): string {
  const required = command.options.filter(({ isRequired }) => isRequired);
  return [
    `.B nodeqos ${roffText(command.name)}`,
    ...required.map((option) => `\\fB${spelling(option)}\\fR \\fI${valueName(option)}\\fR`),
    '[\\fIoptions\\fR]',
    ...command.arguments.map(({ name }) => `\\fI${roffText(name.toUpperCase())}\\fR`),
    '',
  ].join('\n');
}

/** A paragraph an option: its spellings, its value, what it does, what it can be, and its default. */
export function optionParagraphs(options: readonly OptionFacts[]): string {
  return options.map((option) => taggedParagraph(optionTag(option), optionBody(option))).join('');
}

/** A paragraph an argument. */
export function argumentParagraphs(list: readonly ArgumentFacts[]): string {
  return list
    .map(({ name, describe }) => taggedParagraph(`.I ${roffText(name.toUpperCase())}`, sentence(describe)))
    .join('');
}

function optionTag(option: OptionFacts): string {
  const letter = option.letter === undefined ? '' : `\\fB\\-${option.letter}\\fR, `;
  const value = option.value === undefined ? '' : ` \\fI${valueName(option)}\\fR`;
  return `${letter}\\fB${spelling(option)}\\fR${value}`;
}

function optionBody(option: OptionFacts): string {
  const [, text = '', inText] = /^(.*?)(?: \[default: (.*)\])?$/s.exec(option.describe) ?? [];
  const choices = option.value?.choices ?? [];
  const byDefault = inText ?? option.default;
  return [
    sentence(text),
    ...(choices.length === 0 ? [] : [`One of ${listed(choices)}.`]),
    ...(byDefault === undefined ? [] : [`Default: ${roffText(byDefault)}.`]),
    ...(option.isRequired ? ['Required.'] : []),
  ].join('\n');
}

function listed(choices: readonly string[]): string {
  return choices.map((choice) => `\\fB${roffText(choice)}\\fR`).join(', ');
}

function sentence(text: string): string {
  return `${roffText(text)}.`;
}

function spelling({ name }: OptionFacts): string {
  return roffText(`--${name}`);
}

function valueName({ name, value }: OptionFacts): string {
  return VALUE_NAMES[name] ?? (value?.kind === 'file' ? 'FILE' : roffText(name.toUpperCase()));
}
