import { compareBytewise } from '../../../cgroup/byte-order.ts';
import type { PlanEntry } from '../../../cgroup/plan.ts';
import { counted } from '../../decide/human.ts';
import type { MemoryQosPlan } from '../../decide/memory-qos-plan.ts';
import { visible } from '../../report/visible.ts';

/** The longest name that a column is widened for. */
const NAME_COLUMNS = 20;
const HEAD: Row = { name: '', file: 'FILE', change: 'NOW -> WANTED', formula: 'WHY' };

interface Row {
  readonly name: string;
  readonly file: string;
  readonly change: string;
  readonly formula: string;
}

interface Group {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** The plan for people: the node first, then pod by pod, each value with its formula; defaults that stay are counted only. */
export function planTable(plan: MemoryQosPlan): string {
  const shown = plan.entries.filter((entry) => !isRestingDefault(entry));
  const groups = groupEntries(shown);
  const rows = [HEAD, ...groups.flatMap(({ rows: own }) => own)];
  const widths = {
    name: Math.min(NAME_COLUMNS, widest(rows.map(({ name }) => name))),
    file: widest(rows.map(({ file }) => file)),
    change: widest(rows.map(({ change }) => change)),
  };
  const line = ({ name, file, change, formula }: Row): string =>
    `  ${name.padEnd(widths.name)}  ${file.padEnd(widths.file)}  ${change.padEnd(widths.change)}  ${formula}`.trimEnd();
  const lines = [...headLines(plan), line(HEAD)];
  for (const group of groups) {
    lines.push(group.title, ...group.rows.map(line));
  }
  return `${[...lines, '', summaryLine(plan, plan.entries.length - shown.length)].join('\n')}\n`;
}

/** The short answer of a check, where a table would only repeat what is there. */
export function nothingToWrite({ summary: { keep, missing } }: MemoryQosPlan): string {
  const kept = counted(BigInt(keep), 'value is', 'values are');
  const rest = counted(BigInt(missing), 'belongs', 'belong');
  const absent = missing === 0 ? '' : `; ${rest} to cgroups that are not there`;
  return `Nothing is to be written: ${kept} as planned${absent}.\n`;
}

function headLines({ node, policy }: MemoryQosPlan): readonly string[] {
  const factor = policy.memoryThrottlingFactor ?? 'none';
  const capacity = node.memoryCapacityBytes ?? 'not known';
  const allocatable = node.memoryAllocatableBytes ?? 'not known';
  return [
    `memory capacity ${capacity}, allocatable ${allocatable}, page ${node.pageSizeBytes}, driver ${node.cgroupDriver}`,
    `throttling factor ${factor}, reservation policy ${policy.memoryReservationPolicy}, protection ${policy.protection}`,
    '',
  ];
}

function summaryLine({ summary }: MemoryQosPlan, hidden: number): string {
  const { write, keep, missing } = summary;
  const resting = hidden === 0 ? '' : ` (${hidden} of them defaults, not shown)`;
  return `${write} to write, ${keep} to keep${resting}, ${missing} missing`;
}

/** 0 and max that are there already are most of a plan and say nothing to a reader. */
function isRestingDefault({ action, file, desired }: PlanEntry): boolean {
  return action === 'keep' && desired === (file === 'memory.high' ? 'max' : '0');
}

/** Node and tiers first, then pods by namespace and name; within a pod, the pod and then its containers as they come. */
function groupEntries(entries: readonly PlanEntry[]): readonly Group[] {
  const groups = new Map<string, PlanEntry[]>();
  for (const entry of entries) {
    const key = groupKey(entry);
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, [entry]);
    } else {
      group.push(entry);
    }
  }
  return [...groups]
    .sort(([a], [b]) => compareBytewise(a, b))
    .map(([, own]) => ({
      title: groupTitle(own[0]),
      rows: own.sort(compareWithin).map(rowOf),
    }));
}

function groupKey({ namespace, pod, uid, cgroup }: PlanEntry): string {
  return pod === null ? `0\0${cgroup ?? ''}` : `1\0${namespace ?? ''}\0${pod}\0${uid ?? ''}`;
}

function groupTitle(entry: PlanEntry | undefined): string {
  if (entry === undefined) {
    return '';
  }
  const { namespace, pod, qosClass, cgroup } = entry;
  return pod === null
    ? visible(cgroup ?? 'cgroup not known')
    : `${visible(`${namespace ?? ''}/${pod}`)}  ${qosClass ?? ''}`;
}

const FILE_ORDER = ['memory.min', 'memory.low', 'memory.high'];

function compareWithin(a: PlanEntry, b: PlanEntry): number {
  return (
    compareBytewise(a.container ?? '', b.container ?? '') ||
    FILE_ORDER.indexOf(a.file) - FILE_ORDER.indexOf(b.file)
  );
}

function rowOf(entry: PlanEntry): Row {
  const { container, pod, file, current, desired, action, reason } = entry;
  const own = pod === null ? '' : '(pod)';
  return {
    name: shortened(visible(container ?? own)),
    file: file.slice('memory.'.length),
    change: changeText(action, current, desired),
    formula: withoutResult(reason, desired),
  };
}

/** The reason without the value itself, which stands in the column before it. */
function withoutResult(reason: string, desired: string): string {
  const prefix = `${desired}: `;
  return reason.startsWith(prefix) ? reason.slice(prefix.length) : reason.replace(` = ${desired}`, '');
}

function changeText(action: PlanEntry['action'], current: string | null, desired: string): string {
  switch (action) {
    case 'keep':
      return desired;
    case 'missing':
      return `(missing) ${desired}`;
    case 'write':
      return current === null ? `-> ${desired}` : `${current} -> ${desired}`;
  }
}

function shortened(name: string): string {
  return name.length > NAME_COLUMNS ? `${name.slice(0, NAME_COLUMNS - 1)}…` : name;
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}
