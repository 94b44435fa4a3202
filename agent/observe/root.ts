import type { FileTree } from '../../cgroup/file-tree.ts';
import type { CaptureManifest } from '../capture/manifest.ts';

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

/** Opens a root. Throws Failure 65 for an archive that cannot be one, 66 where there is nothing, 77 without permission. */
export async function openRoot(options: RootOptions): Promise<NodeRoot> {
  await Promise.resolve();
  throw new Error(`not there yet: ${options.root}`);
}

/** Throws Failure 69 with one sentence unless the root has cgroup v2 with its memory controller. */
export function requireCgroup2(root: NodeRoot): void {
  throw new Error(`not there yet: ${root.name}`);
}
