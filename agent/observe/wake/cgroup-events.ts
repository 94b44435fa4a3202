import type { CgroupLayout } from '../../../cgroup/paths.ts';
import type { WakeSource } from '../../ports.ts';

/** Wakes when a pod's cgroup comes or goes, and when memory.events of all pods change. */
export function cgroupWake(_mountPath: string, _layout: CgroupLayout): WakeSource {
  throw new Error('not yet');
}
