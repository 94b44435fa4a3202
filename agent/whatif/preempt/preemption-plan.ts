import type { Warning } from '../../../cgroup/warning.ts';

export type PreemptionOutcome = 'not-needed' | 'planned' | 'no-candidate' | 'not-eligible';

/** A pod that would go, or was spared, as plans show it (cli contract, "preempt"). */
export interface PlannedVictim {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  /** The effective one, by which it goes. */
  readonly priority: number;
  /** Whether its end would break a disruption budget. */
  readonly violatesPdb: boolean;
}

/** What making one node free would cost; for a node that cannot be made free only why. */
export interface PreemptionCandidate {
  readonly node: string;
  readonly feasible: boolean;
  readonly reason: string;
  /** Most important first; pods of one unit by namespace and name. */
  readonly victims: readonly PlannedVictim[];
  /** Pods that could have been victims and stay, in the order in which they were given back. */
  readonly spared: readonly PlannedVictim[];
  readonly pdbViolations: number;
  readonly highestVictimPriority: number | null;
  /** The plain sum of the victims' priorities. */
  readonly prioritySum: number;
  readonly victimCount: number;
  /** RFC 3339: the earliest start among the victims of highest priority; null where none of them has started. */
  readonly latestStartTime: string | null;
}

/** What the scheduler would do for a pod, or for a group, that finds no place. */
export interface PreemptionPlan {
  readonly outcome: PreemptionOutcome;
  readonly reason: string;
  /** Null for groups, and where nothing is planned. */
  readonly nominatedNode: string | null;
  /** Nodes as good as the nominated one, itself included, by name; empty without a tie. */
  readonly tiedNodes: readonly string[];
  /** Most important first. */
  readonly victims: readonly PlannedVictim[];
  /** By name of the node; none where nothing was tried. */
  readonly candidates: readonly PreemptionCandidate[];
  /** What pods ask for that the plan does not look at. */
  readonly notModelled: readonly string[];
  readonly warnings: readonly Warning[];
}
