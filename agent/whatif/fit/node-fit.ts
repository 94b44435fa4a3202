import { taintText } from '../../decide/taints/taint-text.ts';
import { tolerates } from '../../decide/tolerate.ts';
import type { ClusterNode, SchedulingPod } from '../../model/cluster.ts';
import type { Taint } from '../../model/node.ts';
import { lackText } from './lack-text.ts';
import type { Load } from './load.ts';
import type { NodeRoom } from './node-room.ts';
import { hasLabels, matchesNodeTerms } from './selectors.ts';

/**
 * Whether a pod could go to a node now. `unschedulable`: not now, and the end of other pods might help; `unresolvable`:
 * it would not help (scheduler: UnschedulableAndUnresolvable).
 */
export type NodeFit =
  | { readonly kind: 'fits' }
  | { readonly kind: 'unschedulable'; readonly reasons: readonly string[] }
  | { readonly kind: 'unresolvable'; readonly reasons: readonly string[] };

/** A pod that looks for a place, with what it takes. */
export interface Placement {
  readonly pod: SchedulingPod;
  readonly load: Load;
}

/**
 * Judges a node for a pod as the filters of the scheduler that are modelled here do: taints (cordon included),
 * node selector and required affinity, resources, number of pods, host ports. `room` is what the node has left, undefined
 * where the node does not say what it has.
 */
export function nodeFit({ pod, load }: Placement, node: ClusterNode, room: NodeRoom | undefined): NodeFit {
  const unresolvable = [...nodeReasons(pod, node), ...capacityReasons(load, room)];
  if (unresolvable.length > 0) return { kind: 'unresolvable', reasons: unresolvable };
  const lacks = room?.lacks(load) ?? [];
  return lacks.length === 0 ? { kind: 'fits' } : { kind: 'unschedulable', reasons: lacks.map(lackText) };
}

function capacityReasons(load: Load, room: NodeRoom | undefined): readonly string[] {
  if (room === undefined) return ['its status does not say what pods may request of it'];
  return room.lacksForGood(load).map((lack) => `${lackText(lack)} even if it were empty`);
}

/** What about the node itself keeps the pod away, whatever runs there. */
function nodeReasons(pod: SchedulingPod, node: ClusterNode): readonly string[] {
  const reasons: string[] = [];
  const taint = untolerated(pod, node.taints);
  if (taint !== undefined) reasons.push(`its taint ${taintText(taint)} is not tolerated`);
  if (!hasLabels(node.labels, pod.nodeSelector)) reasons.push('its labels do not meet the node selector');
  if (pod.requiredNodeTerms !== undefined && !matchesNodeTerms(pod.requiredNodeTerms, node)) {
    reasons.push('it does not meet the required node affinity');
  }
  return reasons;
}

/** The first taint that keeps a pod from being scheduled, in the node's order (scheduler: TaintToleration). */
function untolerated(pod: SchedulingPod, taints: readonly Taint[]): Taint | undefined {
  return taints.find(
    (taint) =>
      (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') &&
      !pod.tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}
