import { readFileSync } from 'node:fs';
import { COMMON_OPTIONS, type CommandFacts, commandTree } from '../completion/command-tree.ts';
import { exitStatusParagraphs } from './exit-statuses.ts';
import { argumentParagraphs, optionParagraphs, synopsis } from './options-section.ts';
import { type Edition, roffText, taggedParagraph, titleLine } from './roff.ts';
import { settingKeys, settingParagraphs } from './setting-keys.ts';

const FOLDER = 'systemd/man';

/** A page as man(1) finds it: `nodeqos.8` in man8. */
export interface ManPage {
  readonly name: string;
  readonly section: 5 | 8;
  readonly text: string;
}

/**
 * All pages. What is prose lies beside this file, written by hand; commands, options, exit statuses and settings are the
 * program's own.
 */
export function manPages(edition: Edition): readonly ManPage[] {
  const tree = commandTree();
  return [
    {
      name: 'nodeqos',
      section: 8,
      text: filled('nodeqos.8.in', {
        TITLE: titleLine('nodeqos', 8, edition),
        COMMANDS: tree.map(commandParagraph).join(''),
        OPTIONS: optionParagraphs(COMMON_OPTIONS),
        'EXIT STATUS': exitStatusParagraphs(),
        'SEE ALSO': seeAlso(['nodeqos.yaml (5)', ...tree.map(({ name }) => `nodeqos-${name} (8)`)]),
      }),
    },
    {
      name: 'nodeqos.yaml',
      section: 5,
      text: filled('nodeqos.yaml.5.in', {
        TITLE: titleLine('nodeqos.yaml', 5, edition),
        KEYS: settingParagraphs(settingKeys()),
      }),
    },
    ...tree.map((command) => commandPage(command, edition)),
  ];
}

function commandPage(command: CommandFacts, edition: Edition): ManPage {
  const name = `nodeqos-${command.name}`;
  const given = [...command.options].sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
  return {
    name,
    section: 8,
    text: [
      titleLine(name, 8, edition),
      `.SH NAME\n${roffText(name)} \\- ${roffText(lowerFirst(command.summary))}\n`,
      `.SH SYNOPSIS\n${synopsis(command)}`,
      readFileSync(`${FOLDER}/commands/${command.name}.in`, 'utf8'),
      command.arguments.length === 0 ? '' : `.SH ARGUMENTS\n${argumentParagraphs(command.arguments)}`,
      `.SH OPTIONS\n${optionParagraphs([...given, ...COMMON_OPTIONS])}`,
      '.SH EXIT STATUS\nSee\n.BR nodeqos (8).\n',
      `.SH SEE ALSO\n${seeAlso(['nodeqos (8)', 'nodeqos.yaml (5)'])}`,
    ].join(''),
  };
}

function commandParagraph({ name, summary }: CommandFacts): string {
  return taggedParagraph(
    `.B ${roffText(name)}`,
    `${roffText(summary)}.\nSee\n.BR ${roffText(`nodeqos-${name}`)} (8).`,
  );
}

function seeAlso(pages: readonly string[]): string {
  return `${pages.map((page) => `.BR ${roffText(page)}`).join(',\n')}\n`;
}

/** Puts what is generated into the places of a template, each a line such as `@COMMANDS@`. Throws for one left over. */
function filled(template: string, parts: Readonly<Record<string, string>>): string {
  return readFileSync(`${FOLDER}/${template}`, 'utf8').replaceAll(
    /^@([A-Z ]+)@\n/gm,
    (_line, name: string) => {
      const part = parts[name];
      if (part === undefined) throw new Error(`${template}: nothing is known for @${name}@`);
      return part;
    },
  );
}

/** A summary in the place of a page's name begins small, unless it begins with an acronym. */
function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? `${text.slice(0, 1).toLowerCase()}${text.slice(1)}` : text;
}
