import type { CgroupDriver } from '../config/kubelet/settings.ts';
import type { FileTree } from './file-tree.ts';
import { cgroupLayout } from './paths.ts';
import { type Warning, warning } from './warning.ts';

/** The driver whose kubepods folder is in the tree; undefined when neither or both are there. */
export function detectDriver(tree: FileTree, cgroupRoot: string): CgroupDriver | undefined {
  const systemd = hasKubepods(tree, 'systemd', cgroupRoot);
  const cgroupfs = hasKubepods(tree, 'cgroupfs', cgroupRoot);
  if (systemd === cgroupfs) {
    return undefined;
  }
  return systemd ? 'systemd' : 'cgroupfs';
}

function hasKubepods(tree: FileTree, driver: CgroupDriver, cgroupRoot: string): boolean {
  return tree.readDirectory(cgroupLayout(driver, cgroupRoot).kubepods).kind === 'read';
}

export interface DriverChoice {
  readonly driver: CgroupDriver;
  readonly warnings: readonly Warning[];
}

/**
 * The driver to plan for: what was asked for, then what the tree shows, then what KubeletConfiguration says. The last is
 * `cgroupfs` where it says nothing (kubelet default). A tree that contradicts what was asked or stated is a warning.
 */
export function chooseDriver(sources: {
  readonly asked: CgroupDriver | undefined;
  readonly found: CgroupDriver | undefined;
  readonly configured: CgroupDriver;
  readonly configuredIsStated: boolean;
}): DriverChoice {
  const { asked, found, configured, configuredIsStated } = sources;
  const driver = asked ?? found ?? configured;
  const others: string[] = [];
  if (found !== undefined && found !== driver) {
    others.push(`the cgroup tree is laid out by ${found}`);
  }
  if (configuredIsStated && configured !== driver) {
    others.push(`KubeletConfiguration says ${configured}`);
  }
  if (others.length === 0) {
    return { driver, warnings: [] };
  }
  const message = `cgroup driver ${driver} is used, but ${others.join(' and ')}`;
  return { driver, warnings: [warning('cgroup-driver-disagreement', message)] };
}
