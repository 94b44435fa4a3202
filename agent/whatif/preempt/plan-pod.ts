import { type Parsed, parsed } from '../../../config/result.ts';
import { firstOf } from '../../decide/first-of.ts';
import { GroupTree } from '../../decide/group-tree.ts';
import { priorityOf } from '../../decide/priority.ts';
import { tolerationWarnings } from '../../decide/taints/toleration-warnings.ts';
import type { ClusterSnapshot, SchedulingPod } from '../../model/cluster.ts';
import { Loads, resourcesOf } from '../fit/load.ts';
import { type NodeFit, nodeFit } from '../fit/node-fit.ts';
import type { Lack, NodeRoom } from '../fit/node-room.ts';
import { nodeWarnings } from '../fit/node-warnings.ts';
import { type OccupiedNode, occupiedNodes, roomFor } from '../fit/occupied-nodes.ts';
import { affinityWarnings, budgetWarnings } from '../fit/selector-warnings.ts';
import { Budgets } from './budgets.ts';
import { feasible, infeasible } from './candidate.ts';
import { chooseCandidate } from './choice.ts';
import { heldBack, notEligible } from './eligibility.ts';
import { victimsOnNode } from './node-victims.ts';
import { notModelled } from './not-modelled.ts';
import { type PodReference, pendingPod } from './pending-pod.ts';
import type { PreemptionCandidate, PreemptionOutcome, PreemptionPlan } from './preemption-plan.ts';
import type { SchedulerRelease } from './scheduler-release.ts';
import { type PreemptionUnit, preemptionUnits, priorityFor } from './units.ts';

/** A node as it was found for the pending pod. */
interface TriedNode {
  readonly occupied: OccupiedNode;
  readonly room: NodeRoom | undefined;
  readonly fit: NodeFit;
}

/**
 * What the scheduler's default preemption would do for one pending pod: nothing where it fits or may not preempt, else the
 * victims on every node that can be made free, and the node that is chosen. All nodes are looked at, of which the scheduler
 * takes a sample. Refused: a pod that is not there or not pending, and a snapshot without nodes.
 */
export function planPodPreemption(
  snapshot: ClusterSnapshot,
  wanted: PodReference,
  release: SchedulerRelease,
): Parsed<PreemptionPlan> {
  const found = pendingPod(snapshot, wanted);
  return found.ok ? parsed(planFor(found.value, snapshot, release)) : found;
}

function planFor(pod: SchedulingPod, snapshot: ClusterSnapshot, release: SchedulerRelease): PreemptionPlan {
  const base = {
    notModelled: notModelled([pod], snapshot.pods),
    warnings: [
      ...tolerationWarnings(pod),
      ...affinityWarnings(pod),
      ...nodeWarnings(snapshot.nodes),
      ...budgetWarnings(snapshot.budgets),
    ],
  };
  const held = heldBack(pod);
  if (held !== undefined) return without('not-eligible', held, base);
  const loads = new Loads(resourcesOf([pod]));
  const tried = occupiedNodes(snapshot).map((occupied): TriedNode => {
    const room = roomFor([pod], priorityOf(pod), occupied, loads);
    return { occupied, room, fit: nodeFit({ pod, load: loads.of(pod) }, occupied.node, room) };
  });
  const fitting = tried.filter(({ fit }) => fit.kind === 'fits');
  const [first] = fitting;
  if (first !== undefined) {
    const reason = `it fits on ${first.occupied.node.name} without preemption (on ${fitting.length} of ${nodes(tried.length)})`;
    return without('not-needed', reason, base);
  }
  const tree = new GroupTree(snapshot);
  const why = notEligible(pod, nominatedNode(pod, tried, tree, release));
  if (why !== undefined) return without('not-eligible', why, base);
  const lower = lowerUnitsByNode(pod, preemptionUnits(snapshot.pods, tree, release));
  const budgets = new Budgets(snapshot.budgets);
  const candidates = tried.map((node) =>
    candidateOf(pod, node, { lower: lower.get(node.occupied.node.name) ?? [], loads, budgets }),
  );
  return chosenPlan(candidates, noneText(tried), base);
}

