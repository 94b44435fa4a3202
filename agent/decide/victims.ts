import type { Pod, PodStanding } from '../model/pod.ts';
import { isCritical, isCriticalPriority } from './critical.ts';
import { type GroupRules, rankingPriority, standingThatCounts } from './pod-standing.ts';
import { priorityOf } from './priority.ts';

/** Pods that the operator never wants evicted (nodeqos.yaml eviction.protected): any of the three protects. */
interface ProtectedPods {
  readonly namespaces: readonly string[];
  /** A pod that carries any one of these labels with this value is protected. */
  readonly labels: ReadonlyMap<string, string>;
  readonly priorityAtLeast?: number;
}

export interface VictimRules extends GroupRules {
  readonly unmeasured: 'skip' | 'evict';
  readonly protected: ProtectedPods;
  /** Why a pod is passed over for now, as the rest of a sentence; a pod that is not held back gives undefined. */
  readonly heldBack?: (pod: Pod) => string | undefined;
}

/** Why a pod without statistics may not be evicted. */
export const UNMEASURED = 'it is unmeasured (eviction.unmeasured: evict would take it)';

/** Why a pod may not be evicted whose source has not told its priority. */
const MAY_BE_CRITICAL = 'it may be critical, since the container runtime does not know its priority';

/**
 * Why a pod may not be evicted, as the rest of a sentence that starts with "passed over: "; undefined where it may. Critical
 * pods as in the kubelet; the others are nodeqos' own rules and not the kubelet's. Where groups count, the priority of its
 * group protects a pod as well as its own does.
 */
export function passedOverBecause(pod: Pod, isMeasured: boolean, rules: VictimRules): string | undefined {
  if (isCritical(pod)) return criticalBecause(pod);
  if (rules.compat === 'kubelet') return undefined;
  if (pod.mayBeCritical === true) return MAY_BE_CRITICAL;
  const group = criticalGroup(pod, rules);
  if (group !== undefined) return `its group ${group.root} is critical, its priority being ${group.priority}`;
  const held = rules.heldBack?.(pod);
  if (held !== undefined) return held;
  if (pod.terminating) return 'it is terminating already';
  const protection = protectedBecause(pod, rules);
  if (protection !== undefined) return protection;
  return isMeasured || rules.unmeasured === 'evict' ? undefined : UNMEASURED;
}

/** The group that makes a pod critical, which by itself is not. */
export function criticalGroup(pod: Pod, rules: GroupRules): PodStanding | undefined {
  const group = standingThatCounts(pod, rules);
  return group !== undefined && isCriticalPriority(group.priority) ? group : undefined;
}

function criticalBecause(pod: Pod): string {
  if (pod.isMirror) return 'it is the mirror of a static pod, which the kubelet would start again';
  if (pod.isStatic) return 'it is a static pod, which the kubelet would start again';
  return `it is critical, its priority ${pod.priority ?? 0} being at least 2000000000`;
}

function protectedBecause(pod: Pod, all: VictimRules): string | undefined {
  const rules = all.protected;
  if (rules.namespaces.includes(pod.namespace)) {
    return `the configuration protects the namespace ${pod.namespace}`;
  }
  const label = [...rules.labels].find(([key, value]) => pod.labels.get(key) === value);
  if (label !== undefined) return `the configuration protects pods with the label ${label[0]}=${label[1]}`;
  const priority = Math.max(priorityOf(pod), rankingPriority(pod, all));
  return rules.priorityAtLeast !== undefined && priority >= rules.priorityAtLeast
    ? `the configuration protects priorities of at least ${rules.priorityAtLeast}`
    : undefined;
}
