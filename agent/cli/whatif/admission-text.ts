import { visible } from '../../report/visible.ts';
import type { AdmissionAnswer } from '../../whatif/kubelet/admission.ts';
import { drawTable } from '../console/print.ts';
import { wrapText } from '../console/wrap.ts';

/** An answer with whose and which node's it is. */
interface NamedAnswer extends AdmissionAnswer {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  readonly notModelled: readonly string[];
}

const HEAD = ['POD', 'CLASS', 'PRIORITY'];

/** The kubelet's answer for people: yes or no and why, whom it would end, and what was not looked at. */
export function admissionText(answer: NamedAnswer, columns: number): string {
  const pod = `Pod ${answer.namespace}/${answer.name}`;
  const verdict = answer.admit
    ? `${pod} would be let in on node ${answer.node}.`
    : `${pod} would be refused on node ${answer.node}: ${answer.reason ?? ''}. ${answer.message ?? ''}`;
  const unseen =
    answer.notModelled.length === 0
      ? []
      : [`Not looked at, though the pod uses it: ${answer.notModelled.join(', ')}`];
  return [verdict, ...unseen]
    .map((text) => `${wrapText(visible(text), columns, 2)}\n`)
    .concat(preempted(answer, columns))
    .join('');
}

function preempted({ preempts }: NamedAnswer, columns: number): readonly string[] {
  if (preempts.length === 0) return [];
  const rows = preempts.map(({ namespace, name, qosClass, priority }) => [
    `${namespace}/${name}`,
    qosClass,
    String(priority),
  ]);
  return [
    `\nFor it would be ended, ${preempts.length === 1 ? '' : 'each '}within its own grace period:\n`,
    drawTable(HEAD, rows, { right: [2], fit: { column: 0, columns } }),
  ];
}
