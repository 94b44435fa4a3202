import type { FileTree } from '../../cgroup/file-tree.ts';
import type { CgroupLayout } from '../../cgroup/paths.ts';
import type { Warning } from '../../cgroup/warning.ts';
import type { Pod, UsageByUid } from '../model/pod.ts';

/** What the pods use, from their cgroups below a cgroup2 mount. */
export function readCgroupUsage(
  _cgroups: FileTree,
  _layout: CgroupLayout,
  _pods: readonly Pod[],
): { readonly usage: UsageByUid; readonly warnings: readonly Warning[] } {
  throw new Error('not yet');
}
