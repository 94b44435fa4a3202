const BEST_SCORE = 100n;

/**
 * How much the scheduler likes each of some nodes for their PreferNoSchedule taints, 0 to 100, from how many of them a pod
 * does not tolerate: 100 where there are none, 0 where there are most (scheduler: TaintToleration, normalised and reversed).
 */
export function avoidanceScores(untolerated: readonly bigint[]): readonly bigint[] {
  const most = untolerated.reduce((max, count) => (count > max ? count : max), 0n);
  return untolerated.map((count) => (most === 0n ? BEST_SCORE : BEST_SCORE - (BEST_SCORE * count) / most));
}
