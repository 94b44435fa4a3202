import type { ReportedCondition, Taint } from '../../model/node.ts';
import { isSameTaint } from './taint-text.ts';

/** What of a Node the control plane makes taints of. */
export interface TaintedNode {
  /** spec.unschedulable. */
  readonly isUnschedulable: boolean;
  readonly conditions: readonly ReportedCondition[];
}

/** Where a node's taints and its conditions differ, by key and effect. */
export interface TaintDrift {
  /** Expected, and not there. */
  readonly missing: readonly Taint[];
  /** There, and the control plane would take it away. */
  readonly unexpected: readonly Taint[];
}

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
/** What a node that is not there cannot say about itself: such a status of these counts for nothing. */
const TAINT_WHEN_TRUE: readonly (readonly [string, string])[] = [
  ['MemoryPressure', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'node.kubernetes.io/disk-pressure'],
  ['PIDPressure', 'node.kubernetes.io/pid-pressure'],
  ['NetworkUnavailable', 'node.kubernetes.io/network-unavailable'],
];
/** The keys that the node lifecycle controller keeps in step with effect NoSchedule; others are nobody's but their owner's. */
const KEPT_IN_STEP = new Set([
  NOT_READY,
  UNREACHABLE,
  UNSCHEDULABLE,
  ...TAINT_WHEN_TRUE.map(([, key]) => key),
]);

/**
 * The taints that the control plane keeps on a node in this state (node lifecycle controller): for Ready of False or Unknown
 * one with NoSchedule and one with NoExecute, NoSchedule for pressure and a missing network, and for a cordoned node. That of
 * Ready come first, then pressure, network, cordon.
 */
export function expectedTaints(node: TaintedNode): readonly Taint[] {
  const ready = readyKey(node);
  return [
    ...(ready === undefined ? [] : [taint(ready, 'NoSchedule'), taint(ready, 'NoExecute')]),
    ...TAINT_WHEN_TRUE.filter(([type]) => statusOf(node, type) === 'True').map(([, key]) =>
      taint(key, 'NoSchedule'),
    ),
    ...(node.isUnschedulable ? [taint(UNSCHEDULABLE, 'NoSchedule')] : []),
  ];
}

/**
 * Where `taints` differ from what the node's state asks for. Only what the control plane keeps in step is unexpected: its
 * keys with NoSchedule, those of Ready with NoExecute too; all other taints are left alone. A Node without any condition
 * says nothing about them, so that only the cordon can be unexpected there.
 */
export function taintDrift(taints: readonly Taint[], node: TaintedNode): TaintDrift {
  const expected = expectedTaints(node);
  const isIn = (list: readonly Taint[], one: Taint): boolean => list.some((other) => isSameTaint(other, one));
  return {
    missing: expected.filter((one) => !isIn(taints, one)),
    unexpected: taints.filter((one) => isKeptInStep(one, node) && !isIn(expected, one)),
  };
}

function isKeptInStep({ key, effect }: Taint, node: TaintedNode): boolean {
  if (node.conditions.length === 0 && key !== UNSCHEDULABLE) return false;
  if (effect === 'NoSchedule') return KEPT_IN_STEP.has(key);
  // Without the condition nobody knows whether the node is there, and its pods' lives hang on that.
  return effect === 'NoExecute' && isOfReady(key) && statusOf(node, 'Ready') !== undefined;
}

function isOfReady(key: string): boolean {
  return key === NOT_READY || key === UNREACHABLE;
}

function readyKey(node: TaintedNode): string | undefined {
  switch (statusOf(node, 'Ready')) {
    case 'False':
      return NOT_READY;
    case 'Unknown':
      return UNREACHABLE;
    default:
      return undefined;
  }
}

function statusOf(node: TaintedNode, type: string): string | undefined {
  return node.conditions.find((condition) => condition.type === type)?.status;
}

function taint(key: string, effect: string): Taint {
  return { key, value: '', effect };
}
