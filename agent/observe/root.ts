import { resolve } from 'node:path';
import { diskTree } from '../../cgroup/disk/disk-tree.ts';
import type { FileTree } from '../../cgroup/file-tree.ts';
import { subtree } from '../../cgroup/file-tree.ts';
import { formatFinding } from '../../config/finding.ts';
import { readDocuments } from '../../config/text/document.ts';
import { EXIT, Failure } from '../exit.ts';
import { readArchive } from './captured/archive-tree.ts';
import { capturedTree } from './captured/captured-tree.ts';
import type { CaptureManifest } from './captured/manifest.ts';
import { CAPTURED_CGROUPS, MANIFEST_FILE } from './captured/manifest.ts';
import { readManifest } from './captured/manifest-text.ts';
import { cgroup2Fault } from './cgroup2.ts';
import { kindOfPath, readPacked } from './root-path.ts';

/** A node to look at: this machine, a folder that looks like one, or a captured one in an archive. */
export interface NodeRoot {
  readonly kind: 'host' | 'folder' | 'archive';
  /** As given with `--root`. */
  readonly name: string;
  /** The root's files: `proc/meminfo`, `var/lib/kubelet/config.yaml`. */
  readonly files: FileTree;
  /** The cgroup2 mount's files; '' is the root cgroup. */
  readonly cgroups: FileTree;
  /** The cgroup2 mount as a path of this machine; absent in an archive, which nothing can be written to. */
  readonly cgroupMountPath?: string;
  /** ROOT/var/lib/nodeqos as a path of this machine; absent in an archive. */
  readonly stateFolder?: string;
  /** Whether `.nodeqos-fake` lies at the root or its cgroup root: no process of this machine is meant by its PIDs. */
  readonly isFake: boolean;
  readonly capture?: CaptureManifest;
}

/** What `--root` and `--cgroup-root` say. */
export interface RootOptions {
  readonly root: string;
  readonly cgroupRoot?: string | undefined;
}

/** The file that makes a folder a fake node. */
export const FAKE_MARKER = '.nodeqos-fake';

/**
 * Opens a root: `/` is this machine, a folder is a node's files below it, a file is an archive of `nodeqos capture`.
 * Throws Failure 65 for an archive or a manifest that cannot be one, 66 where there is nothing, 77 without permission.
 */
export async function openRoot(options: RootOptions): Promise<NodeRoot> {
  const path = resolve(options.root);
  if (path === '/') {
    return openHost(options);
  }
  const what = await kindOfPath(path, options.root);
  return what === 'folder' ? openFolder(path, options) : openArchive(path, options);
}

/** Throws Failure 69 (77 without permission) with one sentence unless the root has cgroup v2 with its memory controller. */
export function requireCgroup2(root: NodeRoot): void {
  const fault = cgroup2Fault(root);
  if (fault !== undefined) {
    throw fault;
  }
}

/** The marker at `/` itself says nothing: only a folder that somebody built can be a fake node. */
function openHost(options: RootOptions): NodeRoot {
  const cgroupMountPath = resolve(options.cgroupRoot ?? '/sys/fs/cgroup');
  const cgroups = diskTree(cgroupMountPath, 'cgroups');
  return {
    kind: 'host',
    name: options.root,
    files: diskTree('/'),
    cgroups,
    cgroupMountPath,
    stateFolder: '/var/lib/nodeqos',
    isFake: hasMarker(cgroups),
  };
}

function openFolder(path: string, options: RootOptions): NodeRoot {
  const onDisk = diskTree(path);
  const capture = manifestOf(onDisk, options.root);
  const cgroupMountPath =
    options.cgroupRoot === undefined ? `${path}/${CAPTURED_CGROUPS}` : resolve(options.cgroupRoot);
  const files = capture === undefined ? onDisk : capturedTree(onDisk, capture);
  const cgroups =
    capture !== undefined && options.cgroupRoot === undefined
      ? capturedCgroups(files, capture, CAPTURED_CGROUPS)
      : diskTree(cgroupMountPath, 'cgroups');
  return {
    kind: 'folder',
    name: options.root,
    files,
    cgroups,
    cgroupMountPath,
    stateFolder: `${path}/var/lib/nodeqos`,
    isFake: hasMarker(onDisk) || hasMarker(cgroups),
    ...(capture === undefined ? {} : { capture }),
  };
}

/** `--cgroup-root` is a path within an archive. */
async function openArchive(path: string, options: RootOptions): Promise<NodeRoot> {
  const archive = await readArchive(
    await readPacked(path, options.root),
    (file) => `${options.root}:${file}`,
  );
  if (!archive.ok) {
    throw new Failure(
      EXIT.badData,
      `${options.root} ${archive.message}; --root takes /, a folder, or an archive that nodeqos capture wrote`,
    );
  }
  const capture = manifestOf(archive.value, options.root);
  const files = capture === undefined ? archive.value : capturedTree(archive.value, capture);
  const below = options.cgroupRoot?.replace(/^\/+|\/+$/g, '') ?? CAPTURED_CGROUPS;
  return {
    kind: 'archive',
    name: options.root,
    files,
    cgroups: capture === undefined ? subtree(files, below) : capturedCgroups(files, capture, below),
    isFake: hasMarker(files),
    ...(capture === undefined ? {} : { capture }),
  };
}

/** The manifest at a root's top, where there is one. Throws Failure 65 for one that is broken. */
function manifestOf(files: FileTree, name: string): CaptureManifest | undefined {
  const read = files.readFile(MANIFEST_FILE);
  if (read.kind === 'missing') {
    return undefined;
  }
  const file = `${name}/${MANIFEST_FILE}`;
  if (read.kind === 'failed') {
    throw new Failure(
      read.code === 'EACCES' ? EXIT.notPermitted : EXIT.ioError,
      `${file} cannot be read (${read.code})`,
    );
  }
  const documents = readDocuments({ file, text: read.text });
  if ('finding' in documents) {
    throw new Failure(EXIT.badData, formatFinding(documents.finding));
  }
  const manifest = readManifest(documents.documents[0]?.value ?? null);
  if (!manifest.ok) {
    throw new Failure(EXIT.badData, `${file} ${manifest.message}; capture the node again`);
  }
  return manifest.value;
}

/** The captured mount, its files called what they were on the node, also where the mount lay outside of the root. */
function capturedCgroups(files: FileTree, capture: CaptureManifest, folder: string): FileTree {
  const tree = subtree(files, folder);
  return {
    ...tree,
    nameOf: (path) => (path === '' ? capture.cgroupRoot : `${capture.cgroupRoot}/${path}`),
  };
}

function hasMarker(tree: FileTree): boolean {
  return tree.readFile(FAKE_MARKER).kind === 'read';
}
