import type { Taint } from '../model/node.ts';
import type { Pod, Toleration } from '../model/pod.ts';

/** A toleration as a document shows it; what is empty is left out. */
export interface TolerationEntry {
  readonly key?: string;
  readonly operator: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: bigint;
}

/** The taint that decides, and the toleration that meets it; null where none does. */
interface TaintDecision {
  readonly taint: Taint;
  readonly toleration: TolerationEntry | null;
}

/** What a node's taints mean for one pod, as an entry of `pods` in TaintReport. */
export interface PodTaintEntry {
  readonly namespace: string;
  readonly name: string;
  readonly schedulable: boolean;
  readonly firstUntolerated: Taint | null;
  readonly preferNoScheduleCount: number;
  readonly noExecute: 'stay' | 'evict-now' | 'evict-after';
  /** Only with evict-after. */
  readonly evictAfterSeconds: bigint | null;
  readonly decidedBy: TaintDecision | null;
}

/**
 * Whether a toleration matches a taint (scheduler: ToleratesTaint, with the alpha comparison operators on). What the API
 * would refuse matches nothing: an unknown operator, or tolerationSeconds with another effect than NoExecute.
 */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (isMalformed(toleration)) return false;
  if (toleration.effect !== '' && toleration.effect !== taint.effect) return false;
  if (toleration.key !== '' && toleration.key !== taint.key) return false;
  switch (toleration.operator) {
    case '':
    case 'Equal':
      return toleration.value === taint.value;
    case 'Exists':
      return true;
    case 'Gt':
      return compareNumbers(taint.value, toleration.value, (a, b) => a > b);
    case 'Lt':
      return compareNumbers(taint.value, toleration.value, (a, b) => a < b);
    default:
      return false;
  }
}

/** Scheduling and NoExecute outcome of a pod on a node with these taints (scheduler; taint-eviction-controller). */
export function podTaintEntry(pod: Pod, taints: readonly Taint[]): PodTaintEntry {
  const firstUntolerated = taints.find(
    (taint) =>
      (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') && !isTolerated(pod.tolerations, taint),
  );
  return {
    namespace: pod.namespace,
    name: pod.name,
    schedulable: firstUntolerated === undefined,
    firstUntolerated: firstUntolerated ?? null,
    preferNoScheduleCount: preferNoScheduleCount(pod, taints),
    ...noExecuteOutcome(pod, taints),
  };
}

function isMalformed(toleration: Toleration): boolean {
  return toleration.tolerationSeconds !== undefined && !['', 'NoExecute'].includes(toleration.effect);
}

const INT64_MAX = (1n << 63n) - 1n;
const INT64_MIN = -(1n << 63n);

function compareNumbers(
  taint: string,
  toleration: string,
  holds: (a: bigint, b: bigint) => boolean,
): boolean {
  const a = strictInteger(taint);
  const b = strictInteger(toleration);
  return a !== undefined && b !== undefined && holds(a, b);
}

/** An int64 in canonical decimal form: no leading zero, no plus sign, no blank; everything else is no number. */
function strictInteger(text: string): bigint | undefined {
  if (!/^(0|-?[1-9][0-9]*)$/.test(text)) return undefined;
  const integer = BigInt(text);
  return integer > INT64_MAX || integer < INT64_MIN ? undefined : integer;
}

function isTolerated(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some((toleration) => tolerates(toleration, taint));
}

/** Taints that the scheduler only avoids; tolerations of other effects do not help against them. */
function preferNoScheduleCount(pod: Pod, taints: readonly Taint[]): number {
  const considered = pod.tolerations.filter(({ effect }) => effect === '' || effect === 'PreferNoSchedule');
  return taints.filter((taint) => taint.effect === 'PreferNoSchedule' && !isTolerated(considered, taint))
    .length;
}

/** What a node's NoExecute taints do to a pod. */
export type NoExecuteOutcome = Pick<PodTaintEntry, 'noExecute' | 'evictAfterSeconds' | 'decidedBy'>;

/**
 * For each NoExecute taint the first toleration that matches counts, even if a later one is shorter. One taint without any
 * decides at once; else the shortest time of those that have one, 0 and less being now; else the pod stays
 * (taint-eviction-controller).
 */
export function noExecuteOutcome(pod: Pod, taints: readonly Taint[]): NoExecuteOutcome {
  const used = taints
    .filter((taint) => taint.effect === 'NoExecute')
    .map((taint) => ({
      taint,
      toleration: pod.tolerations.find((toleration) => tolerates(toleration, taint)),
    }));
  const untolerated = used.find(({ toleration }) => toleration === undefined);
  if (untolerated !== undefined) {
    return { noExecute: 'evict-now', evictAfterSeconds: null, decidedBy: decision(untolerated) };
  }
  const shortest = used.reduce<UsedToleration | undefined>(
    (least, one) => (secondsOf(one) < secondsOf(least) ? one : least),
    used[0],
  );
  if (shortest === undefined) return { noExecute: 'stay', evictAfterSeconds: null, decidedBy: null };
  const seconds = shortest.toleration?.tolerationSeconds;
  const decidedBy = decision(shortest);
  if (seconds === undefined) return { noExecute: 'stay', evictAfterSeconds: null, decidedBy };
  if (seconds <= 0n) return { noExecute: 'evict-now', evictAfterSeconds: null, decidedBy };
  return { noExecute: 'evict-after', evictAfterSeconds: seconds, decidedBy };
}

interface UsedToleration {
  readonly taint: Taint;
  readonly toleration: Toleration | undefined;
}

function secondsOf(used: UsedToleration | undefined): bigint | number {
  return used?.toleration?.tolerationSeconds ?? Number.POSITIVE_INFINITY;
}

function decision(used: UsedToleration): TaintDecision {
  return {
    taint: used.taint,
    toleration: used.toleration === undefined ? null : tolerationEntry(used.toleration),
  };
}

/** A toleration for a document, without what is empty. */
export function tolerationEntry(toleration: Toleration): TolerationEntry {
  return {
    ...(toleration.key === '' ? {} : { key: toleration.key }),
    operator: toleration.operator === '' ? 'Equal' : toleration.operator,
    ...(toleration.value === '' ? {} : { value: toleration.value }),
    ...(toleration.effect === '' ? {} : { effect: toleration.effect }),
    ...(toleration.tolerationSeconds === undefined
      ? {}
      : { tolerationSeconds: toleration.tolerationSeconds }),
  };
}
