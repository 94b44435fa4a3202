import { type Parsed, parsed, refused } from '../../../config/result.ts';
import { GroupTree } from '../../decide/group-tree.ts';
import { podName } from '../../decide/pod-name.ts';
import { tolerationWarnings } from '../../decide/taints/toleration-warnings.ts';
import type { ClusterSnapshot } from '../../model/cluster.ts';
import { nodeWarnings } from '../fit/node-warnings.ts';
import { affinityWarnings, budgetWarnings } from '../fit/selector-warnings.ts';
import { Budgets } from '../preempt/budgets.ts';
import { plannedVictims } from '../preempt/candidate.ts';
import { notModelled } from '../preempt/not-modelled.ts';
import type { PodReference } from '../preempt/pending-pod.ts';
import type { PreemptionOutcome } from '../preempt/preemption-plan.ts';
import type { SchedulerRelease } from '../preempt/scheduler-release.ts';
import { preemptionUnits } from '../preempt/units.ts';
import { type Attempt, attemptGroup } from './attempt.ts';
import { type ClusterVictims, victimsInCluster } from './cluster-victims.ts';
import { checkPlacement } from './given-placement.ts';
import { placedCandidates, refusedCandidates, type Witness } from './group-candidates.ts';
import { groupNotEligible } from './group-eligibility.ts';
import { hierarchyOf, isSettled } from './group-hierarchy.ts';
import type { GroupPreemptionPlan, MemberPlace } from './group-plan.ts';
import { type GroupScene, sceneOf } from './group-scene.ts';
import { groupWarnings, unmodelledOfGroups } from './group-warnings.ts';
import { type GivenPlacement, type PlacedMember, Places } from './places.ts';
import { groupCalled, tooDeepText, wantedGroup } from './preemptor-group.ts';

/** How a group is asked about. */
export interface GroupQuestion {
  readonly group: PodReference;
  readonly release: SchedulerRelease;
  /** Nodes by names of members; absent: first fit. Members that it does not name find no place. */
  readonly placement?: ReadonlyMap<string, string>;
}

/**
 * What workload-aware preemption would do for a group with pods that look for a node: nothing where enough of them fit or the
 * group may not preempt, else the victims in the whole cluster. Only the root of a hierarchy preempts. The scheduler's own
 * placement cannot be known, so that it is first fit in name order of nodes, or given. Refused: a group that is not there or
 * has no pod that waits, a placement of others than those, and a snapshot without nodes.
 */
export function planGroupPreemption(
  snapshot: ClusterSnapshot,
  question: GroupQuestion,
): Parsed<GroupPreemptionPlan> {
  const { release } = question;
  // 1.36 has no composite groups: whatever names one as its parent stands alone there.
  const compositePodGroups = release === '1.36' ? [] : snapshot.compositePodGroups;
  const tree = new GroupTree({ podGroups: snapshot.podGroups, compositePodGroups });
  const wanted = wantedGroup(snapshot, question.group, tree, release);
  if (!wanted.ok) return wanted;
  const top = tree.withAncestors(wanted.value).at(-1) ?? wanted.value;
  const root = hierarchyOf(top, { ...snapshot, compositePodGroups });
  const tooDeep = tooDeepText(root);
  if (tooDeep !== undefined) return refused(tooDeep);
  const scene = sceneOf(root, { snapshot, tree, release });
  const { pending } = scene;
  const core = top === wanted.value ? planForRoot(scene, question) : parsed(toldToAskFor(scene));
  if (!core.ok) return core;
  return parsed({
    ...core.value,
    notModelled: [...notModelled(pending, snapshot.pods), ...unmodelledOfGroups(root)],
    warnings: [
      ...pending.flatMap(tolerationWarnings),
      ...pending.flatMap(affinityWarnings),
      ...nodeWarnings(snapshot.nodes),
      ...budgetWarnings(snapshot.budgets),
      ...groupWarnings(root, release),
    ],
  });
}

type PlanCore = Omit<GroupPreemptionPlan, 'notModelled' | 'warnings'>;

function without(outcome: PreemptionOutcome, reason: string): PlanCore {
  return {
    outcome,
    reason,
    nominatedNode: null,
    tiedNodes: [],
    victims: [],
    candidates: [],
    placement: [],
  };
}

function toldToAskFor({ root: { group } }: GroupScene): PlanCore {
  const reason = `it belongs to the ${groupCalled(group)}, which preempts as a whole; ask with --group ${podName(group)}`;
  return without('not-eligible', reason);
}

function planForRoot(scene: GroupScene, { placement }: GroupQuestion): Parsed<PlanCore> {
  const { root, pending, gated, loads, snapshot } = scene;
  const [first] = pending;
  if (first === undefined) {
    return gated > 0
      ? parsed(without('not-eligible', 'the scheduling gates of its pods hold them back'))
      : refused(`no pod of ${groupCalled(root.group)} is pending; name a group that waits for nodes`);
  }
  if (placement === undefined) {
    return parsed(planAmong(scene, { pod: first, loads }, undefined));
  }
  const given = checkPlacement(placement, root.group.namespace, pending, snapshot);
  return given.ok ? parsed(planAmong(scene, { pod: first, loads }, given.value)) : given;
}

