import { byNumber, byText, type Comparator, orderedBy, reversed } from '../../decide/ordered-by.ts';
import { byStart } from './by-start.ts';
import { BY_NAME, type PreemptionUnit } from './units.ts';

/**
 * The most important unit first (scheduler 1.37: MoreImportantVictim): priority, rank, number of pods, earliest start. In
 * 1.36, where every unit is a pod of rank 1, that is MoreImportantPod. The scheduler leaves equals in any order; here they
 * go by namespace and name.
 */
export const BY_IMPORTANCE: Comparator<PreemptionUnit> = orderedBy<PreemptionUnit>(
  reversed(byNumber(({ priority }) => priority)),
  reversed(byNumber(({ rank }) => rank)),
  reversed(byNumber(({ pods }) => pods.length)),
  byStart(({ startedAt }) => startedAt),
  BY_NAME,
  byText(({ pods }) => pods[0]?.name ?? ''),
);
