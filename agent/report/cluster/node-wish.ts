import { conditionOf, type NodeCondition } from '../../../config/signal.ts';
import type { TickRecord } from '../../model/tick.ts';

/** How a condition stands, in the API's words; Unknown: nobody can tell. */
export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** What the Node should say of the node; a condition that is absent should not be there. */
export type NodeWish = ReadonlyMap<NodeCondition, ConditionStatus>;

/** Since when none of a condition's signals could be read, monotonic. */
export type UnseenSince = ReadonlyMap<NodeCondition, number>;

/** An agent that says nothing wants nothing of it on the Node. */
export const NOTHING: NodeWish = new Map();

/** One look that misses its numbers is no reason to tell a whole cluster. */
const UNKNOWN_AFTER_MS = 30_000;
const CONDITIONS: readonly NodeCondition[] = ['DiskPressure', 'MemoryPressure', 'PIDPressure'];

/**
 * What a tick wishes the Node to say: the conditions that eviction decides by, for as long as it watches thresholds for them.
 * One whose signals can all not be read is Unknown after a while, unless it still holds by its transition period.
 */
export function nodeWish(
  { atMs, agent, decision }: TickRecord,
  before: UnseenSince,
): { readonly wish: NodeWish; readonly unseen: UnseenSince } {
  const wish = new Map<NodeCondition, ConditionStatus>();
  const unseen = new Map<NodeCondition, number>();
  if (agent.evictions === 'off') return { wish, unseen };
  for (const condition of CONDITIONS) {
    const own = decision.thresholds.filter(({ threshold }) => conditionOf(threshold.signal) === condition);
    if (own.length === 0) continue;
    const isSeen = own.some(({ met }) => met !== undefined);
    if (!isSeen) unseen.set(condition, before.get(condition) ?? atMs);
    const isUnknown = !isSeen && atMs - (before.get(condition) ?? atMs) >= UNKNOWN_AFTER_MS;
    const isTrue = decision.conditions.includes(condition);
    wish.set(condition, isTrue ? 'True' : isUnknown ? 'Unknown' : 'False');
  }
  return { wish, unseen };
}

/** Whether both say the same. */
export function isSameWish(one: NodeWish, other: NodeWish): boolean {
  return CONDITIONS.every((condition) => one.get(condition) === other.get(condition));
}
