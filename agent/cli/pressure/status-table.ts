import { amountText, valueText } from '../../decide/amount-text.ts';
import { humanBytes, humanDuration } from '../../decide/human.ts';
import type { NodeStatus, SignalEntry, ThresholdEntry } from '../../decide/node-status.ts';
import { thresholdDistance } from '../../decide/thresholds.ts';
import type { AgentView } from '../../model/agent-view.ts';
import type { HostFacts } from '../../observe/host.ts';
import { visible } from '../../report/visible.ts';
import { drawTable } from '../console/print.ts';
import { wrapText } from '../console/wrap.ts';

export interface StatusView {
  readonly columns: number;
  readonly status: NodeStatus;
  readonly host: HostFacts | undefined;
  readonly hugepagesBytes: bigint | undefined;
  /** Wall clock, milliseconds. */
  readonly nowMs: number;
}

/** A status for people: signals with their thresholds and the distance to them, conditions, pressure, host. */
export function statusTable(view: StatusView): string {
  const { status } = view;
  const parts = [
    signalTable(view),
    ...unobserved(status).map((text) => line(view, text)),
    `Conditions: ${status.conditions.length === 0 ? 'none' : status.conditions.join(', ')}\n`,
    ...status.taints.map((taint) => `Taint that follows: ${taint.key}:${taint.effect}\n`),
    ...memoryNotes(view).map((text) => line(view, text)),
    ...pressureLine(status).map((text) => line(view, text)),
    ...agentLines(status.agent, view.nowMs).map((text) => line(view, text)),
    ...hostLine(view.host).map((text) => line(view, text)),
  ];
  return parts.join('');
}

/** One or more lines of text. */
function line(view: StatusView, text: string): string {
  return `${wrapText(text, view.columns, 2)}\n`;
}

function signalTable({ status, nowMs }: StatusView): string {
  const rows = status.signals.flatMap((entry) => {
    const own = status.thresholds.filter((threshold) => threshold.signal === entry.signal);
    return own.length === 0
      ? [signalRow(entry, undefined, nowMs)]
      : own.map((threshold) => signalRow(entry, threshold, nowMs));
  });
  if (rows.length === 0) return 'No signal was observed.\n';
  return `${drawTable(['SIGNAL', 'AVAILABLE', 'CAPACITY', 'THRESHOLD', 'DISTANCE', 'STATE'], rows, { right: [1, 2, 4] })}\n`;
}

function signalRow(
  entry: SignalEntry,
  threshold: ThresholdEntry | undefined,
  nowMs: number,
): readonly string[] {
  const numbers = [
    entry.signal,
    amountText(entry.signal, entry.available),
    amountText(entry.signal, entry.capacity),
  ];
  if (threshold === undefined) return [...numbers, 'none', '', ''];
  const distance = thresholdDistance(threshold.value, entry);
  return [
    ...numbers,
    `${threshold.type} ${valueText(entry.signal, threshold.value)}`,
    amountText(entry.signal, distance),
    stateText(threshold, nowMs),
  ];
}

function stateText({ met, metSinceMs, inGrace }: ThresholdEntry, nowMs: number): string {
  if (!met) return 'ok';
  const since =
    typeof metSinceMs === 'number' ? ` for ${humanDuration(Math.max(0, nowMs - metSinceMs))}` : '';
  return inGrace ? `met${since}, in its grace` : `MET${since}`;
}

/** Thresholds that nothing can be said about. */
function unobserved(status: NodeStatus): readonly string[] {
  const seen = new Set(status.signals.map(({ signal }) => signal));
  const missing = new Set(
    status.thresholds.map(({ signal }) => signal).filter((signal) => !seen.has(signal)),
  );
  if (missing.size === 0) return [];
  return [`Not observed, so neither met nor cleared: ${[...missing].toSorted().join(', ')}`];
}

/** The kubelet's number beside the kernel's, and words where they are far apart or huge pages are in the way. */
function memoryNotes(view: StatusView): readonly string[] {
  const memory = view.status.signals.find(({ signal }) => signal === 'memory.available');
  const kernels = view.status.memAvailableBytes;
  const notes: string[] = [];
  if (memory !== undefined && kernels !== undefined) {
    notes.push(
      `Memory available: ${humanBytes(memory.available)} as the kubelet counts, ${humanBytes(kernels)} as the kernel does (MemAvailable)`,
    );
    const gap = memory.available - kernels;
    if (isWide(gap, memory.capacity)) notes.push(gap > 0n ? KUBELET_SEES_MORE : KUBELET_SEES_LESS);
  }
  const hugepages = view.hugepagesBytes ?? 0n;
  if (hugepages > 0n) {
    notes.push(`${humanBytes(hugepages)} are set aside as huge pages; memory.available counts them as free.`);
  }
  return notes;
}

const KUBELET_SEES_MORE =
  "They are far apart: slab and other kernel memory are not in the kubelet's number, so memory can run out unseen.";
const KUBELET_SEES_LESS =
  'They are far apart: active page cache counts as used for the kubelet, so pods may go while memory could be reclaimed.';

/** A twentieth of the capacity. */
function isWide(gap: bigint, capacity: bigint): boolean {
  const distance = gap < 0n ? -gap : gap;
  return distance * 20n > capacity;
}

function pressureLine(status: NodeStatus): readonly string[] {
  if (status.psi === undefined) return [];
  if (status.psi === null) return ['Memory pressure (PSI): none offered by this kernel'];
  const { some, full } = status.psi;
  const fullText = full === undefined ? '' : `; all tasks ${full.avg10}%, ${full.avg60}%, ${full.avg300}%`;
  return [
    `Memory pressure (PSI), 10 s, 60 s, 300 s: some tasks ${some.avg10}%, ${some.avg60}%, ${some.avg300}%${fullText}`,
  ];
}

/** How the agent stands, where one runs. */
function agentLines(agent: AgentView | null | undefined, nowMs: number): readonly string[] {
  if (agent === null || agent === undefined) return [];
  const { pid, mode, lastTickAt, evictions, evictionsBecause, configurationValid, configurationError } =
    agent;
  if (mode === undefined) return [`Agent: PID ${pid}, which does not answer`];
  const last =
    lastTickAt === undefined
      ? ''
      : `, last tick ${humanDuration(Math.max(0, nowMs - Date.parse(lastTickAt)))} ago`;
  const held =
    evictions === 'on' || evictions === undefined
      ? ''
      : `; evictions are ${evictions}${evictionsBecause === undefined ? '' : `: ${evictionsBecause}`}`;
  return [
    visible(`Agent: ${mode}, PID ${pid}${last}${held}`),
    ...(configurationValid === false
      ? [
          visible(
            `Agent: its configuration was refused and the last good one stays: ${configurationError ?? ''}`,
          ),
        ]
      : []),
    ...(agent.troubles ?? []).map((trouble) => visible(`Agent: trouble with ${trouble}`)),
  ];
}

function hostLine(host: HostFacts | undefined): readonly string[] {
  if (host === undefined) return [];
  const facts = [
    host.operatingSystem,
    host.kernel === undefined ? undefined : `kernel ${host.kernel}`,
    host.architecture,
    host.cpuCount === undefined ? undefined : `${host.cpuCount} CPUs`,
    host.virtualisation === undefined || host.virtualisation === 'none'
      ? undefined
      : `on ${host.virtualisation}`,
  ].filter((fact) => fact !== undefined && fact !== '');
  return facts.length === 0 ? [] : [`Host: ${visible(facts.join(', '))}`];
}
