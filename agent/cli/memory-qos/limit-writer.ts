import { limitFiles } from '../../../cgroup/disk/cgroup-writer.ts';
import type { Mount } from '../../../cgroup/disk/mount.ts';
import type { LimitFiles, LimitWriter } from '../../../cgroup/limit-port.ts';
import { unitNameOf } from '../../../cgroup/units/unit-name.ts';
import { UnitLimits } from '../../act/limits/unit-limits.ts';
import { SystemBus } from '../../act/units/system-bus.ts';
import { unitManager } from '../../act/units/unit-manager.ts';
import { observeMachine } from '../../observe/machine.ts';
import type { NodeRoot } from '../../observe/root.ts';
import { systemClock } from '../../observe/system-clock.ts';

/** `memoryQos.writer`. */
export type WriterSetting = LimitWriter | 'auto';

/** The limit files of a node, by whichever way they are written. */
export interface NodeLimits {
  readonly files: LimitFiles;
  /** Lets go of the bus, if there is one. */
  readonly close: () => void;
}

export interface NodeLimitsParts {
  readonly root: NodeRoot;
  readonly mount: Mount;
  /** The setting that is in force now. */
  readonly writer: () => WriterSetting;
  /** Told why systemd does not set values at the moment; undefined when it does again. */
  readonly told?: (lack: string | undefined) => void;
}

/** Where every system bus listens that systemd starts. */
export const SYSTEM_BUS = '/run/dbus/system_bus_socket';
const CGROUP_MOUNT = '/sys/fs/cgroup';

/** Limits of this machine can go through its systemd; a folder, a fake node and a mount elsewhere have none. */
export function nodeLimits({ root, mount, writer, told }: NodeLimitsParts): NodeLimits {
  const direct = limitFiles(mount);
  if (!hasSystemd(root)) return { files: direct, close: () => undefined };
  const units = unitManager(new SystemBus(SYSTEM_BUS));
  const { pageSizeBytes } = observeMachine(root);
  const { cgroups: tree } = root;
  const files = new UnitLimits({ direct, units, tree, pageSizeBytes, clock: systemClock, writer, told });
  return {
    files,
    close: () => {
      units.close();
    },
  };
}

/** Which way values go, and why not the one that is wanted. */
export interface WriterStanding {
  readonly memoryQosWriter: LimitWriter;
  readonly memoryQosWriterBecause?: string;
}

/** Asks systemd, once, whether values of the cgroups below `kubepods` can go through it. */
export async function writerStanding(
  root: NodeRoot,
  kubepods: string,
  writer: WriterSetting,
): Promise<WriterStanding> {
  if (writer === 'cgroupfs' || !hasSystemd(root)) return { memoryQosWriter: 'cgroupfs' };
  if (unitNameOf(kubepods) === undefined) {
    return { memoryQosWriter: 'cgroupfs', memoryQosWriterBecause: `${kubepods} is no unit of systemd` };
  }
  const units = unitManager(new SystemBus(SYSTEM_BUS));
  const lack = await units.lack();
  units.close();
  if (lack === undefined) return { memoryQosWriter: 'systemd' };
  return {
    memoryQosWriter: writer === 'systemd' ? 'systemd' : 'cgroupfs',
    memoryQosWriterBecause: lack.error,
  };
}

/** Whether the cgroups of a root may be units of this machine's systemd. */
export function hasSystemd({ kind, isFake, cgroupMountPath }: NodeRoot): boolean {
  return kind === 'host' && !isFake && cgroupMountPath === CGROUP_MOUNT;
}
