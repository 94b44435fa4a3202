import type { FileTree } from '../../../cgroup/file-tree.ts';
import type { CaptureManifest } from './manifest.ts';

/**
 * The files of a captured root, answering as the node did: what could not be read there cannot be read here, with the
 * same code, and messages call a file what it was called there.
 */
export function capturedTree(files: FileTree, manifest: CaptureManifest): FileTree {
  const failures = new Map(manifest.failures.map(({ path, code }) => [path, code]));
  const prefix = manifest.root === '/' ? '' : manifest.root;
  const failureAt = (path: string): { readonly kind: 'failed'; readonly code: string } | undefined => {
    const code = failures.get(path);
    return code === undefined ? undefined : { kind: 'failed', code };
  };
  return {
    readFile: (path) => failureAt(path) ?? files.readFile(path),
    readDirectory: (path) => failureAt(path) ?? files.readDirectory(path),
    inodeOf: (path) => files.inodeOf(path),
    nameOf: (path) => (path === '' ? manifest.root : `${prefix}/${path}`),
  };
}
