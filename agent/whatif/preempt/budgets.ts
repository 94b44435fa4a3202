import type { PodDisruptionBudget, SchedulingPod } from '../../model/cluster.ts';
import { matchesLabelSelector } from '../fit/selectors.ts';
import { BY_NAME, type PreemptionUnit } from './units.ts';

/** Units in the order they came in, apart by whether their end would break a budget, and the pods that would break it. */
export interface BudgetSplit {
  readonly violating: readonly PreemptionUnit[];
  readonly others: readonly PreemptionUnit[];
  readonly violatingPods: ReadonlySet<SchedulingPod>;
}

/** The disruption budgets of a snapshot, by namespace. */
export class Budgets {
  readonly #byNamespace = new Map<string, PodDisruptionBudget[]>();

  constructor(budgets: readonly PodDisruptionBudget[]) {
    for (const budget of budgets.toSorted(BY_NAME)) {
      const others = this.#byNamespace.get(budget.namespace) ?? [];
      this.#byNamespace.set(budget.namespace, [...others, budget]);
    }
  }

  /**
   * Splits units, most important first, by whether budgets allow their end (scheduler:
   * filterPodsWithPDBViolation). Each pod uses up the budgets that match it, also if its unit is spared later; one whose
   * disruption a budget has counted already uses nothing of it. A budget used up makes the pod violating, and those after
   * it, in the order of names, are left as they are.
   */
  split(units: readonly PreemptionUnit[]): BudgetSplit {
    const left = new Map<PodDisruptionBudget, number>();
    const violatingPods = new Set<SchedulingPod>();
    for (const pod of units.flatMap(({ pods }) => pods)) {
      if (this.#isViolated(pod, left)) violatingPods.add(pod);
    }
    const isViolating = ({ pods }: PreemptionUnit): boolean => pods.some((pod) => violatingPods.has(pod));
    return {
      violating: units.filter(isViolating),
      others: units.filter((unit) => !isViolating(unit)),
      violatingPods,
    };
  }

  #isViolated(pod: SchedulingPod, left: Map<PodDisruptionBudget, number>): boolean {
    if (pod.labels.size === 0) return false;
    for (const budget of this.#byNamespace.get(pod.namespace) ?? []) {
      const isMatch = budget.selector !== undefined && matchesLabelSelector(budget.selector, pod.labels);
      if (!isMatch || budget.disruptedPods.has(pod.name)) continue;
      const rest = (left.get(budget) ?? budget.disruptionsAllowed) - 1;
      left.set(budget, rest);
      if (rest < 0) return true;
    }
    return false;
  }
}
