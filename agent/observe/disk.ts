import type { NodeFilesystems } from '../model/node.ts';

/** statfs of the host's kubelet and runtime folders; only for the host itself. */
export function observeHostFilesystems(_prefix = '/'): NodeFilesystems {
  throw new Error('not yet');
}
