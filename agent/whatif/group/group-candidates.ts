import { firstOf } from '../../decide/first-of.ts';
import type { SchedulingPod } from '../../model/cluster.ts';
import type { Loads } from '../fit/load.ts';
import { type NodeFit, nodeFit } from '../fit/node-fit.ts';
import { groupedBy } from '../grouped-by.ts';
import { feasible, infeasible } from '../preempt/candidate.ts';
import type { NodeVictims } from '../preempt/node-victims.ts';
import type { PreemptionCandidate } from '../preempt/preemption-plan.ts';
import type { PreemptionUnit } from '../preempt/units.ts';
import type { ClusterVictims } from './cluster-victims.ts';
import type { GroupNode } from './group-scene.ts';
import type { PlacedMember } from './places.ts';

/** A member that stands for the others where a node is judged for which there is no placement. */
export interface Witness {
  readonly pod: SchedulingPod;
  readonly loads: Loads;
}

/** What each node gives to a placement: who goes there, who leaves, and who can stay beside them. */
export function placedCandidates(
  nodes: readonly GroupNode[],
  found: ClusterVictims,
  witness: Witness,
): readonly PreemptionCandidate[] {
  const members = groupedBy(found.placed, ({ site }) => site.occupied.node.name);
  const victims = unitsByNode(found.victims);
  const spared = unitsByNode(found.spared);
  return nodes.map((node) => {
    const { name } = node.occupied.node;
    const here = members.get(name) ?? [];
    const there: NodeVictims = {
      victims: victims.get(name) ?? [],
      spared: here.length === 0 ? [] : (spared.get(name) ?? []),
      violatingPods: found.violatingPods,
    };
    const candidate = feasible(name, there);
    if (here.length > 0) return { ...candidate, reason: `${takes(here)}; ${candidate.reason}` };
    const reason = leftAlone(node, witness, there.victims.length > 0);
    return { ...candidate, feasible: false, reason };
  });
}

/** Why a group finds too little, and by whom each node is judged: nobody where a given placement puts no member there. */
export interface GroupRefusal {
  readonly shortOf: 'minimum' | 'more-members';
  readonly witnessOn: (node: string) => Witness | undefined;
}

/** Why no node helps, judged after all that may go is gone. */
export function refusedCandidates(
  nodes: readonly GroupNode[],
  { shortOf, witnessOn }: GroupRefusal,
): readonly PreemptionCandidate[] {
  const but = shortOf === 'minimum' ? 'too few members find' : 'no more members find';
  return nodes.map((node) => {
    const { name } = node.occupied.node;
    const witness = witnessOn(name);
    if (witness === undefined) return infeasible(name, 'the placement puts no member there');
    const fit = fitOf(node, witness);
    switch (fit.kind) {
      case 'fits':
        return infeasible(name, `it would have room for ${witness.pod.name}, but ${but} room in the cluster`);
      case 'unschedulable':
        return infeasible(
          name,
          `${fit.reasons.join('; ')} for ${witness.pod.name}, even without all pods of lower priority`,
        );
      case 'unresolvable':
        return infeasible(name, `${fit.reasons.join('; ')}: the end of other pods would not help`);
    }
  });
}

function fitOf({ occupied, room }: GroupNode, { pod, loads }: Witness): NodeFit {
  return nodeFit({ pod, load: loads.of(pod) }, occupied.node, room);
}

function leftAlone(node: GroupNode, witness: Witness, hasVictims: boolean): string {
  const fit = fitOf(node, witness);
  const why =
    fit.kind === 'unresolvable'
      ? `no member goes there: ${fit.reasons.join('; ')}`
      : 'no member goes there, and its pods may stay';
  return hasVictims ? 'no member goes there; pods go that belong to groups which go whole' : why;
}

function takes(members: readonly PlacedMember[]): string {
  return `it takes ${firstOf(members.map(({ pod }) => pod.name))}`;
}

/** The units with what of them is on each node, in their order. */
function unitsByNode(units: readonly PreemptionUnit[]): ReadonlyMap<string, readonly PreemptionUnit[]> {
  const parts = units.flatMap((unit) =>
    [...groupedBy(unit.pods, ({ nodeName }) => nodeName)].map(([node, pods]) => ({
      node,
      part: { ...unit, pods },
    })),
  );
  const byNode = [...groupedBy(parts, ({ node }) => node)];
  return new Map(byNode.map(([node, ofNode]) => [node, ofNode.map(({ part }) => part)]));
}
