import { type Parsed, parsed } from '../../../config/result.ts';
import type { NodeObject, Taint } from '../../model/node.ts';
import type { Pod } from '../../model/pod.ts';
import { type PodTaintEntry, podTaintEntry } from '../tolerate.ts';
import { isCordonTaint, withCordon } from './cordon.ts';
import { editTaints, type TaintEdits } from './edit-taints.ts';
import { expectedTaints, type TaintDrift, taintDrift } from './expected-taints.ts';

/** What a node's taints are, should be, and mean for its pods. */
export interface TaintReport {
  readonly node: string;
  /** After the edits, in the node's order. */
  readonly taints: readonly Taint[];
  readonly expectedByCondition: readonly Taint[];
  readonly drift: TaintDrift;
  readonly pods: readonly PodTaintEntry[];
}

/**
 * What a node's taints mean for pods, in their order, after edits of those that it lists. No edit ends a cordon. Refused: edits
 * that do not go with its taints.
 */
export function taintReport(node: NodeObject, pods: readonly Pod[], edits: TaintEdits): Parsed<TaintReport> {
  const isListed = (taint: Taint): boolean => node.isCordonUnlisted !== true || !isCordonTaint(taint);
  const edited = editTaints(node.taints.filter(isListed), edits);
  if (!edited.ok) return edited;
  const taints = withCordon(edited.value, node.isUnschedulable);
  return parsed({
    node: node.name,
    taints,
    expectedByCondition: expectedTaints(node),
    drift: taintDrift(taints, node),
    pods: pods.map((pod) => podTaintEntry(pod, taints)),
  });
}
