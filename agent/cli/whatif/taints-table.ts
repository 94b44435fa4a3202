import { tolerationText } from '../../decide/taint-sentences.ts';
import type { TaintReport } from '../../decide/taints/taint-report.ts';
import { taintText } from '../../decide/taints/taint-text.ts';
import type { PodTaintEntry } from '../../decide/tolerate.ts';
import type { Taint } from '../../model/node.ts';
import { visible } from '../../report/visible.ts';
import { drawTable } from '../console/print.ts';
import { wrapText } from '../console/wrap.ts';

const HEAD = ['POD', 'SCHEDULABLE', 'AVOIDED', 'STAYS', 'DECIDED BY'];
const RIGHT = [2];

/** A report for people: the taints, where they differ from the conditions, and then each pod. */
export function taintsTable(report: TaintReport, columns: number): string {
  const { node, taints, drift, pods } = report;
  return [
    taints.length === 0 ? `Node ${visible(node)} has no taints.\n` : `Taints of node ${visible(node)}:\n`,
    ...taints.map((taint) => `  ${visible(taintText(taint))}\n`),
    ...driftText('Missing, by its conditions', drift.missing, columns),
    ...driftText('Unexpected, by its conditions', drift.unexpected, columns),
    pods.length === 0
      ? ''
      : `\n${drawTable(HEAD, pods.map(row), { right: RIGHT, fit: { column: 0, columns } })}`,
  ].join('');
}

function driftText(what: string, taints: readonly Taint[], columns: number): readonly string[] {
  if (taints.length === 0) return [];
  return [`${wrapText(visible(`${what}: ${taints.map(taintText).join(', ')}`), columns, 2)}\n`];
}

function row(pod: PodTaintEntry): readonly string[] {
  const { firstUntolerated } = pod;
  return [
    `${pod.namespace}/${pod.name}`,
    firstUntolerated === null ? 'yes' : `no: ${taintText(firstUntolerated)}`,
    pod.preferNoScheduleCount === 0 ? '-' : String(pod.preferNoScheduleCount),
    stays(pod),
    decider(pod),
  ];
}

function stays({ noExecute, evictAfterSeconds }: PodTaintEntry): string {
  switch (noExecute) {
    case 'stay':
      return 'yes';
    case 'evict-now':
      return 'no: evicted at once';
    case 'evict-after':
      return `for ${evictAfterSeconds ?? 0n} s`;
  }
}

/** The taint that decides how long the pod stays, and the toleration that meets it. */
function decider({ decidedBy }: PodTaintEntry): string {
  if (decidedBy === null) return '-';
  const { taint, toleration } = decidedBy;
  return toleration === null ? taintText(taint) : `${taintText(taint)}, ${tolerationText(toleration)}`;
}
