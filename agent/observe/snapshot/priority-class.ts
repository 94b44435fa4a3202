import type { PriorityClass } from '../../model/cluster.ts';
import { FieldFault, type Fields } from '../fields.ts';
import { requiredName } from './object-name.ts';

/** Reads a scheduling.k8s.io PriorityClass; whether the API would accept it is decide/priority-class.ts. Throws FieldFault. */
export function readPriorityClass(object: Fields): PriorityClass {
  const value = object.integer('value', 32);
  if (value === undefined) throw new FieldFault([...object.path, 'value'], 'a PriorityClass needs a value');
  const preemptionPolicy = object.text('preemptionPolicy');
  return {
    name: requiredName(object, 'PriorityClass'),
    value: Number(value),
    globalDefault: object.flag('globalDefault') ?? false,
    ...(preemptionPolicy === undefined ? {} : { preemptionPolicy }),
  };
}
