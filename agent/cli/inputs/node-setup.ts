import { chooseDriver, type DriverChoice, detectDriver } from '../../../cgroup/driver.ts';
import { type CgroupLayout, cgroupLayout } from '../../../cgroup/paths.ts';
import type { Warning } from '../../../cgroup/warning.ts';
import type { KubeletSettings } from '../../../config/kubelet/settings.ts';
import { type MemoryQosPolicy, memoryQosPolicy } from '../../../config/policy.ts';
import type { NodeObject } from '../../model/node.ts';
import { type CapturedTexts, capturedTexts } from '../../observe/captured/captured-inputs.ts';
import type { Machine } from '../../observe/machine.ts';
import type { NodeRoot } from '../../observe/root.ts';
import {
  type Configuration,
  type ConfigurationArguments,
  type WhatIfArguments,
  whatIfOf,
} from './configuration.ts';
import { type MachineArguments, machineOf, nodeObjectOf } from './machine-input.ts';
import type { PodPlaces } from './pod-input.ts';

/** What the commands about a node take from the command line. */
export interface InputArguments extends ConfigurationArguments, MachineArguments, WhatIfArguments {
  readonly root: string;
  readonly cgroupRoot?: string | undefined;
  readonly pods?: string | undefined;
  readonly nodeName?: string | undefined;
  readonly cgroupDriver: 'systemd' | 'cgroupfs' | 'auto';
  readonly offline: boolean;
  /** Of the commands that look at usage. */
  readonly stats?: string | undefined;
}

/** What the configurations and the machine say, before anybody asks for pods. */
export interface NodeSetup extends Configuration {
  readonly policy: MemoryQosPolicy;
  readonly nodeObject: NodeObject | undefined;
  readonly machine: Machine;
  readonly layout: CgroupLayout;
  /** Where this setup has its pods from. */
  readonly places: PodPlaces;
  readonly machineWarnings: readonly Warning[];
  readonly driverWarnings: readonly Warning[];
}

/** Looks at the machine of an opened root, under configurations that were read. Throws Failure. */
export function loadSetup(
  args: InputArguments,
  root: NodeRoot | undefined,
  configuration: Configuration,
): NodeSetup {
  const { kubelet, nodeqos, files } = configuration;
  const captured = root && capturedTexts(root);
  const nodeObject = nodeObjectOf(args, captured);
  const machine = machineOf(args, root, nodeObject, captured);
  const driver = driverOf(args, root, kubelet, captured);
  return {
    kubelet,
    nodeqos,
    files,
    policy: memoryQosPolicy(kubelet, nodeqos, whatIfOf(args)),
    nodeObject,
    machine,
    layout: cgroupLayout(driver.driver, kubelet.cgroupRoot),
    places: {
      named: args.pods,
      root,
      captured,
      nodeName: args.nodeName ?? nodeObject?.name ?? captured?.nodeName,
    },
    machineWarnings: machine.warnings,
    driverWarnings: driver.warnings,
  };
}

function driverOf(
  args: InputArguments,
  root: NodeRoot | undefined,
  kubelet: KubeletSettings,
  captured: CapturedTexts | undefined,
): DriverChoice {
  return chooseDriver({
    asked: args.cgroupDriver === 'auto' ? captured?.cgroupDriver : args.cgroupDriver,
    found: root && detectDriver(root.cgroups, kubelet.cgroupRoot),
    configured: kubelet.cgroupDriver,
    configuredIsStated: kubelet.cgroupDriverStated,
  });
}
