import { podWarning, type Warning, warning } from '../../../cgroup/warning.ts';
import { podName } from '../../decide/pod-name.ts';
import type { PodDisruptionBudget, SchedulingPod } from '../../model/cluster.ts';
import { labelSelectorFault, nodeTermsFault } from './selector-faults.ts';

/** What the API would refuse of a pod's required node affinity; a file that it never saw may have it. */
export function affinityWarnings(pod: SchedulingPod): readonly Warning[] {
  const { requiredNodeTerms: terms } = pod;
  const fault = terms && nodeTermsFault(terms);
  if (fault === undefined) return [];
  const called = podName(pod);
  const message = `pod ${called}: its required node affinity ${fault}; the API refuses that, and no node meets ${terms?.length === 0 ? 'it' : 'such a term'} here`;
  return [podWarning('node-affinity-refused', called, message)];
}

/** Which budgets have a selector that the API would refuse: they protect nobody. */
export function budgetWarnings(budgets: readonly PodDisruptionBudget[]): readonly Warning[] {
  return budgets.flatMap(({ namespace, name, selector }) => {
    const fault = selector && labelSelectorFault(selector);
    if (fault === undefined) return [];
    const message = `PodDisruptionBudget ${namespace}/${name}: its selector ${fault}; the API refuses that, and it matches no pod here`;
    return [warning('budget-selector-refused', message)];
  });
}