/** Why no node can be made free: a node that is short of something is told from those that the pod cannot have for good. */
function noneText(tried: readonly TriedNode[]): string {
  const none = `none of ${nodes(tried.length)} would take it`;
  const isAnyShort = tried.some(({ fit }) => fit.kind === 'unschedulable');
  return isAnyShort ? `${none} even without all pods of lower priority` : `${none}, whatever pods end there`;
}

type PlanBase = Pick<PreemptionPlan, 'notModelled' | 'warnings'>;

function without(outcome: PreemptionOutcome, reason: string, base: PlanBase): PreemptionPlan {
  return { outcome, reason, nominatedNode: null, tiedNodes: [], victims: [], candidates: [], ...base };
}

function chosenPlan(
  candidates: readonly PreemptionCandidate[],
  none: string,
  base: PlanBase,
): PreemptionPlan {
  const choice = chooseCandidate(candidates.filter((candidate) => candidate.feasible));
  if (choice === undefined) {
    return { ...without('no-candidate', `no node can be made free: ${none}`, base), candidates };
  }
  const { chosen, tiedNodes, because } = choice;
  const tie =
    tiedNodes.length === 0 ? '' : `; ${firstOf(tiedNodes)} are equal, and the scheduler takes any of them`;
  return {
    outcome: 'planned',
    reason: `${chosen.node} is made free: ${because}${tie}`,
    nominatedNode: chosen.node,
    tiedNodes,
    victims: chosen.victims,
    candidates,
    ...base,
  };
}

interface Means {
  readonly lower: readonly PreemptionUnit[];
  readonly loads: Loads;
  readonly budgets: Budgets;
}

/** Only a node that fails for what its pods hold is tried; the scheduler never preempts against taints and the like. */
function candidateOf(
  pod: SchedulingPod,
  { occupied, room, fit }: TriedNode,
  { lower, loads, budgets }: Means,
): PreemptionCandidate {
  const { name } = occupied.node;
  const reasons = fit.kind === 'fits' ? [] : fit.reasons;
  const because = reasons.join('; ');
  if (room === undefined || fit.kind !== 'unschedulable') {
    return infeasible(name, `${because}: the end of other pods would not help`);
  }
  if (lower.length === 0) return infeasible(name, `${because}, and no pod here is of lower priority`);
  const search = { nodeName: name, room, lower, incoming: loads.of(pod), loads };
  const victims = victimsOnNode(search, budgets);
  return victims === undefined
    ? infeasible(name, `${because}, and ${stillLacking(room.lacks(search.incoming))}`)
    : feasible(name, victims);
}

/** What the end of all pods of lower priority leaves to be wished for. Ports are taken or free; of all else there is too little. */
function stillLacking(lacks: readonly Lack[]): string {
  const ports = lacks.filter(({ kind }) => kind === 'port').length;
  const port = ports === 1 ? 'the port' : 'ports';
  return ports > 0 && ports === lacks.length
    ? `${port} would still be taken without all pods of lower priority`
    : 'still too little without all pods of lower priority';
}

/** The units that may be victims, by each node that they have pods on. */
function lowerUnitsByNode(
  pod: SchedulingPod,
  units: readonly PreemptionUnit[],
): ReadonlyMap<string, readonly PreemptionUnit[]> {
  const byNode = new Map<string, PreemptionUnit[]>();
  for (const unit of units) {
    if (unit.priority >= priorityOf(pod)) continue;
    for (const node of new Set(unit.pods.map(({ nodeName }) => nodeName ?? ''))) {
      const others = byNode.get(node);
      if (others === undefined) byNode.set(node, [unit]);
      else others.push(unit);
    }
  }
  return byNode;
}

function nominatedNode(
  pod: SchedulingPod,
  tried: readonly TriedNode[],
  tree: GroupTree,
  release: SchedulerRelease,
): Parameters<typeof notEligible>[1] {
  const node = tried.find(({ occupied }) => occupied.node.name === pod.nominatedNodeName);
  if (node === undefined) return undefined;
  const lower = node.occupied.pods.filter((one) => priorityFor(one, tree, release) < priorityOf(pod));
  return { fit: node.fit, lower };
}

function nodes(count: number): string {
  return count === 1 ? '1 node' : `${count} nodes`;
}
