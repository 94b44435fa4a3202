import { placeKey } from './journal.ts';
import type { PlanEntry } from './plan.ts';

/** What keeps entries of a plan from being written now; places by `placeKey`. */
export interface ReconcileLimits {
  /** Not written, whatever they read: somebody else keeps changing them. */
  readonly leftAlone: ReadonlySet<string>;
  /** Not written again yet: the last try failed. */
  readonly putOff: ReadonlySet<string>;
  /** Being written, or about to be. */
  readonly inFlight: ReadonlySet<string>;
  /** How many may be written at once. */
  readonly budget: number;
}

/** An entry whose cgroup is known. */
export type LocatedEntry = PlanEntry & { readonly cgroup: string };

/**
 * What to write now of the entries that differ, which come in write order: the first ones, as many as there may be. Since the
 * rest is found again at the next look, and raises of min and low come before lowerings, no lowering starts before every
 * raise has been written. While a min or low is being written, none that comes after it starts.
 */
export function writesOfTick(
  differing: readonly PlanEntry[],
  limits: ReconcileLimits,
): readonly LocatedEntry[] {
  const writes: LocatedEntry[] = [];
  let isProtecting = false;
  for (const entry of differing) {
    if (writes.length >= limits.budget) {
      break;
    }
    if (!isLocated(entry)) {
      continue;
    }
    const key = placeKey(entry);
    const isProtection = entry.file !== 'memory.high';
    if (limits.inFlight.has(key)) {
      isProtecting ||= isProtection;
    } else if (!limits.leftAlone.has(key) && !limits.putOff.has(key) && !(isProtection && isProtecting)) {
      writes.push(entry);
    }
  }
  return writes;
}

function isLocated(entry: PlanEntry): entry is LocatedEntry {
  return entry.cgroup !== null;
}
