import type { Differences } from './differences.ts';
import { placeKey } from './journal.ts';
import { compareLimits, parseLimit } from './memory-files.ts';
import type { CgroupLayout } from './paths.ts';
import type { PlanEntry } from './plan.ts';

/** Where Memory QoS writes sums over all pods, by `placeKey`: of kubepods and of the Burstable tier. */
export function placesOfSums({
  kubepods,
  burstable,
}: Pick<CgroupLayout, 'kubepods' | 'burstable'>): ReadonlySet<string> {
  return new Set([
    placeKey({ cgroup: kubepods, file: 'memory.min' }),
    placeKey({ cgroup: kubepods, file: 'memory.low' }),
    placeKey({ cgroup: burstable, file: 'memory.low' }),
  ]);
}

/** What is left to write, and what is not written although it differs; places by `placeKey`. */
export interface HeldUp {
  readonly differences: Differences;
  readonly held: ReadonlySet<string>;
}

/**
 * Leaves out the writes that would lower one of these places, as if they read what is wanted: a raise goes on. Whoever else
 * lowers one is not hindered. What cannot be read could be lowered by any write, and is held up too.
 */
export function holdUp(differences: Differences, notLowered: ReadonlySet<string> = new Set()): HeldUp {
  const { differing, summary } = differences;
  const lowerings = differing.filter((entry) => isHeld(entry, notLowered));
  if (lowerings.length === 0) return { differences, held: new Set() };
  const held = new Set(lowerings.map(keyOf));
  return {
    differences: {
      ...differences,
      differing: differing.filter((entry) => !held.has(keyOf(entry))),
      summary: {
        ...summary,
        write: summary.write - lowerings.length,
        keep: summary.keep + lowerings.length,
      },
    },
    held,
  };
}

function isHeld(entry: PlanEntry, notLowered: ReadonlySet<string>): boolean {
  if (!notLowered.has(keyOf(entry))) return false;
  const current = entry.current === null ? undefined : parseLimit(entry.current);
  const desired = parseLimit(entry.desired);
  return current === undefined || desired === undefined || compareLimits(current, desired) > 0;
}

function keyOf({ cgroup, file }: PlanEntry): string {
  return placeKey({ cgroup: cgroup ?? '', file });
}
