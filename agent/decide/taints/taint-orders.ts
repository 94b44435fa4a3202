import { formatDuration } from '../../../config/numbers/duration.ts';
import type { EvictionOrder, TaintCause, WithheldForTaint } from '../../model/eviction.ts';
import type { Taint } from '../../model/node.ts';
import type { Pod } from '../../model/pod.ts';
import { isFinished } from '../critical.ts';
import { deletionGraceSeconds } from '../eviction/grace.ts';
import type { SecondLook } from '../eviction/second-look.ts';
import { podKey } from '../eviction/state.ts';
import { noExecuteOutcome } from '../tolerate.ts';
import { passedOverBecause, type VictimRules } from '../victims.ts';
import { taintText } from './taint-text.ts';

/** What decides who of those that are due goes. */
export interface TaintChoiceRules {
  readonly taints: readonly Taint[];
  readonly victims: VictimRules;
  /** Why nobody may go at this look, whoever it is; undefined where somebody may. */
  readonly because: string | undefined;
  /** Whether a pod comes into question at all: one that does not run here, or was told of already, does not. */
  isWanted(order: EvictionOrder<TaintCause>): boolean;
}

/** Who goes for a taint at one look, and who stays in spite of one. */
export interface TaintChoice {
  /** One pod at most. */
  readonly order: EvictionOrder<TaintCause> | undefined;
  readonly withheld: readonly WithheldForTaint[];
  /** Whether there are others that may go at the next look. */
  readonly isMoreDue: boolean;
}

/**
 * The first of those that are due that may be evicted. The rules are those of every eviction, but for statistics, which no
 * taint asks for. Those who are on their way, or were a moment ago, are passed over without a word.
 */
export function chooseForTaints(due: readonly Pod[], rules: TaintChoiceRules): TaintChoice {
  const withheld: WithheldForTaint[] = [];
  const orders: EvictionOrder<TaintCause>[] = [];
  for (const pod of due) {
    const order = taintOrder(pod, rules.taints);
    if (order === undefined || !rules.isWanted(order) || rules.victims.heldBack?.(pod) !== undefined)
      continue;
    const why = passedOverBecause(pod, true, rules.victims) ?? rules.because;
    if (why === undefined) orders.push(order);
    else withheld.push({ pod, taint: order.cause.taint, why });
  }
  return { order: orders[0], withheld, isMoreDue: orders.length > 1 };
}

/** The eviction of a pod for the taint that decides; undefined where none has it go. */
function taintOrder(pod: Pod, taints: readonly Taint[]): EvictionOrder<TaintCause> | undefined {
  const { noExecute, decidedBy } = noExecuteOutcome(pod, taints);
  if (noExecute === 'stay' || decidedBy === null) return undefined;
  const { taint, toleration } = decidedBy;
  const whose = `The node has the taint ${taintText(taint)}`;
  const message =
    toleration === null
      ? `${whose}, which the pod does not tolerate.`
      : `${whose}, and the time for which the pod tolerates it is over.`;
  return {
    pod,
    cause: { kind: 'taint', taint, message },
    gracePeriodSeconds: deletionGraceSeconds(pod),
    usage: undefined,
    candidates: [],
    message,
  };
}

/** What is seen right before an eviction for a taint. */
export interface FreshTaints {
  readonly taints: readonly Taint[] | undefined;
  readonly pods: readonly Pod[] | undefined;
}

/**
 * Judges an eviction for a taint by what was read after it was decided, right before it is done: it stands as long as the
 * pod is there and not on its way, and a NoExecute taint still has it go. That its toleration is longer by now changes
 * nothing, as when its time began.
 */
export function secondTaintLook({ pod }: EvictionOrder<TaintCause>, fresh: FreshTaints): SecondLook {
  const { taints, pods } = fresh;
  if (taints === undefined || pods === undefined) return falls('taints and pods could not be read again');
  const now = pods.find((one) => podKey(one) === podKey(pod));
  if (now === undefined || isFinished(now)) return falls('it was looked for again and is gone');
  if (now.terminating) return falls('it was looked at again and is on its way');
  return noExecuteOutcome(now, taints).noExecute === 'stay'
    ? falls('the taints were read again and let it stay')
    : { stands: true };
}

/** The taints may be others by now. */
export function outdatedTaints(maxAgeMs: number): string {
  return `the taints of the node could not be read for longer than ${formatDuration(maxAgeMs)}`;
}

function falls(why: string): SecondLook {
  return { stands: false, why };
}
