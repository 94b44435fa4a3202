import { EXIT } from '../../agent/exit.ts';
import { taggedParagraph } from './roff.ts';

/** What each exit status means; the compiler names one that is missing. */
const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'What was asked for is done.',
  no: 'The answer is no: a configuration that is not valid (check), something to write (plan \\-\\-check).',
  usage: 'The command line is wrong.',
  badData: 'An input is wrong: a configuration, a manifest, a trace, a journal.',
  noInput: 'An input is not there.',
  unavailable: 'Something that is needed is not there, such as cgroup v2.',
  bug: 'A fault of nodeqos itself. NODEQOS_DEBUG=1 shows where.',
  ioError: 'Something could not be written, or was not written to its end.',
  tryAgain: 'Somebody else holds the lock: another nodeqos writes on this node.',
  notPermitted: 'Not permitted; most often it has to be root.',
  badConfiguration: 'The agent does not start with this configuration.',
};

/** The list of exit statuses, in order (sysexits.h(3head)). */
export function exitStatusParagraphs(): string {
  return Object.entries(EXIT)
    .map(([name, status]) => taggedParagraph(`.B ${status}`, MEANINGS[name as keyof typeof EXIT]))
    .join('');
}
