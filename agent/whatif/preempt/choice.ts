import { instantOf } from '../../decide/instant.ts';
import { byNumber, byText, type Comparator, reversed } from '../../decide/ordered-by.ts';
import { byStart } from './by-start.ts';
import type { PreemptionCandidate } from './preemption-plan.ts';

/** The candidate that is chosen, those that are as good, and by what it was told from the rest. */
export interface Choice {
  readonly chosen: PreemptionCandidate;
  /** Names of all candidates that nothing tells apart, by name, the chosen one included; empty without a tie. */
  readonly tiedNodes: readonly string[];
  /** What set it apart, for people: the last question that was asked. */
  readonly because: string;
}

/** The questions that are asked of candidates, in this order; each keeps only the best (scheduler: pickOneNodeForPreemption). */
const QUESTIONS: readonly { readonly because: string; readonly compare: Comparator<PreemptionCandidate> }[] =
  [
    {
      because: 'it breaks the fewest disruption budgets',
      compare: byNumber(({ pdbViolations }) => pdbViolations),
    },
    {
      because: 'its most important victim is of the lowest priority',
      compare: byNumber(({ highestVictimPriority }) => highestVictimPriority ?? Number.NEGATIVE_INFINITY),
    },
    {
      because: 'the priorities of its victims, each counted from the lowest there is, add up to the least',
      compare: byNumber(shiftedSum),
    },
    { because: 'it has the fewest victims', compare: byNumber(({ victimCount }) => victimCount) },
    {
      because: 'its most important victims have run for the shortest time',
      compare: reversed(byStart(startOf)),
    },
  ];

/**
 * Chooses the node to be made free among feasible candidates; undefined where there are none. Of candidates that nothing
 * tells apart the scheduler takes any; here it is the first by name.
 */
export function chooseCandidate(candidates: readonly PreemptionCandidate[]): Choice | undefined {
  let best = candidates.toSorted(byText(({ node }) => node));
  let because = best.length === 1 ? 'no other node can be made free' : 'nothing tells them apart';
  for (const question of QUESTIONS) {
    const kept = keepBest(best, question.compare);
    if (kept.length < best.length) because = question.because;
    best = kept;
  }
  const [chosen] = best;
  if (chosen === undefined) return undefined;
  return { chosen, tiedNodes: best.length > 1 ? best.map(({ node }) => node) : [], because };
}

function keepBest(
  candidates: readonly PreemptionCandidate[],
  compare: Comparator<PreemptionCandidate>,
): PreemptionCandidate[] {
  const [first, ...others] = candidates;
  if (first === undefined) return [];
  const best = others.reduce((least, one) => (compare(one, least) < 0 ? one : least), first);
  return candidates.filter((candidate) => compare(candidate, best) === 0);
}

/** Each priority counts from the lowest there is, so that many victims of negative priority are not cheaper than one. */
function shiftedSum({ prioritySum, victimCount }: PreemptionCandidate): number {
  return prioritySum + victimCount * 2 ** 31;
}

function startOf({ latestStartTime }: PreemptionCandidate): bigint | undefined {
  return latestStartTime === null ? undefined : instantOf(latestStartTime);
}