function planAmong(scene: GroupScene, witness: Witness, given: GivenPlacement | undefined): PlanCore {
  const { root, snapshot, tree, priority } = scene;
  const sites = scene.nodes.flatMap(({ occupied, room }) => (room === undefined ? [] : [{ occupied, room }]));
  const places = new Places(sites, scene.loads, given);
  const assumed = `placement assumed: ${given === undefined ? 'first fit in name order of nodes' : 'as it was given'}`;
  const attempt = attemptGroup(root, places);
  if (attempt.verdict === 'success' && !wantsMore(scene, attempt)) {
    return { ...without('not-needed', enoughText(scene, attempt, assumed)), ...placementOf(attempt.placed) };
  }
  places.free(attempt.placed);
  const why =
    attempt.verdict === 'unresolvable'
      ? `it has too few members for its minimum, whatever room is made${gatedText(scene)}`
      : groupNotEligible(scene);
  if (why !== undefined) return without('not-eligible', why);
  // 1.36 too goes by groups where a group preempts; it is single pods that it preempts without regard to them.
  const units = preemptionUnits(snapshot.pods, tree, '1.37');
  const lower = units.filter((unit) => unit.priority < priority);
  if (lower.length === 0) {
    return without('no-candidate', `no pod of the cluster is of lower priority; ${assumed}`);
  }
  const mayMove = given === undefined && scene.release === '1.36';
  const search = { root, places, lower, placedWithout: attempt.placed.length, mayMove };
  const found = victimsInCluster(search, new Budgets(snapshot.budgets));
  if (found !== undefined) return planFor(scene, found, witness, assumed);
  return noCandidate(scene, places, given, assumed);
}

/** Asked with all lower pods taken away: either the group misses its minimum even so, or it gets no more members than it has. */
function noCandidate(
  scene: GroupScene,
  places: Places,
  given: GivenPlacement | undefined,
  assumed: string,
): PlanCore {
  const { verdict, placed } = attemptGroup(scene.root, places);
  places.free(placed);
  const shortOf = verdict === 'success' ? 'more-members' : 'minimum';
  const who =
    shortOf === 'minimum'
      ? 'too few of its members for its minimum would find a place'
      : 'no more of its members would find a place';
  const witnessOn = (node: string): Witness | undefined => {
    const pod = scene.pending.find((one) => given === undefined || given.get(podName(one)) === node);
    return pod && { pod, loads: scene.loads };
  };
  return {
    ...without('no-candidate', `${who} even without all pods of lower priority; ${assumed}`),
    candidates: refusedCandidates(scene.nodes, { shortOf, witnessOn }),
  };
}

/** A group that had enough members before preempts for those that are left over; one that has just got enough does not. */
function wantsMore({ root, pending }: GroupScene, { placed }: Attempt): boolean {
  if (!isSettled(root)) return false;
  return root.group.policy?.kind === 'gang' ? placed.length < pending.length : placed.length === 0;
}

function planFor(
  { nodes, root }: GroupScene,
  found: ClusterVictims,
  witness: Witness,
  assumed: string,
): PlanCore {
  const { victims, violatingPods, placed } = found;
  if (victims.length === 0) {
    const reason = `${members(placed.length)} would fit without preemption, though not by first fit as things are; ${assumed}`;
    return { ...without('not-needed', reason), ...placementOf(placed) };
  }
  const planned = victims.flatMap((unit) => plannedVictims(unit, violatingPods));
  const goes = planned.length === 1 ? '1 pod goes' : `${planned.length} pods go`;
  return {
    ...without(
      'planned',
      `room is made for ${members(placed.length)} of ${groupCalled(root.group)}, and ${goes}; ${assumed}`,
    ),
    victims: planned,
    candidates: placedCandidates(nodes, found, witness),
    ...placementOf(placed),
  };
}

function enoughText({ pending }: GroupScene, { placed }: Attempt, assumed: string): string {
  const who = `${placed.length} of ${members(pending.length)} that ${pending.length === 1 ? 'waits' : 'wait'}`;
  return `${who} ${placed.length === 1 ? 'fits' : 'fit'} without preemption, and that is enough; ${assumed}`;
}

function gatedText({ gated }: GroupScene): string {
  if (gated === 0) return '';
  return gated === 1 ? '; a scheduling gate holds one back' : `; scheduling gates hold ${gated} of them back`;
}

function placementOf(placed: readonly PlacedMember[]): { readonly placement: readonly MemberPlace[] } {
  const placement = placed.map(
    ({ pod: { namespace, name }, site }): MemberPlace => ({ namespace, name, node: site.occupied.node.name }),
  );
  return { placement };
}

function members(count: number): string {
  return count === 1 ? '1 member' : `${count} members`;
}
