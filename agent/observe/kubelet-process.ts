import type { NodeRoot } from './root.ts';

/** By what a live kubelet was recognised, for people; undefined where there is none. */
export function liveKubelet(_root: Pick<NodeRoot, 'kind' | 'files'>): string | undefined {
  throw new Error('not yet');
}
