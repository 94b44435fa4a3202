import type { Native, NativeLack } from '../../native/native.ts';
import { cgroupWake } from '../../observe/wake/cgroup-events.ts';
import { filesWake } from '../../observe/wake/files.ts';
import { hangupWake } from '../../observe/wake/hangup.ts';
import { pressureWake } from '../../observe/wake/psi.ts';
import type { WakeSource } from '../../ports.ts';
import type { Announcer } from '../../run/announcer.ts';
import type { Reload } from '../../run/reload.ts';
import type { Wakeup } from '../../run/wakeup.ts';
import { configurationPaths } from '../inputs/configuration.ts';
import { podPaths } from '../inputs/pod-input.ts';
import type { RunSetup, SetupParts } from './setup.ts';

export interface WakeParts {
  readonly native: Native | NativeLack;
  readonly announcer: Announcer;
  readonly wakeup: Wakeup;
  readonly reload: Reload;
  readonly signal: AbortSignal;
}

/**
 * Starts everything that can end a sleep early: memory pressure, cgroups that come and go, changed files, SIGHUP. What wakes
 * says no more than "look now". Gives whether the pressure trigger is armed.
 */
export async function startWakeSources(
  { args, root }: SetupParts,
  { node, taints }: RunSetup,
  { native, announcer, wakeup, reload, signal }: WakeParts,
): Promise<boolean> {
  const wake = (): void => {
    wakeup.wake();
  };
  const readAgain = (): void => {
    reload.want();
    wakeup.wake();
  };
  const failed = (sentence: string): void => {
    void announcer.trouble('native', sentence);
  };
  // The files of the configuration in force at the start: a reload that names others is asked for by SIGHUP.
  filesWake('configuration', configurationPaths(args, node.nodeqos), failed).start(readAgain, signal);
  filesWake('pods', podPaths(node.places, node), failed).start(wake, signal);
  filesWake('taints', taints.paths, failed).start(wake, signal);
  hangupWake.start(readAgain, signal);
  const lacks: string[] = [];
  const start = (source: WakeSource): boolean => {
    const lack = source.start(wake, signal);
    if (lack !== undefined) lacks.push(lack);
    return lack === undefined;
  };
  if (root.cgroupMountPath !== undefined) start(cgroupWake(root.cgroupMountPath, node.layout));
  // The pressure of this machine says nothing about a fake node.
  const isArmed =
    root.kind === 'host' && !root.isFake && start(pressureWake(native, '/proc/pressure/memory'));
  await announcer.trouble('native', lacks.length === 0 ? undefined : lacks.join('; '));
  return isArmed;
}
