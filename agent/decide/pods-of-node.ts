import type { Parsed } from '../../config/result.ts';
import type { Warning } from '../../cgroup/warning.ts';
import type { Pod } from '../model/pod.ts';

export interface CountedPods {
  readonly pods: readonly Pod[];
  readonly warnings: readonly Warning[];
}

export function podsOfNode(_pods: readonly Pod[], _nodeName: string | undefined): Parsed<CountedPods> {
  throw new Error('not built yet');
}
