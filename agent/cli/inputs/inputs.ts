import type { CgroupLayout } from '../../../cgroup/paths.ts';
import type { Warning } from '../../../cgroup/warning.ts';
import type { TextFile } from '../../../config/finding.ts';
import type { KubeletSettings } from '../../../config/kubelet/settings.ts';
import type { NodeQosSettings } from '../../../config/nodeqos/settings.ts';
import type { MemoryQosPolicy } from '../../../config/policy.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { NodeObject } from '../../model/node.ts';
import type { Pod } from '../../model/pod.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import type { Machine } from '../../observe/machine.ts';
import { present } from '../../observe/present.ts';
import { type NodeRoot, openRoot, requireCgroup2 } from '../../observe/root.ts';
import type { Io } from '../console/io.ts';
import { type Configuration, loadConfiguration } from './configuration.ts';
import { type InputArguments, loadSetup, type NodeSetup } from './node-setup.ts';
import { podsNotKnown } from './pod-input.ts';
import { kubeletSummary, podsHere } from './pods-here.ts';
import { statsSource } from './stats-source.ts';

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
  /** The name of the node, as far as somebody said it. */
  readonly nodeName: string | undefined;
  readonly nodeObject: NodeObject | undefined;
  /** The machine, with what the command line says instead of what was seen. */
  readonly machine: Machine;
  readonly layout: CgroupLayout;
  /** What the kubelet answered, where it tells the statistics and they are needed. */
  readonly summary?: TextFile;
  readonly warnings: readonly Warning[];
}

/** What a command needs besides the configuration. */
export interface InputNeeds {
  /** `status` shows a node without knowing its pods. */
  readonly pods: 'required' | 'if-known';
  /** Ranking by a saved summary needs no cgroup tree. */
  readonly cgroups: 'required' | 'unless-summary';
  /** Of the commands that look at usage. `if-told`: those of a kubelet that only the configuration names may be missing. */
  readonly statistics?: 'required' | 'if-told';
}

/** Opens the root, reads the configurations, the machine and the pods, and decides the layout. Throws Failure. */
export async function loadInputs(args: InputArguments, io: Io, needs: InputNeeds): Promise<NodeInputs> {
  const root = args.offline ? undefined : await openRoot({ root: args.root, cgroupRoot: args.cgroupRoot });
  if (root !== undefined && needs.cgroups === 'required') requireCgroup2(root);
  const configuration = loadConfiguration(args, root, io);
  if (needs.cgroups === 'unless-summary') requireStatistics(args, root, configuration);
  const setup = loadSetup(args, root, configuration);
  const { kubelet, nodeqos, policy, nodeObject, machine, layout } = setup;
  const found = await podsHere(setup, io);
  if (found === undefined && needs.pods === 'required') throw podsNotKnown();
  const summary = await neededSummary(args, needs, setup, io);
  return {
    root,
    kubelet,
    nodeqos,
    policy,
    podsRead: found?.read,
    pods: found?.pods ?? [],
    nodeName: setup.places.nodeName,
    nodeObject,
    machine,
    layout,
    ...present('summary', summary),
    warnings: [...setup.machineWarnings, ...(found?.warnings ?? []), ...setup.driverWarnings],
  };
}

async function neededSummary(
  args: InputArguments,
  needs: InputNeeds,
  setup: NodeSetup,
  io: Io,
): Promise<TextFile | undefined> {
  if (needs.statistics === undefined) return undefined;
  try {
    return await kubeletSummary(args.stats, setup, io);
  } catch (error) {
    const isWanted = needs.statistics === 'required' || args.stats !== undefined;
    if (isWanted || !(error instanceof Failure)) throw error;
    io.warn(`${error.message}; its statistics are left out`);
    return undefined;
  }
}

function requireStatistics(
  args: InputArguments,
  root: NodeRoot | undefined,
  { nodeqos }: Configuration,
): void {
  const source = statsSource(args.stats, { root, nodeqos });
  if (root !== undefined && source.kind === 'cgroup') requireCgroup2(root);
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
