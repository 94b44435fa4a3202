import type { FileTree } from '../../../cgroup/file-tree.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import { HOST_PATHS, readInputFile } from '../input-file.ts';
import { readManifestFolder } from './manifest-folder.ts';
import { readPodDocuments } from './pod-documents.ts';

/**
 * Reads the pods of a source: PATH or file:PATH (Pod, PodList, List; JSON or YAML), or dir:PATH (a manifest folder). PATH
 * is a path of this machine, or inside `root` where one is given (for a source that the node's own configuration names).
 * `nodeName`, where it is known, is the node of static pods. Throws a Failure: 64 for a source without a path, 66 for one
 * that is missing, 77 for one that may not be read, 65 for one that holds no pods or malformed ones, 69 for a source
 * that is not there.
 */
export function readPods(source: string, root?: FileTree, nodeName?: string): PodsRead {
  requireReadableSource(source, root === undefined ? '--pods' : 'pods.source');
  const { scheme, rest } = schemeOf(source);
  if (rest === '') {
    throw new Failure(EXIT.usage, `--pods ${source}: a path is missing; give PATH, file:PATH or dir:PATH`);
  }
  const path = root === undefined ? rest : rest.replace(/^\/+/, '');
  const tree = root ?? HOST_PATHS;
  return scheme === 'dir'
    ? readManifestFolder(path.replace(/(?<=.)\/+$/, ''), tree, nodeName)
    : podsOfFile(path, tree);
}

/** Throws Failure 69 for a source that this version cannot read; `from` is the option or the key that names it. */
export function requireReadableSource(source: string, from: '--pods' | 'pods.source'): void {
  const { scheme } = schemeOf(source);
  if (scheme !== 'kubelet' && scheme !== 'cri' && scheme !== 'api') return;
  const message = `${from} ${source}: pods from ${SERVICES[scheme]} are not read by this version; save them to a file (kubectl get pods --all-namespaces -o json) and name that`;
  throw new Failure(EXIT.unavailable, message);
}

const SERVICES = { kubelet: 'a kubelet', cri: 'a container runtime', api: 'the API server' } as const;

function schemeOf(source: string): { readonly scheme: string; readonly rest: string } {
  if (source === 'api') {
    return { scheme: 'api', rest: '' };
  }
  const [, scheme, rest] = /^(file|dir|kubelet|cri):(.*)$/s.exec(source) ?? [];
  return scheme === undefined || rest === undefined ? { scheme: 'file', rest: source } : { scheme, rest };
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
