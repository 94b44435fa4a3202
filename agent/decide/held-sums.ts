import { placesOfSums } from '../../cgroup/held-sums.ts';
import type { CgroupLayout } from '../../cgroup/paths.ts';
import type { MemoryQosPolicy } from '../../config/policy.ts';

/** What the agent does about pods that run here and are not in the list. */
export interface UnlistedSums {
  /** The sentence for a person; undefined where every pod is listed. */
  readonly unlisted: string | undefined;
  /** Places, by `placeKey`, that are not lowered meanwhile. */
  readonly notLowered?: ReadonlySet<string>;
}

/**
 * While pods run that are not in the list, sums over pods lack their requests, and lowering one would take away what protects
 * them. Without reservations no value is a sum, and what was reserved before goes.
 */
export function unlistedSums(
  unlisted: string | undefined,
  { memoryReservationPolicy }: Pick<MemoryQosPolicy, 'memoryReservationPolicy'>,
  layout: Pick<CgroupLayout, 'kubepods' | 'burstable'>,
): UnlistedSums {
  if (unlisted === undefined || memoryReservationPolicy === 'None') return { unlisted };
  return {
    unlisted: `${unlisted}; meanwhile no memory.min or memory.low of ${layout.kubepods} and its tiers is lowered`,
    notLowered: placesOfSums(layout),
  };
}
