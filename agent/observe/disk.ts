import { statfsSync, statSync } from 'node:fs';
import type { FilesystemFigures, NodeFilesystems } from '../model/node.ts';
import type { NodeRoot } from './root.ts';

const KUBELET_FOLDER = '/var/lib/kubelet';
/** Where the runtimes keep images and writable layers: containerd, CRI-O, docker. The first that exists is meant. */
const RUNTIME_FOLDERS = ['/var/lib/containerd', '/var/lib/containers/storage', '/var/lib/docker'] as const;

/**
 * The filesystems of a root: looked at on the host itself, from the manifest of a capture, and none elsewhere, since a
 * folder that looks like a node lies on a disk of this machine.
 */
export function filesystemsOf(root: NodeRoot): NodeFilesystems {
  if (root.capture !== undefined) return root.capture.filesystems ?? new Map();
  return root.kind === 'host' ? observeHostFilesystems() : new Map();
}

/**
 * statfs of this machine's kubelet and runtime folders. What lies on one device is looked at once, so that its figures are
 * equal. A folder that is not there gives nothing. `kubeletFolder` and `runtimeFolders` are for tests.
 */
export function observeHostFilesystems(
  kubeletFolder = KUBELET_FOLDER,
  runtimeFolders: readonly string[] = RUNTIME_FOLDERS,
): NodeFilesystems {
  const filesystems = new Map<string, FilesystemFigures>();
  const nodefs = figuresOf(kubeletFolder);
  if (nodefs !== undefined) filesystems.set('nodefs', nodefs);
  const runtimeFolder = runtimeFolders.find((folder) => deviceOf(folder) !== undefined);
  if (runtimeFolder === undefined) return filesystems;
  const isShared = nodefs !== undefined && deviceOf(runtimeFolder) === deviceOf(kubeletFolder);
  const imagefs = isShared ? nodefs : figuresOf(runtimeFolder);
  if (imagefs !== undefined) {
    filesystems.set('imagefs', imagefs);
    filesystems.set('containerfs', imagefs);
  }
  return filesystems;
}

function figuresOf(folder: string): FilesystemFigures | undefined {
  try {
    const figures = statfsSync(folder, { bigint: true });
    return {
      capacityBytes: figures.blocks * figures.bsize,
      availableBytes: figures.bavail * figures.bsize,
      inodes: figures.files,
      inodesFree: figures.ffree,
    };
  } catch {
    return undefined;
  }
}

function deviceOf(folder: string): bigint | undefined {
  try {
    return statSync(folder, { bigint: true }).dev;
  } catch {
    return undefined;
  }
}
