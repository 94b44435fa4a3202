import {
  CHECK_GROUPS,
  type CheckGroup,
  type CheckState,
  type DoctorCheck,
} from '../../decide/doctor/check.ts';
import type { DoctorReport } from '../../decide/doctor/report.ts';
import type { DoctorWork } from '../../decide/doctor/work.ts';
import { visible } from '../../report/visible.ts';
import { wrapText } from '../console/wrap.ts';

/** How a report is shown. */
export interface DoctorView {
  readonly columns: number;
  readonly inColour: boolean;
}

const WIDEST = 100;
const HEADINGS: Readonly<Record<CheckGroup, string>> = {
  kernel: 'Kernel and machine',
  cgroup: 'Cgroups',
  pressure: 'Memory pressure',
  systemd: 'Driver and systemd',
  kubelet: 'Kubelet',
  runtime: 'Container runtime',
  writers: 'Who else writes limits or ends processes',
  nodeqos: 'nodeqos itself',
};

type Colour = 'green' | 'yellow' | 'red' | 'grey' | 'bold';

const CODES: Readonly<Record<Colour, string>> = {
  green: '32',
  yellow: '33',
  red: '31',
  grey: '90',
  bold: '1',
};
const COLOUR_OF: Readonly<Record<CheckState | DoctorWork['works'], Colour>> = {
  ok: 'green',
  yes: 'green',
  warning: 'yellow',
  partly: 'yellow',
  missing: 'red',
  no: 'red',
  'not-known': 'grey',
};

/** `not-known` and a blank; the longest title and two. */
const STATE_WIDTH = 10;
const TITLE_WIDTH = 30;
const NARROWEST_TEXT = 24;

/** A report for people: the checks by group, what follows and what to do below those that are not ok, and what will work. */
export function doctorTable({ checks, works, summary }: DoctorReport, view: DoctorView): string {
  const { ok, warning, missing, notKnown } = summary;
  const groups = CHECK_GROUPS.map((group) => [
    heading(HEADINGS[group], view),
    ...checks.filter((check) => check.group === group).flatMap((check) => checkLines(check, view)),
  ]);
  const end = [
    heading('What will work', view),
    ...works.flatMap(({ works: how, title, because }) => row(how, title, because, view)),
  ];
  const counts = `${checks.length} checks: ${ok} ok, ${warning} with a warning, ${missing} missing, ${notKnown} not known`;
  return `${[...groups, end, [counts]].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function checkLines(check: DoctorCheck, view: DoctorView): readonly string[] {
  const { state, title, found, consequence, remedy } = check;
  const margin = ' '.repeat(STATE_WIDTH + 2);
  return [
    ...row(state, title, found, view),
    ...(consequence === null ? [] : hanging(`${margin}why: `, consequence, view)),
    ...(remedy === null ? [] : hanging(`${margin}do:  `, remedy, view)),
  ];
}

function row(
  state: CheckState | DoctorWork['works'],
  title: string,
  text: string,
  view: DoctorView,
): readonly string[] {
  const [first = '', ...rest] = hanging(
    `  ${state.padEnd(STATE_WIDTH)}${title.padEnd(TITLE_WIDTH)}`,
    text,
    view,
  );
  return [first.replace(state, coloured(state, COLOUR_OF[state], view)), ...rest];
}

/** A text after a head, its further lines below its first. */
function hanging(head: string, text: string, { columns }: DoctorView): readonly string[] {
  const width = Math.max(Math.min(columns, WIDEST) - head.length, NARROWEST_TEXT);
  const words = visible(text).split(' ');
  const lines = wrapText(words.map((word) => pieces(word, width).join(' ')).join(' '), width).split('\n');
  return lines.map((line, index) => `${index === 0 ? head : ' '.repeat(head.length)}${line}`);
}

/** The names of cgroups can be longer than a line. */
function pieces(word: string, width: number): readonly string[] {
  return word.length <= width ? [word] : [word.slice(0, width), ...pieces(word.slice(width), width)];
}

function heading(text: string, view: DoctorView): string {
  return coloured(text.toUpperCase(), 'bold', view);
}

function coloured(text: string, colour: Colour, { inColour }: DoctorView): string {
  return inColour ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
}
