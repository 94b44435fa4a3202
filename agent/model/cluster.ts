import type { ReportedCondition, Taint } from './node.ts';
import type { Pod, Resources } from './pod.ts';

/** Whether a pending pod may drive others away (spec.preemptionPolicy). */
export type PreemptionPolicy = 'PreemptLowerPriority' | 'Never';

/** One requirement on labels or fields. The operator stays as written; one that nobody knows matches nothing. */
export interface SelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** A label selector that says something: all of it must hold. */
export interface LabelSelector {
  readonly matchLabels: ReadonlyMap<string, string>;
  readonly matchExpressions: readonly SelectorRequirement[];
}

/** One alternative of a required node affinity: all of it must hold. A term that says nothing matches no node. */
export interface NodeSelectorTerm {
  readonly matchExpressions: readonly SelectorRequirement[];
  /** On fields of the Node; only metadata.name is one. */
  readonly matchFields: readonly SelectorRequirement[];
}

/** What a pod says about its scheduling that a plan does not look at. */
export type UnmodelledUse =
  | 'inter-pod affinity'
  | 'inter-pod anti-affinity'
  | 'topology spread constraints'
  | 'volumes'
  | 'resource claims'
  | 'scheduling gates'
  | 'another scheduler';

/** A v1 Pod with what its scheduling and preemption need. */
export interface SchedulingPod extends Pod {
  /** spec.preemptionPolicy; absent reads as PreemptLowerPriority. */
  readonly preemptionPolicy?: PreemptionPolicy;
  /** status.nominatedNodeName: the node that is being made free for it. */
  readonly nominatedNodeName?: string;
  readonly nodeSelector: ReadonlyMap<string, string>;
  /** Required node affinity, one of which must hold; absent where none is required. An empty list matches no node. */
  readonly requiredNodeTerms?: readonly NodeSelectorTerm[];
  /** spec.os.name. */
  readonly osName?: string;
  /** spec.securityContext.supplementalGroupsPolicy. */
  readonly supplementalGroupsPolicy?: string;
  /** Condition DisruptionTarget is True with reason PreemptionByScheduler. */
  readonly isPreemptedByScheduler: boolean;
  /** Each use once, in the order of the type. */
  readonly unmodelledUses: readonly UnmodelledUse[];
}

/** A v1 Node with what scheduling needs. */
export interface ClusterNode {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  /** In the node's order; spec.unschedulable counts as its taint. */
  readonly taints: readonly Taint[];
  /** status.allocatable, or the capacity where it is not stated (API defaulting); without both nothing is known to fit. */
  readonly allocatable?: Resources;
  readonly conditions: readonly ReportedCondition[];
}

/** A policy/v1 PodDisruptionBudget as the scheduler reads it. */
export interface PodDisruptionBudget {
  readonly namespace: string;
  readonly name: string;
  /** Absent where the budget has none or an empty one: to the scheduler that matches nothing. */
  readonly selector?: LabelSelector;
  /** status.disruptionsAllowed; 0 where there is no status. */
  readonly disruptionsAllowed: number;
  /** Names in status.disruptedPods: pods that are on their way out and were counted already. */
  readonly disruptedPods: ReadonlySet<string>;
}

/** A scheduling.k8s.io/v1 PriorityClass. */
export interface PriorityClass {
  readonly name: string;
  readonly value: number;
  readonly globalDefault: boolean;
  /** As written: validation says which ones there are. Absent reads as PreemptLowerPriority. */
  readonly preemptionPolicy?: string;
}

/** Whether pods of a group go one by one, or only all together. 1.36 calls them Pod and PodGroup. */
export type DisruptionMode = 'single' | 'all';

/** `gang`: so many members (pods, or child groups) at least, or none; `basic`: each for itself. */
export type GroupPolicy = { readonly kind: 'basic' } | { readonly kind: 'gang'; readonly minCount: number };

/** What PodGroup and CompositePodGroup have in common. */
interface SchedulingGroup {
  readonly namespace: string;
  readonly name: string;
  /** spec.parentCompositePodGroupName, of the same namespace. */
  readonly parent?: string;
  /** Absent where the object states none. */
  readonly policy?: GroupPolicy;
  /** Absent reads as single. */
  readonly disruptionMode?: DisruptionMode;
  readonly priorityClassName?: string;
  /** Absent reads as 0. */
  readonly priority?: number;
  readonly preemptionPolicy?: PreemptionPolicy;
  /** Whether spec.schedulingConstraints asks for a topology, which a plan does not look at. */
  readonly hasTopologyConstraint: boolean;
}

/** A scheduling.k8s.io PodGroup, in the shape of 1.36 (v1alpha2) or 1.37 (v1beta1). */
export interface PodGroup extends SchedulingGroup {
  readonly kind: 'PodGroup';
}

/** A scheduling.k8s.io/v1alpha3 CompositePodGroup. `policy.minCount` counts child groups. */
export interface CompositePodGroup extends SchedulingGroup {
  readonly kind: 'CompositePodGroup';
}

/** The objects of a cluster at one moment, each name once; priorities of pods and groups are resolved. */
export interface ClusterSnapshot {
  readonly nodes: readonly ClusterNode[];
  /** Finished ones included: they count nowhere but in the snapshot. */
  readonly pods: readonly SchedulingPod[];
  readonly budgets: readonly PodDisruptionBudget[];
  readonly priorityClasses: readonly PriorityClass[];
  readonly podGroups: readonly PodGroup[];
  readonly compositePodGroups: readonly CompositePodGroup[];
}
