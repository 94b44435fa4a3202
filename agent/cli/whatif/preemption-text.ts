import { podName } from '../../decide/pod-name.ts';
import { visible } from '../../report/visible.ts';
import type { GroupPreemptionPlan } from '../../whatif/group/group-plan.ts';
import type {
  PlannedVictim,
  PreemptionCandidate,
  PreemptionOutcome,
  PreemptionPlan,
} from '../../whatif/preempt/preemption-plan.ts';
import { drawTable } from '../console/print.ts';
import { wrapText } from '../console/wrap.ts';
import type { PreemptionQuestion } from './preempt-question.ts';

/**
 * A plan for people: what comes of it and why, who goes, who was spared, where the members of a group go, and each node with
 * what it would cost or why it does not help.
 */
export function preemptionText(
  question: PreemptionQuestion,
  plan: PreemptionPlan | GroupPreemptionPlan,
  columns: number,
): string {
  const line = (text: string): string => `${wrapText(visible(text), columns, 2)}\n`;
  const spared = sparedOf(question, plan);
  const refused = plan.candidates.filter(({ feasible }) => !feasible);
  return [
    line(`${whoAsks(question)} ${VERDICTS[plan.outcome]}: ${plan.reason}.`),
    ...(plan.notModelled.length === 0
      ? []
      : [line(`Not looked at, though it may matter: ${plan.notModelled.join(', ')}`)]),
    section(`Who would go, ${orderOf(question)} first:`, VICTIMS, plan.victims.map(victimRow), columns),
    section('Who may stay, in the order in which it was tried:', SPARED, spared.map(sparedRow), columns),
    section('Where the members go:', PLACES, placesOf(plan), columns),
    section(
      question.kind === 'group' ? 'Nodes that take members:' : 'Nodes that can be made free:',
      NODES,
      plan.candidates.filter(({ feasible }) => feasible).map(nodeRow),
      columns,
    ),
    ...(refused.length === 0 ? [] : ['\nNodes that do not help:\n']),
    ...refused.map(({ node, reason }) => line(`  ${node}: ${reason}`)),
  ].join('');
}

const VERDICTS: Readonly<Record<PreemptionOutcome, string>> = {
  'not-needed': 'needs no preemption',
  planned: 'preempts',
  'no-candidate': 'finds no place by preemption',
  'not-eligible': 'may not preempt',
};

interface Columns {
  readonly head: readonly string[];
  /** Columns of numbers, and the one of names that is cut where lines are too long. */
  readonly right: readonly number[];
}

const VICTIMS: Columns = { head: ['POD', 'NODE', 'PRIORITY', 'BUDGET'], right: [2] };
const SPARED: Columns = { head: ['POD', 'NODE', 'PRIORITY', 'WHY'], right: [2] };
const PLACES: Columns = { head: ['POD', 'NODE'], right: [] };
const NODES: Columns = {
  head: ['NODE', 'VICTIMS', 'AGAINST BUDGETS', 'HIGHEST PRIORITY', 'SUM', 'RUN SINCE'],
  right: [1, 2, 3, 4],
};

function section(
  title: string,
  { head, right }: Columns,
  rows: readonly (readonly string[])[],
  columns: number,
): string {
  return rows.length === 0
    ? ''
    : `\n${title}\n${drawTable(head, rows, { right, fit: { column: 0, columns } })}`;
}

function whoAsks(question: PreemptionQuestion): string {
  switch (question.kind) {
    case 'pod':
      return `Pod ${podName(question.pod)}`;
    case 'group':
      return `Group ${podName(question.group)}`;
    case 'kubelet':
      return `Pod ${podName(question.pod)} on node ${question.node}`;
  }
}

/** A kubelet knows no importance beyond the priority: groups and starts are the scheduler's. */
function orderOf({ kind }: PreemptionQuestion): string {
  return kind === 'kubelet' ? 'highest priority' : 'most important';
}

/** Those of the nodes that the plan is about: of the chosen one, or of all that take members. */
function sparedOf(
  question: PreemptionQuestion,
  { candidates, nominatedNode }: PreemptionPlan,
): readonly PlannedVictim[] {
  return candidates
    .filter(({ node }) => question.kind === 'group' || node === nominatedNode)
    .flatMap(({ spared }) => spared);
}

function victimRow(victim: PlannedVictim): readonly string[] {
  const { node, priority, violatesPdb } = victim;
  return [podName(victim), node, String(priority), violatesPdb ? 'broken' : '-'];
}

function sparedRow(spared: PlannedVictim): readonly string[] {
  const why = spared.violatesPdb
    ? 'there is room beside it; its budget put it first'
    : 'there is room beside it';
  return [podName(spared), spared.node, String(spared.priority), why];
}

function placesOf(plan: PreemptionPlan | GroupPreemptionPlan): readonly (readonly string[])[] {
  return 'placement' in plan ? plan.placement.map((place) => [podName(place), place.node]) : [];
}

function nodeRow(candidate: PreemptionCandidate): readonly string[] {
  return [
    candidate.node,
    String(candidate.victimCount),
    String(candidate.pdbViolations),
    String(candidate.highestVictimPriority ?? '-'),
    String(candidate.prioritySum),
    candidate.latestStartTime ?? '-',
  ];
}
