import type { FileTree } from '../../../cgroup/file-tree.ts';
import { parseLimit } from '../../../cgroup/memory-files.ts';
import type { CgroupLayout } from '../../../cgroup/paths.ts';
import type {
  AncestorProtection,
  CgroupFacts,
  CgroupFile,
  CgroupLevel,
  Hierarchy,
} from '../../decide/doctor/facts.ts';
import { cgroup2Fault } from '../cgroup2.ts';
import { cgroupMountPoint } from '../machine.ts';
import { cgroup2MountAt, type Mount, memoryIsOnV1, parseMounts } from '../mounts.ts';
import { present } from '../present.ts';
import type { NodeRoot } from '../root.ts';
import { writeLack } from './access.ts';

/** What cgroup v2 is on a root, under a layout. `overrides`: this user has CAP_DAC_OVERRIDE. Throws nothing. */
export function cgroupFacts(root: NodeRoot, layout: CgroupLayout, overrides: boolean): CgroupFacts {
  const { cgroups } = root;
  const { kubepods } = layout;
  const read = root.files.readFile('proc/mounts');
  const mounts = read.kind === 'read' ? parseMounts(read.text) : undefined;
  const mount = mounts && cgroup2MountAt(mounts, cgroupMountPoint(root));
  const rootRead = cgroups.readFile('cgroup.controllers');
  return {
    mountPoint: cgroups.nameOf(''),
    ...present('hierarchy', mounts && hierarchyOf(mounts, mount)),
    ...present('options', mount?.options),
    ...present('fault', cgroup2Fault(root)?.message),
    rootRead: rootRead.kind === 'failed' ? { code: rootRead.code } : rootRead.kind,
    levels: levelsOf(cgroups, layout),
    kubepods,
    files: rootRead.kind === 'read' ? filesOf(root, kubepods) : {},
    ...present('limitWrite', limitWrite(root, kubepods, overrides)),
    ancestors: layout.ancestors.map((cgroup) => protectionOf(cgroups, cgroup)),
  };
}

function hierarchyOf(mounts: readonly Mount[], mount: Mount | undefined): Hierarchy {
  if (memoryIsOnV1(mounts)) return mounts.some(({ type }) => type === 'cgroup2') ? 'hybrid' : 'v1';
  return mount === undefined ? 'none' : 'unified';
}

function levelsOf(
  tree: FileTree,
  { ancestors, kubepods, burstable, besteffort }: CgroupLayout,
): readonly CgroupLevel[] {
  return [
    levelOf(tree, '', 'root'),
    ...ancestors.map((cgroup) => levelOf(tree, cgroup, 'above')),
    levelOf(tree, kubepods, 'kubepods'),
    ...[burstable, besteffort].map((cgroup) => levelOf(tree, cgroup, 'tier')),
  ];
}

function levelOf(tree: FileTree, cgroup: string, role: CgroupLevel['role']): CgroupLevel {
  const prefix = cgroup === '' ? '' : `${cgroup}/`;
  return {
    cgroup,
    role,
    isThere: tree.readDirectory(cgroup).kind !== 'missing',
    ...present('controllers', wordsOf(tree, `${prefix}cgroup.controllers`)),
    ...present('handsDown', wordsOf(tree, `${prefix}cgroup.subtree_control`)),
  };
}

function wordsOf(tree: FileTree, path: string): readonly string[] | undefined {
  const read = tree.readFile(path);
  return read.kind === 'read' ? read.text.split(/\s+/).filter((word) => word !== '') : undefined;
}

const FILES: readonly CgroupFile[] = ['cgroup.kill', 'cgroup.freeze', 'memory.reclaim', 'memory.peak'];

/** Looked up in the pods' cgroup, or in any other below the root; a capture has not all files of a cgroup. */
function filesOf({ cgroups, capture }: NodeRoot, kubepods: string): CgroupFacts['files'] {
  if (capture !== undefined) return {};
  const here = cgroups.readDirectory(kubepods);
  const top = here.kind === 'read' ? undefined : cgroups.readDirectory('');
  const [first] = top?.kind === 'read' ? top.directories : [];
  const listed = here.kind === 'read' || first === undefined ? here : cgroups.readDirectory(first);
  if (listed.kind !== 'read' || listed.files.length === 0) return {};
  return Object.fromEntries(FILES.map((file) => [file, listed.files.includes(file)]));
}

/** Undefined where there is no pods' cgroup, or none that anything could be written to. */
function limitWrite(
  { cgroupMountPath, capture }: NodeRoot,
  kubepods: string,
  overrides: boolean,
): CgroupFacts['limitWrite'] {
  if (cgroupMountPath === undefined || capture !== undefined) return undefined;
  const code = writeLack(`${cgroupMountPath}/${kubepods}/memory.low`, overrides);
  if (code === undefined) return 'allowed';
  return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : { code };
}

function protectionOf(tree: FileTree, cgroup: string): AncestorProtection {
  const limit = (file: string): bigint | 'max' | undefined => {
    const read = tree.readFile(`${cgroup}/${file}`);
    return read.kind === 'read' ? parseLimit(read.text) : undefined;
  };
  return { cgroup, ...present('min', limit('memory.min')), ...present('low', limit('memory.low')) };
}
