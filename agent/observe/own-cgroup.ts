import { readlinkSync, statSync } from 'node:fs';
import type { FileTree } from '../../cgroup/file-tree.ts';

/** The cgroup namespace that the kernel starts with: PROC_CGROUP_INIT_INO of linux/proc_ns.h. */
const INITIAL_NAMESPACE = 'cgroup:[4026531835]';

/** Where a process sees its own cgroups. */
export interface OwnView {
  readonly namespaceLink: string;
  /** What the runtime of a container mounts: the root of its cgroup namespace. */
  readonly mountPoint: string;
}

const OWN_VIEW: OwnView = { namespaceLink: '/proc/self/ns/cgroup', mountPoint: '/sys/fs/cgroup' };

/**
 * The cgroup that is the root of this process' cgroup namespace, as a path below a mount of all cgroups; undefined in the
 * namespace of the machine, or where the mount does not hold it. A kernel whose mount has `nsdelegate` lets nobody write the
 * limits of that one from inside of the namespace (cgroup-v2, "Delegation Containment"), whatever his capabilities are.
 */
export function ownNamespaceRoot(
  cgroups: FileTree,
  cgroupMountPath: string,
  view: OwnView = OWN_VIEW,
): string | undefined {
  try {
    if (readlinkSync(view.namespaceLink) === INITIAL_NAMESPACE) return undefined;
    const own = statSync(view.mountPoint, { bigint: true });
    const all = statSync(cgroupMountPath, { bigint: true });
    return own.dev === all.dev && own.ino !== all.ino ? pathOf(own.ino, cgroups, '') : undefined;
  } catch {
    // No /proc, or no cgroups of its own: nothing is known to be closed to it.
    return undefined;
  }
}

function pathOf(inode: bigint, cgroups: FileTree, above: string): string | undefined {
  const read = cgroups.readDirectory(above);
  for (const name of read.kind === 'read' ? read.directories : []) {
    const cgroup = above === '' ? name : `${above}/${name}`;
    const found = cgroups.inodeOf(cgroup) === inode ? cgroup : pathOf(inode, cgroups, cgroup);
    if (found !== undefined) return found;
  }
  return undefined;
}
