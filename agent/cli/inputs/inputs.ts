import { chooseDriver, type DriverChoice, detectDriver } from '../../../cgroup/driver.ts';
import { type CgroupLayout, cgroupLayout } from '../../../cgroup/paths.ts';
import type { Warning } from '../../../cgroup/warning.ts';
import type { KubeletSettings } from '../../../config/kubelet/settings.ts';
import type { NodeQosSettings } from '../../../config/nodeqos/settings.ts';
import { type MemoryQosPolicy, memoryQosPolicy } from '../../../config/policy.ts';
import { podsOfNode } from '../../decide/pods-of-node.ts';
import { EXIT, Failure } from '../../exit.ts';
import { identitiesInTree } from '../../fake/identities-in-tree.ts';
import type { NodeObject } from '../../model/node.ts';
import type { Pod } from '../../model/pod.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import { type CapturedTexts, capturedTexts } from '../../observe/captured/captured-inputs.ts';
import type { Machine } from '../../observe/machine.ts';
import { type NodeRoot, openRoot, requireCgroup2 } from '../../observe/root.ts';
import type { Io } from '../console/io.ts';
import {
  type Configuration,
  type ConfigurationArguments,
  loadConfiguration,
  type WhatIfArguments,
  whatIfOf,
} from './configuration.ts';
import { type MachineArguments, machineOf, nodeObjectOf } from './machine-input.ts';
import { type PodPlaces, podSourceName, podsConfigured, podsNamed, podsNotKnown } from './pod-input.ts';
import { statsSource } from './stats-source.ts';

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

/** Everything that the commands about a node start from. */
export interface NodeInputs {
  /** Absent with --offline. */
  readonly root: NodeRoot | undefined;
  readonly kubelet: KubeletSettings;
  readonly nodeqos: NodeQosSettings;
  readonly policy: MemoryQosPolicy;
  /** All pods of the input, before those of this node were chosen; absent where it is not known which pods run. */
  readonly podsRead: PodsRead | undefined;
  /** The pods of this node that count. */
  readonly pods: readonly Pod[];
  readonly nodeObject: NodeObject | undefined;
  /** The machine, with what the command line says instead of what was seen. */
  readonly machine: Machine;
  readonly layout: CgroupLayout;
  readonly warnings: readonly Warning[];
}

/** What a command needs besides the configuration. */
export interface InputNeeds {
  /** `status` shows a node without knowing its pods. */
  readonly pods: 'required' | 'if-known';
  /** Ranking by a saved summary needs no cgroup tree. */
  readonly cgroups: 'required' | 'unless-summary';
}

/** Opens the root, reads the configurations, the machine and the pods, and decides the layout. Throws Failure. */
export async function loadInputs(args: InputArguments, io: Io, needs: InputNeeds): Promise<NodeInputs> {
  const root = args.offline ? undefined : await openRoot({ root: args.root, cgroupRoot: args.cgroupRoot });
  if (root !== undefined && needs.cgroups === 'required') requireCgroup2(root);
  const configuration = loadConfiguration(args, root, io);
  if (needs.cgroups === 'unless-summary') requireStatistics(args, root, configuration);
  const setup = loadSetup(args, root, configuration);
  const { kubelet, nodeqos, policy, nodeObject, machine, layout } = setup;
  const found = podsHere(setup);
  if (found === undefined && needs.pods === 'required') throw podsNotKnown();
  return {
    root,
    kubelet,
    nodeqos,
    policy,
    podsRead: found?.read,
    pods: found?.pods ?? [],
    nodeObject,
    machine,
    layout,
    warnings: [...setup.machineWarnings, ...(found?.warnings ?? []), ...setup.driverWarnings],
  };
}

function requireStatistics(
  args: InputArguments,
  root: NodeRoot | undefined,
  { nodeqos }: Configuration,
): void {
  const source = statsSource(args.stats, { root, nodeqos });
  if (root !== undefined && source.kind === 'cgroup') requireCgroup2(root);
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

/** Pods as they were read. */
export interface PodsHere {
  /** All pods of the input, before those of this node were chosen. */
  readonly read: PodsRead;
  /** The pods of this node that count. */
  readonly pods: readonly Pod[];
  readonly warnings: readonly Warning[];
}

/**
 * The pods of this node that count; undefined where nothing says which pods run here. Throws Failure 65 where they
 * contradict each other, 66 and 77 for files that are not there or not readable.
 */
export function podsHere(setup: NodeSetup): PodsHere | undefined {
  const { places, layout } = setup;
  const read = podsNamed(places) ?? podsConfigured(places, setup);
  if (read === undefined) return undefined;
  const counted = podsOfNode(read.pods, places.nodeName);
  if (!counted.ok) throw new Failure(EXIT.badData, `${podSourceName(places)}${counted.message}`);
  const { root } = places;
  const pods =
    root?.isFake === true ? identitiesInTree(counted.value.pods, layout, root.cgroups) : counted.value.pods;
  return { read, pods, warnings: [...read.warnings, ...counted.value.warnings] };
}

/** The capacity, or Failure 64: for commands whose answer depends on it. */
export function requireCapacity(inputs: NodeInputs): bigint {
  const capacity = inputs.machine.memoryCapacityBytes;
  if (capacity !== undefined) return capacity;
  if (inputs.root === undefined) {
    throw new Failure(
      EXIT.usage,
      '--offline needs the memory capacity: give --memory-capacity Q or --node FILE',
    );
  }
  throw new Failure(
    EXIT.unavailable,
    `${inputs.root.files.nameOf('proc/meminfo')} has no MemTotal that can be read; give --memory-capacity Q or --node FILE`,
  );
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
