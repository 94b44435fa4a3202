import type { Taint } from '../../model/node.ts';
import type { Pod } from '../../model/pod.ts';
import type { WaitingForTaint } from '../../model/tick.ts';
import { isFinished } from '../critical.ts';
import { byNumber, byText, orderedBy } from '../ordered-by.ts';
import { podName } from '../pod-name.ts';
import { noExecuteOutcome } from '../tolerate.ts';

/** When pods have to go for the node's NoExecute taints: monotonic milliseconds by pod. */
export interface TaintEvictionState {
  readonly deadlinesMs: ReadonlyMap<string, number>;
}

/** What one look sees: the node's taints, and the pods that are on it. */
export interface TaintObservation {
  readonly atMs: number;
  readonly taints: readonly Taint[];
  readonly pods: readonly Pod[];
}

/** The next state, and who has to go now. */
export interface TaintEvictionLook {
  readonly state: TaintEvictionState;
  /** Those whose time is over and that are not on their way already: the longest overdue first, then by namespace and name. */
  readonly due: readonly Pod[];
}

export const NO_TAINT_EVICTIONS: TaintEvictionState = { deadlinesMs: new Map() };

const MS_PER_SECOND = 1000;

/**
 * Decides at one look who has to go for NoExecute taints, as the taint-eviction-controller does. The time of a toleration
 * begins when the pod is first seen to need it, not when the taint was added. A deadline, once set, stands whatever finite
 * time the tolerations say later; it is dropped where no NoExecute taint is left or all are tolerated for ever, and is now
 * where one is not tolerated at all. A pod that is gone or has ended is forgotten.
 */
export function lookAtTaints(state: TaintEvictionState, observation: TaintObservation): TaintEvictionLook {
  const { atMs, taints, pods } = observation;
  const deadlinesMs = new Map<string, number>();
  const due: { readonly pod: Pod; readonly deadlineMs: number }[] = [];
  for (const pod of pods) {
    const deadlineMs = deadlineOf(pod, taints, atMs, state.deadlinesMs.get(identityOf(pod)));
    if (deadlineMs === undefined) continue;
    deadlinesMs.set(identityOf(pod), deadlineMs);
    if (deadlineMs <= atMs && !pod.terminating) due.push({ pod, deadlineMs });
  }
  return { state: { deadlinesMs }, due: due.toSorted(LONGEST_OVERDUE_FIRST).map(({ pod }) => pod) };
}

/** Those of the pods whose time runs or is over, the first to go first. */
export function waitingForTaints(
  { deadlinesMs }: TaintEvictionState,
  pods: readonly Pod[],
): readonly WaitingForTaint[] {
  return pods
    .flatMap((pod) => {
      const deadlineMs = deadlinesMs.get(identityOf(pod));
      return deadlineMs === undefined ? [] : [{ pod, deadlineMs }];
    })
    .toSorted(LONGEST_OVERDUE_FIRST)
    .map(({ pod: { namespace, name, uid }, deadlineMs }) => ({
      namespace,
      name,
      ...(uid === undefined ? {} : { uid }),
      evictAtMs: deadlineMs,
    }));
}

const LONGEST_OVERDUE_FIRST = orderedBy<{ readonly pod: Pod; readonly deadlineMs: number }>(
  byNumber(({ deadlineMs }) => deadlineMs),
  byText(({ pod }) => pod.namespace),
  byText(({ pod }) => pod.name),
  byText(({ pod }) => pod.uid ?? ''),
);

/** `scheduledMs` is the deadline that was set at an earlier look. */
function deadlineOf(
  pod: Pod,
  taints: readonly Taint[],
  atMs: number,
  scheduledMs: number | undefined,
): number | undefined {
  if (isFinished(pod)) return undefined;
  const { noExecute, evictAfterSeconds, decidedBy } = noExecuteOutcome(pod, taints);
  if (noExecute === 'stay') return undefined;
  // Whether it was overdue already decides who goes first.
  if (decidedBy?.toleration === null) return Math.min(atMs, scheduledMs ?? atMs);
  return scheduledMs ?? atMs + Number(evictAfterSeconds ?? 0n) * MS_PER_SECOND;
}

/** A pod that was made anew under its old name starts its time anew. */
function identityOf(pod: Pod): string {
  return pod.uid ?? podName(pod);
}
