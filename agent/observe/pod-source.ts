import type { FileTree } from '../../cgroup/file-tree.ts';
import type { PodsRead } from './pod-documents.ts';

/**
 * Reads the pods of a source. PATH is a path of this machine, or inside `root` where one is given (a source that the
 * node's own configuration names). `nodeName` is what static pods of a folder are named after.
 */
export function readPods(_source: string, _root?: FileTree, _nodeName?: string): PodsRead {
  throw new Error('not built yet');
}
