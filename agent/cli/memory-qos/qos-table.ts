import { humanBytes } from '../../decide/human.ts';
import type { PodEntry } from '../../decide/pod-entry.ts';
import { drawTable } from '../console/print.ts';

/** The pods of a QosReport for people: short numbers, and below them how to read them. */
export function qosTable(pods: readonly PodEntry[], columns: number): string {
  if (pods.length === 0) {
    return 'no pods\n';
  }
  const rows = pods.map((pod) => [
    `${pod.namespace}/${pod.name}`,
    className(pod),
    cores(pod.cpuRequestMilli),
    shortBytes(pod.memoryRequestBytes),
    pod.memoryLimitBytes === null ? '-' : shortBytes(pod.memoryLimitBytes),
    String(pod.priority),
    pod.critical ? 'yes' : 'no',
    oomScores(pod),
  ]);
  return `${drawTable(HEAD, rows, { right: RIGHT, fit: { column: 0, columns } })}\n${LEGEND}\n`;
}

const HEAD = ['POD', 'CLASS', 'CPU', 'MEMORY', 'LIMIT', 'PRIORITY', 'CRITICAL', 'OOM'];
const RIGHT = [2, 3, 4, 5, 7];
const LEGEND = [
  'CPU and MEMORY: what the pod requests, in cores (m: thousandths) and bytes. LIMIT: its memory limit,',
  '- if it has none. OOM: oom_score_adj of its containers, lowest to highest; - without a capacity.',
  'Sizes are rounded; exact numbers, and those of each container: -o json',
].join('\n');

/** The computed class, and what the status says where that is another one. */
function className(pod: PodEntry): string {
  return pod.reportedQosClass === null || pod.reportedQosClass === pod.qosClass
    ? pod.qosClass
    : `${pod.qosClass} (status: ${pod.reportedQosClass})`;
}

/** Thousandths of a core as Kubernetes writes them: 250m, 2. */
function cores(milli: bigint): string {
  return milli % 1000n === 0n ? String(milli / 1000n) : `${milli}m`;
}

function shortBytes(bytes: bigint): string {
  return bytes === 0n ? '0' : humanBytes(bytes);
}

function oomScores(pod: PodEntry): string {
  const scores = pod.containers.flatMap(({ oomScoreAdj }) => oomScoreAdj ?? []);
  if (scores.length === 0) {
    return '-';
  }
  const lowest = Math.min(...scores);
  const highest = Math.max(...scores);
  return lowest === highest ? String(lowest) : `${lowest} to ${highest}`;
}
