import type { PreemptionPlan } from '../preempt/preemption-plan.ts';

/** Where a member would go. */
export interface MemberPlace {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
}

/**
 * What the scheduler would do for a group. Its domain is the cluster: a candidate is a node of which members take a part, with
 * the victims and the spared pods there; victims on other nodes, of units that go whole, are with their nodes as well.
 */
export interface GroupPreemptionPlan extends PreemptionPlan {
  readonly nominatedNode: null;
  /** Where the members that look for a node go, in the order in which they are placed; empty where they do not. */
  readonly placement: readonly MemberPlace[];
}
