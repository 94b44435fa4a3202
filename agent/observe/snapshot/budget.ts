import type { PodDisruptionBudget } from '../../model/cluster.ts';
import type { Fields } from '../fields.ts';
import { namespacedName } from './object-name.ts';
import { readLabelSelector } from './selectors.ts';

/**
 * Reads a policy/v1 PodDisruptionBudget as the scheduler does: what it allows is what its status says, and nothing without
 * one; a selector that is absent or empty matches nothing. Throws FieldFault.
 */
export function readBudget(budget: Fields): PodDisruptionBudget {
  const status = budget.map('status');
  const selector = readLabelSelector(budget.map('spec').map('selector'));
  return {
    ...namespacedName(budget, 'PodDisruptionBudget'),
    ...(selector === undefined ? {} : { selector }),
    disruptionsAllowed: Number(status.integer('disruptionsAllowed', 32) ?? 0n),
    disruptedPods: new Set(status.map('disruptedPods').keys()),
  };
}
