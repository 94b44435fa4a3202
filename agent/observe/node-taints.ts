import { taintFault } from '../../config/taints/taint.ts';
import { isSameTaint } from '../decide/taints/taint-text.ts';
import type { Taint } from '../model/node.ts';
import { FieldFault, type Fields } from './fields.ts';

const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' };

/**
 * The taints of a Node's spec in the node's order, since the first one that a pod does not tolerate is the one that is
 * named. A node that is unschedulable has the taint for it, whether it is listed or not. Throws FieldFault, also for what the
 * API would not take: a key, value or effect that is none, and a key that is there twice with one effect.
 */
export function readTaints(spec: Fields): readonly Taint[] {
  const taints = spec.maps('taints').map(readTaint);
  refuseTwice(taints, spec);
  const isListed = taints.some((one) => isSameTaint(one, UNSCHEDULABLE));
  return spec.flag('unschedulable') === true && !isListed ? [...taints, UNSCHEDULABLE] : taints;
}

function readTaint(fields: Fields): Taint {
  const taint = {
    key: fields.text('key') ?? '',
    value: fields.text('value') ?? '',
    effect: fields.text('effect') ?? '',
  };
  const fault = taintFault(taint);
  if (fault === undefined) return taint;
  throw new FieldFault([...fields.path, fault.field], fault.message);
}

function refuseTwice(taints: readonly Taint[], spec: Fields): void {
  const second = taints.findIndex((taint, at) =>
    taints.slice(0, at).some((earlier) => isSameTaint(earlier, taint)),
  );
  const taint = taints[second];
  if (taint === undefined) return;
  throw new FieldFault(
    [...spec.path, 'taints', second],
    `the taint ${taint.key}:${taint.effect} is there twice; a node has a key once with an effect, so remove one`,
  );
}
