import { type Parsed, parsed, refused } from '../../../config/result.ts';
import { byNumber, reversed } from '../../decide/ordered-by.ts';
import { podName } from '../../decide/pod-name.ts';
import { priorityOf } from '../../decide/priority.ts';
import type { ClusterNode, ClusterSnapshot, SchedulingPod } from '../../model/cluster.ts';
import { amountText } from '../fit/lack-text.ts';
import { nodeWarnings } from '../fit/node-warnings.ts';
import { budgetWarnings } from '../fit/selector-warnings.ts';
import { Budgets } from '../preempt/budgets.ts';
import { feasible, infeasible } from '../preempt/candidate.ts';
import type { PodReference } from '../preempt/pending-pod.ts';
import type { PreemptionCandidate, PreemptionOutcome, PreemptionPlan } from '../preempt/preemption-plan.ts';
import { earliestStart, type PreemptionUnit } from '../preempt/units.ts';
import { type KubeletPreemption, kubeletPreemption } from './kubelet-plan.ts';

/**
 * What the kubelet of a node would do for a pod that is to be let in there: whom it ends where the pod is critical and lacks
 * resources. Nothing else of the node is looked at. Budgets do not hold the kubelet back, and the plan says which ones it
 * breaks. Refused: a pod or a node that the snapshot does not hold, and a pod that runs or belongs to another node.
 */
export function planKubeletPreemption(
  snapshot: ClusterSnapshot,
  wanted: PodReference,
  nodeName: string,
): Parsed<PreemptionPlan> {
  const node = snapshot.nodes.find(({ name }) => name === nodeName);
  if (node === undefined) return refused(`the snapshot holds no node ${nodeName}; name one that it holds`);
  const called = podName(wanted);
  const pod = snapshot.pods.find((one) => podName(one) === called);
  if (pod === undefined) {
    return refused(`the snapshot holds no pod ${called}; name one that is to be let in`);
  }
  const why = notIncoming(pod, nodeName);
  return why === undefined
    ? parsed(planFor(pod, node, snapshot))
    : refused(`pod ${called} is not to be let in on node ${nodeName}: ${why}; name one that is`);
}

function notIncoming({ nodeName, phase, terminating }: SchedulingPod, wanted: string): string | undefined {
  if (nodeName !== undefined && nodeName !== wanted) return `it is on node ${nodeName}`;
  if (phase !== undefined && phase !== 'Pending') return `its phase is ${phase}`;
  return terminating ? 'it is being deleted' : undefined;
}

function planFor(pod: SchedulingPod, node: ClusterNode, snapshot: ClusterSnapshot): PreemptionPlan {
  const base = { notModelled: [], warnings: [...nodeWarnings([node]), ...budgetWarnings(snapshot.budgets)] };
  if (node.allocatable === undefined) {
    const reason = `node ${node.name} does not say what pods may request of it`;
    return { ...without('no-candidate', reason, infeasible(node.name, reason)), ...base };
  }
  const there = snapshot.pods.filter(({ nodeName }) => nodeName === node.name);
  const preemption = kubeletPreemption(pod, there, node.allocatable);
  return { ...planOf(preemption, node.name, new Budgets(snapshot.budgets)), ...base };
}

type PlanCore = Omit<PreemptionPlan, 'notModelled' | 'warnings'>;

function planOf(preemption: KubeletPreemption<SchedulingPod>, node: string, budgets: Budgets): PlanCore {
  switch (preemption.outcome) {
    case 'not-needed':
      return without('not-needed', `it fits on ${node} as it is`);
    case 'not-eligible': {
      const lacks = preemption.shortages.map(({ resource, requested, used, capacity }) =>
        ofResource(resource, requested - (capacity - used)),
      );
      return without(
        'not-eligible',
        `it is not critical, and the kubelet ends others for critical pods alone; ${node} lacks ${lacks.join(', ')}`,
      );
    }
    case 'no-candidate': {
      const lacks = preemption.unmet.map(({ resource, amount }) => ofResource(resource, amount));
      const reason = `even if all went who may, ${node} would lack ${lacks.join(', ')}`;
      return without('no-candidate', reason, infeasible(node, reason));
    }
    case 'planned':
      return planned(preemption.victims, node, budgets);
  }
}

function without(
  outcome: PreemptionOutcome,
  reason: string,
  ...candidates: readonly PreemptionCandidate[]
): PlanCore {
  return { outcome, reason, nominatedNode: null, tiedNodes: [], victims: [], candidates };
}

/** Victims by priority, in each as the kubelet chooses them. */
function planned(victims: readonly SchedulingPod[], node: string, budgets: Budgets): PlanCore {
  const units = victims.map(unitOf).toSorted(reversed(byNumber(({ priority }) => priority)));
  const { violatingPods } = budgets.split(units);
  const candidate = feasible(node, { victims: units, spared: [], violatingPods });
  const whom =
    victims.length === 1 ? 'it within its own grace period' : 'them, each within its own grace period';
  const reason = `the kubelet of ${node} ends ${whom}, whatever budgets say`;
  return { ...without('planned', reason, candidate), victims: candidate.victims };
}

function unitOf(pod: SchedulingPod): PreemptionUnit {
  const { namespace, name } = pod;
  return { namespace, name, rank: 1, priority: priorityOf(pod), pods: [pod], ...earliestStart([pod]) };
}

/** `100m of cpu`, `1 of pods`. */
function ofResource(resource: string, amount: bigint): string {
  return `${amountText(resource, amount)} of ${resource}`;
}
