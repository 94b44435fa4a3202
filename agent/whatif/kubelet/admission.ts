import { ZERO } from '../../../config/numbers/quantity.ts';
import { isCritical, isFinished } from '../../decide/critical.ts';
import { byText } from '../../decide/ordered-by.ts';
import { qosClassInForce } from '../../decide/qos-class.ts';
import { tolerates } from '../../decide/tolerate.ts';
import type { SchedulingPod } from '../../model/cluster.ts';
import type { NodeObject, Taint } from '../../model/node.ts';
import type { Pod, QosClass, Resources } from '../../model/pod.ts';
import { isSamePod } from '../fit/same-pod.ts';
import type { Requirement } from './critical-preemption.ts';
import { type KubeletPreemption, kubeletPreemption } from './kubelet-plan.ts';
import { type Refusal, refusalAtOnce, refusalsBesides } from './refusals.ts';
import type { Shortage } from './shortage.ts';

/** A pod that the kubelet would end for another one. */
interface PreemptedPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | null;
  readonly qosClass: QosClass;
  readonly priority: number;
}

/** The kubelet's answer to a pod, in its own words. */
export interface AdmissionAnswer {
  readonly admit: boolean;
  /** Null when the pod is let in. */
  readonly reason: string | null;
  readonly message: string | null;
  /** Who would be ended for it, in the kubelet's order. */
  readonly preempts: readonly PreemptedPod[];
}

const ADMITTED: AdmissionAnswer = { admit: true, reason: null, message: null, preempts: [] };
const PRESSURES = ['DiskPressure', 'MemoryPressure', 'PIDPressure'];
const MEMORY_PRESSURE: Taint = { key: 'node.kubernetes.io/memory-pressure', value: '', effect: 'NoSchedule' };

/**
 * Whether the kubelet of a node would let a pod in now (kubelet: the admit handlers of eviction manager and predicates):
 * pressure first, then the operating system, resources by name, node affinity and name, host ports, NoExecute taints. For a
 * critical pod that lacks resources alone others are ended. `pods` are those of the node; a node that does not say what pods
 * may request of it lets nobody in, as to the kubelet it has nothing.
 */
export function kubeletAdmission(
  pod: SchedulingPod,
  node: NodeObject,
  pods: readonly Pod[],
): AdmissionAnswer {
  const first = pressureRefusal(pod, node) ?? refusalAtOnce(pod, node);
  if (first !== undefined) return refusedFor(first);
  const others = pods.filter((other) => !isFinished(other) && !isSamePod(other, pod));
  const preemption = kubeletPreemption(pod, others, allocatableOf(node) ?? NOTHING);
  const [besides] = refusalsBesides(pod, node, others);
  if (preemption.outcome === 'not-eligible') return refusedFor(firstByName(preemption.shortages) ?? besides);
  // A critical pod is refused for what nobody's end would change, and nobody is ended then.
  if (besides !== undefined) return refusedFor(besides);
  return answerOf(preemption);
}

/** What pods may request of a node: status.allocatable, or the capacity where it is not stated, as the API fills it in. */
export function allocatableOf({ allocatable, capacity }: NodeObject): Resources | undefined {
  return [allocatable, capacity].find((resources) => resources !== undefined && resources.size > 0);
}

const NOTHING: Resources = new Map([['pods', ZERO]]);

function answerOf(preemption: KubeletPreemption): AdmissionAnswer {
  switch (preemption.outcome) {
    case 'planned':
      return { ...ADMITTED, preempts: preemption.victims.map(preempted) };
    case 'no-candidate':
      return refusedFor(noneToEnd(preemption.unmet));
    default:
      return ADMITTED;
  }
}

function refusedFor(refusal: Refusal | undefined): AdmissionAnswer {
  return refusal === undefined ? ADMITTED : { admit: false, ...refusal, preempts: [] };
}

/**
 * Critical pods come in under any pressure. Memory alone keeps out BestEffort pods that do not tolerate its taint; disk and
 * process IDs keep out all.
 */
function pressureRefusal(pod: Pod, node: NodeObject): Refusal | undefined {
  const pressures = PRESSURES.filter((type) =>
    node.conditions.some((condition) => condition.type === type && condition.status === 'True'),
  );
  if (pressures.length === 0 || isCritical(pod)) return undefined;
  const isMemoryAlone = pressures.length === 1 && pressures[0] === 'MemoryPressure';
  const maySufferMemory =
    qosClassInForce(pod) !== 'BestEffort' || pod.tolerations.some((one) => tolerates(one, MEMORY_PRESSURE));
  return isMemoryAlone && maySufferMemory
    ? undefined
    : { reason: 'Evicted', message: `The node had condition: [${pressures.join(' ')}].` };
}

function firstByName(all: readonly Shortage[]): Refusal | undefined {
  const [first] = all.toSorted(byText(({ resource }) => resource));
  if (first === undefined) return undefined;
  const { resource, requested, used, capacity } = first;
  return {
    reason: `OutOf${resource}`,
    message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  };
}

function noneToEnd(unmet: readonly Requirement[]): Refusal {
  const list = unmet.map(({ resource, amount }) => `(res: ${resource}, q: ${amount}), `).join('');
  return {
    reason: 'UnexpectedAdmissionError',
    message: `Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [${list}]`,
  };
}

function preempted(pod: Pod): PreemptedPod {
  return {
    namespace: pod.namespace,
    name: pod.name,
    uid: pod.uid ?? null,
    qosClass: qosClassInForce(pod),
    priority: pod.priority ?? 0,
  };
}
