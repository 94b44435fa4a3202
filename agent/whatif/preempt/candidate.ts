import { instantOf } from '../../decide/instant.ts';
import type { SchedulingPod } from '../../model/cluster.ts';
import { byStart } from './by-start.ts';
import type { NodeVictims } from './node-victims.ts';
import type { PlannedVictim, PreemptionCandidate } from './preemption-plan.ts';
import type { PreemptionUnit } from './units.ts';

/** A node that cannot be made free, and why. */
export function infeasible(node: string, reason: string): PreemptionCandidate {
  return {
    node,
    feasible: false,
    reason,
    victims: [],
    spared: [],
    pdbViolations: 0,
    highestVictimPriority: null,
    prioritySum: 0,
    victimCount: 0,
    latestStartTime: null,
  };
}

/** A node that can be made free, and what that costs. */
export function feasible(node: string, { victims, spared, violatingPods }: NodeVictims): PreemptionCandidate {
  const planned = victims.flatMap((unit) => plannedVictims(unit, violatingPods));
  const highest = victims[0]?.priority ?? null;
  const pdbViolations = planned.filter(({ violatesPdb }) => violatesPdb).length;
  return {
    node,
    feasible: true,
    reason: `${pods(planned.length)} would go${violationText(pdbViolations, planned.length)}`,
    victims: planned,
    spared: spared.flatMap((unit) => plannedVictims(unit, violatingPods)),
    pdbViolations,
    highestVictimPriority: highest,
    prioritySum: planned.reduce((sum, { priority }) => sum + priority, 0),
    victimCount: planned.length,
    latestStartTime: earliestStart(victims.filter(({ priority }) => priority === highest)),
  };
}

/** The pods of a unit as a plan lists them. */
export function plannedVictims(
  { pods: members, priority }: PreemptionUnit,
  violatingPods: ReadonlySet<SchedulingPod>,
): readonly PlannedVictim[] {
  return members.map((pod) => ({
    namespace: pod.namespace,
    name: pod.name,
    node: pod.nodeName ?? '',
    priority,
    violatesPdb: violatingPods.has(pod),
  }));
}

function pods(count: number): string {
  return count === 1 ? '1 pod' : `${count} pods`;
}

function violationText(count: number, all: number): string {
  if (count === 0) return '';
  if (count < all) return `, ${count} of them against a disruption budget`;
  return `,${all === 1 ? '' : ' all of them'} against a disruption budget`;
}

/** The text of the earliest start, as the pod has it. */
function earliestStart(units: readonly PreemptionUnit[]): string | null {
  const pods = units.flatMap((unit) => unit.pods);
  const [first] = pods.toSorted(byStart(({ startTime = '' }) => instantOf(startTime)));
  return first?.startTime ?? null;
}
