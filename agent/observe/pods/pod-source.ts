import type { FileTree } from '../../../cgroup/file-tree.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import { HOST_PATHS, readInputFile } from '../input-file.ts';
import { readManifestFolder } from './manifest-folder.ts';
import { readPodDocuments } from './pod-documents.ts';
import { parseSourceName } from './source-name.ts';

/**
 * Reads the pods of a source: PATH or file:PATH (Pod, PodList, List; JSON or YAML), or dir:PATH (a manifest folder). PATH
 * is a path of this machine, or inside `root` where one is given (for a source that the node's own configuration names).
 * `nodeName`, where it is known, is the node of static pods. Throws a Failure: 64 for a source without a path or that is no
 * file, 66 for one that is missing, 77 for one that may not be read, 65 for one that holds no pods or malformed ones.
 */
export function readPods(source: string, root?: FileTree, nodeName?: string): PodsRead {
  const name = parseSourceName(source === 'auto' ? 'file:auto' : source);
  if (name.kind !== 'file' && name.kind !== 'dir') {
    const from = root === undefined ? '--pods' : 'pods.source';
    throw new Failure(
      EXIT.usage,
      `${from} ${source}: pods are read from files here; save them to one (kubectl get pods --all-namespaces -o json) and name that`,
    );
  }
  if (name.path === '') {
    throw new Failure(EXIT.usage, `--pods ${source}: a path is missing; give PATH, file:PATH or dir:PATH`);
  }
  const path = root === undefined ? name.path : name.path.replace(/^\/+/, '');
  const tree = root ?? HOST_PATHS;
  return name.kind === 'dir'
    ? readManifestFolder(path.replace(/(?<=.)\/+$/, ''), tree, nodeName)
    : podsOfFile(path, tree);
}

function podsOfFile(path: string, tree: typeof HOST_PATHS): PodsRead {
  const reading = readPodDocuments(
    readInputFile(path, tree, `name a file, or the folder of manifests as dir:${path}`),
  );
  if (!reading.ok) {
    throw new Failure(EXIT.badData, reading.message);
  }
  return reading.value;
}
