import type { Taint } from '../model/node.ts';
import type { Fields } from './fields.ts';

const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' };

/**
 * The taints of a Node's spec in the node's order, since the first one that a pod does not tolerate is the one that is
 * named. A node that is unschedulable has the taint for it, whether it is listed or not. Throws FieldFault.
 */
export function readTaints(spec: Fields): readonly Taint[] {
  const taints = spec.maps('taints').map((taint) => ({
    key: taint.text('key') ?? '',
    value: taint.text('value') ?? '',
    effect: taint.text('effect') ?? '',
  }));
  const isListed = taints.some(
    ({ key, effect }) => key === UNSCHEDULABLE.key && effect === UNSCHEDULABLE.effect,
  );
  return spec.flag('unschedulable') === true && !isListed ? [...taints, UNSCHEDULABLE] : taints;
}
