import type { FileTree } from './file-tree.ts';
import type { PlanEntry, PlanSummary } from './plan.ts';
import type { DesiredValue } from './qos-pod.ts';
import type { Warning } from './warning.ts';

/** How a tree stands to what is desired. */
export interface Differences {
  /** What is to be written, in write order. */
  readonly differing: readonly PlanEntry[];
  readonly summary: PlanSummary;
  /** Each file that could not be read, once. */
  readonly warnings: readonly Warning[];
}

export function readDifferences(_tree: FileTree, _desired: readonly DesiredValue[]): Differences {
  throw new Error('not there yet');
}
