import type { Taint } from '../../model/node.ts';
import { isSameTaint } from './taint-text.ts';

/** The taint of a node that is cordoned. */
const CORDON_TAINT: Taint = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' };

export function isCordonTaint(taint: Taint): boolean {
  return isSameTaint(taint, CORDON_TAINT);
}

/**
 * What keeps pods away from a node: its taints, and the cordon as if it were one. The scheduler reads spec.unschedulable itself,
 * whatever the taints say, and looks for a toleration of that taint (scheduler: NodeUnschedulable).
 */
export function withCordon(taints: readonly Taint[], isUnschedulable: boolean): readonly Taint[] {
  return isUnschedulable && !taints.some(isCordonTaint) ? [...taints, CORDON_TAINT] : taints;
}
