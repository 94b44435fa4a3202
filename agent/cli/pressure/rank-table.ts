import type { Signal } from '../../../config/signal.ts';
import { humanBytes } from '../../decide/human.ts';
import type { RankedPod } from '../../decide/rank.ts';
import { starvedResource } from '../../decide/usage.ts';
import { visible } from '../../report/visible.ts';
import { drawTable } from '../console/print.ts';
import { wrapText } from '../console/wrap.ts';

const HEAD = ['#', 'POD', 'CLASS', 'PRIORITY', 'USAGE', 'REQUEST', 'OVER', 'GOES'];
const RIGHT = [0, 3, 4, 5, 6];
/** Nobody can request process IDs, so the columns about requests would be empty. */
const HEAD_WITHOUT_REQUESTS = ['#', 'POD', 'CLASS', 'PRIORITY', 'PROCESSES', 'GOES'];
const RIGHT_WITHOUT_REQUESTS = [0, 3, 4];
const POD_COLUMN = 1;

/** The ranking for people: the numbers of each pod, then in words who goes first and who is passed over before. */
export function rankingTable(signal: Signal, order: readonly RankedPod[], columns: number): string {
  if (order.length === 0) return 'There is no pod to evict.\n';
  const resource = starvedResource(signal);
  const hasRequests = resource !== 'pids';
  const amount = resource === 'memory' || resource === 'disk' ? humanBytes : String;
  const shown = (value: bigint | null): string => (value === null ? '-' : value === 0n ? '0' : amount(value));
  let turn = 0;
  const rows = order.map((pod) => {
    if (pod.evictable) turn += 1;
    return [
      String(pod.rank),
      `${pod.namespace}/${pod.name}`,
      pod.qosClass,
      String(pod.priority),
      shown(pod.usage),
      ...(hasRequests ? [shown(pod.request), shown(pod.overRequest)] : []),
      pod.evictable ? `${turn}.` : 'no',
    ];
  });
  const table = drawTable(hasRequests ? HEAD : HEAD_WITHOUT_REQUESTS, rows, {
    right: hasRequests ? RIGHT : RIGHT_WITHOUT_REQUESTS,
    fit: { column: POD_COLUMN, columns },
  });
  return `${table}\n${outcome(signal, order, columns)}`;
}

function outcome(signal: Signal, order: readonly RankedPod[], columns: number): string {
  const at = order.findIndex((pod) => pod.evictable);
  const passedOver = (at < 0 ? order : order.slice(0, at)).map((pod) => sentence(pod, columns));
  const first = order[at];
  const head =
    first === undefined
      ? `When ${signal} falls below its threshold, nobody may go:`
      : `When ${signal} falls below its threshold, this pod goes first:\n${sentence(first, columns)}`;
  if (passedOver.length === 0) return `${head}\n`;
  return first === undefined
    ? `${[head, ...passedOver].join('\n')}\n`
    : `${[head, 'Ahead of it:', ...passedOver].join('\n')}\n`;
}

function sentence(pod: RankedPod, columns: number): string {
  return wrapText(visible(`  ${pod.namespace}/${pod.name}: ${pod.why}`), columns, 4);
}
