import type { PreemptionPolicy } from '../../model/cluster.ts';
import { FieldFault, type Fields } from '../fields.ts';

/** `preemptionPolicy` of a pod or group as a part of it: empty where it is absent. Throws FieldFault for one nobody knows. */
export function readPreemptionPolicy(spec: Fields): { readonly preemptionPolicy?: PreemptionPolicy } {
  const policy = spec.text('preemptionPolicy');
  switch (policy) {
    case undefined:
      return {};
    case 'Never':
    case 'PreemptLowerPriority':
      return { preemptionPolicy: policy };
    default:
      throw new FieldFault(
        [...spec.path, 'preemptionPolicy'],
        `${JSON.stringify(policy)} is not a preemption policy; write PreemptLowerPriority or Never`,
      );
  }
}
