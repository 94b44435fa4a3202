/** What a cycle comes to for a group. Only after `unschedulable` does the scheduler try to preempt for its root. */
export type GroupVerdict = 'success' | 'wait' | 'unschedulable' | 'unresolvable';

/** How many members (pods, or child groups) a group wants, and how they stand; those that nothing could help are in none. */
export interface MemberCounts {
  readonly minimum: number;
  readonly scheduled: number;
  /** Not tried yet. */
  readonly remaining: number;
  /** Tried without success, and the end of others might help. */
  readonly unschedulable: number;
}

/** Whether a group gets enough members (KEP-5710, KEP-6012: the rule by which a failed group leads to preemption). */
export function groupVerdict({ minimum, scheduled, remaining, unschedulable }: MemberCounts): GroupVerdict {
  if (scheduled >= minimum) return 'success';
  if (scheduled + remaining >= minimum) return 'wait';
  return scheduled + remaining + unschedulable >= minimum ? 'unschedulable' : 'unresolvable';
}
