import type { FileTree } from './file-tree.ts';
import { type Limit, parseLimit } from './memory-files.ts';
import { entriesInOrder, type PlanEntry, type PlannedItem, type PlanSummary, plannedItem } from './plan.ts';
import type { DesiredValue } from './qos-pod.ts';
import { noLimit, unreadableFile } from './unreadable.ts';
import type { Warning } from './warning.ts';

/** How a tree stands to what is desired. */
export interface Differences {
  /** What is to be written, in write order. */
  readonly differing: readonly PlanEntry[];
  readonly summary: PlanSummary;
  /** Each file that could not be read, once. */
  readonly warnings: readonly Warning[];
}

/**
 * Looks at the file of each desired value and at nothing else, which is what a loop can afford: no folder is listed, and
 * what reads as desired leaves nothing behind but a count. Says the same as a snapshot and planEntries do.
 */
export function readDifferences(tree: FileTree, desired: readonly DesiredValue[]): Differences {
  const items: PlannedItem[] = [];
  const warnings: Warning[] = [];
  let keep = 0;
  let missing = 0;
  for (const value of desired) {
    const found = read(tree, value, warnings);
    if (found === 'missing') {
      missing += 1;
    } else if (found === value.desired) {
      keep += 1;
    } else {
      items.push(plannedItem(value, found, 'write'));
    }
  }
  return {
    differing: entriesInOrder(items),
    summary: { write: items.length, keep, missing },
    warnings,
  };
}

/** What a file reads; undefined where that is not known, which is a warning. */
function read(
  tree: FileTree,
  { cgroup, file }: DesiredValue,
  warnings: Warning[],
): Limit | 'missing' | undefined {
  if (cgroup === null) {
    return 'missing';
  }
  const answer = tree.readFile(`${cgroup}/${file}`);
  if (answer.kind === 'read') {
    const limit = parseLimit(answer.text);
    if (limit === undefined) {
      warnings.push(noLimit(tree, cgroup, file, answer.text));
    }
    return limit;
  }
  // ENODEV: the cgroup went away while its file was open.
  if (answer.kind === 'missing' || answer.code === 'ENODEV') {
    return 'missing';
  }
  warnings.push(unreadableFile(tree, cgroup, file, answer.code));
  return undefined;
}
