import type { SchedulingPod } from '../../model/cluster.ts';
import type { Load, Loads } from '../fit/load.ts';
import type { NodeRoom } from '../fit/node-room.ts';
import type { BudgetSplit, Budgets } from './budgets.ts';
import { BY_IMPORTANCE } from './importance.ts';
import type { PreemptionUnit } from './units.ts';

/** Who would have to leave one node, and who of those that might could stay. */
export interface NodeVictims {
  /** Most important first. */
  readonly victims: readonly PreemptionUnit[];
  /** In the order in which they were given back: those first whose end would break a budget. */
  readonly spared: readonly PreemptionUnit[];
  readonly violatingPods: ReadonlySet<SchedulingPod>;
}

/** One node as the search for victims needs it. */
export interface VictimSearch {
  readonly nodeName: string;
  /** What the node has left; it is changed while victims are looked for, and is spent afterwards. */
  readonly room: NodeRoom;
  /** The units that have pods here and are of lower effective priority than who comes. */
  readonly lower: readonly PreemptionUnit[];
  readonly incoming: Load;
  readonly loads: Loads;
}

/**
 * The victims of one node (scheduler: SelectVictimsOnNode): all lower units are taken away; if the pod then fits, they are
 * given back one by one, most important first and those ahead whose end would break a budget, and each one stays with
 * which the pod still fits. Only the pods on this node make room, though a unit goes with all of its pods. Undefined where
 * the pod does not fit even without all of them.
 */
export function victimsOnNode(search: VictimSearch, budgets: Budgets): NodeVictims | undefined {
  const { room, incoming, nodeName } = search;
  const loads = new Map(search.lower.map((unit) => [unit, loadsOn(nodeName, unit, search.loads)] as const));
  for (const load of [...loads.values()].flat()) room.remove(load);
  if (!room.fits(incoming)) return undefined;
  const split: BudgetSplit = budgets.split(search.lower.toSorted(BY_IMPORTANCE));
  const victims: PreemptionUnit[] = [];
  const spared: PreemptionUnit[] = [];
  for (const unit of [...split.violating, ...split.others]) {
    const own = loads.get(unit) ?? [];
    for (const load of own) room.add(load);
    if (room.fits(incoming)) {
      spared.push(unit);
    } else {
      for (const load of own) room.remove(load);
      victims.push(unit);
    }
  }
  return { victims: victims.toSorted(BY_IMPORTANCE), spared, violatingPods: split.violatingPods };
}

function loadsOn(nodeName: string, unit: PreemptionUnit, loads: Loads): readonly Load[] {
  return unit.pods.filter((pod) => pod.nodeName === nodeName).map((pod) => loads.of(pod));
}
