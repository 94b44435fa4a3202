import { taintText } from './taints/taint-text.ts';
import type { PodTaintEntry, TolerationEntry } from './tolerate.ts';

/** What the node's taints mean for a pod, in sentences. */
export function taintSentences(entry: PodTaintEntry): readonly string[] {
  const scheduling =
    entry.firstUntolerated === null
      ? 'It tolerates every taint of the node that keeps pods away.'
      : `It would not be scheduled here again: it does not tolerate ${taintText(entry.firstUntolerated)}.`;
  const preferred =
    entry.preferNoScheduleCount === 0
      ? []
      : [
          `The scheduler avoids the node for it: PreferNoSchedule taints not tolerated: ${entry.preferNoScheduleCount}.`,
        ];
  return [scheduling, ...preferred, ...noExecuteSentences(entry)];
}

function noExecuteSentences(entry: PodTaintEntry): readonly string[] {
  const { decidedBy } = entry;
  if (decidedBy === null) return [];
  const taint = taintText(decidedBy.taint);
  const by =
    decidedBy.toleration === null ? '' : `, by its toleration ${tolerationText(decidedBy.toleration)}`;
  switch (entry.noExecute) {
    case 'stay':
      return [`It stays in spite of ${taint}${by}.`];
    case 'evict-after':
      return [`${taint} evicts it after ${entry.evictAfterSeconds ?? 0n} s${by}.`];
    case 'evict-now':
      return [`${taint} evicts it at once${by === '' ? ': nothing tolerates it' : by}.`];
  }
}

/** A toleration as a short text: `node.kubernetes.io/not-ready Exists NoExecute 300 s`. */
export function tolerationText(toleration: TolerationEntry): string {
  return [
    toleration.key ?? 'every key',
    toleration.operator,
    toleration.value,
    toleration.effect,
    toleration.tolerationSeconds === undefined ? undefined : `${toleration.tolerationSeconds} s`,
  ]
    .filter((part) => part !== undefined)
    .join(' ');
}
