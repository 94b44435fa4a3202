import { type Parsed, parsed, refused } from '../../../config/result.ts';
import type { TaintRemoval } from '../../../config/taints/taint-spec.ts';
import type { Taint } from '../../model/node.ts';
import { isSameTaint, taintText } from './taint-text.ts';

/** What is to happen to a node's taints. */
export interface TaintEdits {
  readonly add: readonly Taint[];
  readonly remove: readonly TaintRemoval[];
}

/** The first taint that is to be added twice with one effect, which kubectl refuses before it looks at a node. */
export function addedTwice(add: readonly Taint[]): Taint | undefined {
  return add.find((taint, at) => add.slice(0, at).some((earlier) => isSameTaint(earlier, taint)));
}

/**
 * A node's taints after the edits, as `kubectl taint` without --overwrite leaves them: new ones first, in their order, then
 * the old ones that stay, in theirs. Removals come first, so that a value can be changed by removing and adding. Refused:
 * removing what is not there, and adding what is there with the same effect.
 */
export function editTaints(taints: readonly Taint[], edits: TaintEdits): Parsed<readonly Taint[]> {
  let left = taints;
  for (const removal of edits.remove) {
    const kept = left.filter((taint) => !isMeant(removal, taint));
    if (kept.length === left.length)
      return refused(`taint ${JSON.stringify(removalText(removal))} not found`);
    left = kept;
  }
  const existing = edits.add.find((taint) => left.some((old) => isSameTaint(old, taint)));
  return existing === undefined
    ? parsed([...edits.add, ...left])
    : refused(
        `the node already has a taint ${taintText({ ...existing, value: '' })}; remove it too if its value is to change`,
      );
}

function isMeant(removal: TaintRemoval, taint: Taint): boolean {
  return removal.key === taint.key && (removal.effect === undefined || removal.effect === taint.effect);
}

function removalText({ key, effect }: TaintRemoval): string {
  return effect === undefined ? key : `${key}:${effect}`;
}
