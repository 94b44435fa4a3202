import { taintFault } from '../../config/taints/taint.ts';
import { isCordonTaint, withCordon } from '../decide/taints/cordon.ts';
import { isSameTaint } from '../decide/taints/taint-text.ts';
import type { Taint } from '../model/node.ts';
import { FieldFault, type Fields } from './fields.ts';

/**
 * The taints of a Node's spec in the node's order, since the first one that a pod does not tolerate is the one that is
 * named. A node that is unschedulable has the taint for it, whether it is listed or not. Throws FieldFault, also for what the
 * API would not take: a key, value or effect that is none, and a key that is there twice with one effect.
 */
export function readTaints(spec: Fields): readonly Taint[] {
  return withCordon(listedTaints(spec), isCordoned(spec));
}

/** Whether a node is cordoned without a taint that says so. Throws FieldFault. */
export function isCordonUnlisted(spec: Fields): boolean {
  return isCordoned(spec) && !listedTaints(spec).some(isCordonTaint);
}

function isCordoned(spec: Fields): boolean {
  return spec.flag('unschedulable') === true;
}

function listedTaints(spec: Fields): readonly Taint[] {
  const taints = spec.maps('taints').map(readTaint);
  refuseTwice(taints, spec);
  return taints;
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
