import type { Warning } from '../../cgroup/warning.ts';
import type { Pod } from './pod.ts';

/** Pods in the order of the input, and what a person should know about the rest of it. */
export interface PodsRead {
  readonly pods: readonly Pod[];
  readonly warnings: readonly Warning[];
}
