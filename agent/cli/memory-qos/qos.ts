import { API_VERSION } from '../../../config/api-version.ts';
import { distinctPods } from '../../decide/distinct-pods.ts';
import { podEntry } from '../../decide/pod-entry.ts';
import { podWarnings } from '../../decide/pod-warnings.ts';
import { otherNodeWarning, podsNamingNode } from '../../decide/pods-of-node.ts';
import { EXIT, type ExitStatus, Failure } from '../../exit.ts';
import type { Pod } from '../../model/pod.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import { capturedTexts } from '../../observe/captured/captured-inputs.ts';
import { isRemote, parseSourceName } from '../../observe/pods/source-name.ts';
import { openRoot } from '../../observe/root.ts';
import { defineCommand } from '../console/command.ts';
import { sayWarnings } from '../console/document.ts';
import type { Io } from '../console/io.ts';
import { NODE_OPTIONS, OUTPUT_OPTIONS } from '../console/options.ts';
import { type OutputFormat, printDocument } from '../console/print.ts';
import { type ConfigurationArguments, loadConfiguration } from '../inputs/configuration.ts';
import { type MachineArguments, machineOf, nodeObjectOf } from '../inputs/machine-input.ts';
import { type PodPlaces, podSourceName, podsNamed, podsNotKnown } from '../inputs/pod-input.ts';
import { podsRead } from '../inputs/pods-here.ts';
import { qosTable } from './qos-table.ts';

/** What `qos` takes from the command line. */
export interface QosArguments extends ConfigurationArguments, MachineArguments {
  readonly root: string;
  readonly cgroupRoot?: string | undefined;
  readonly pods?: string | undefined;
  readonly nodeName?: string | undefined;
  readonly offline: boolean;
  readonly output: OutputFormat;
}

/** `nodeqos qos`: classes and effective resources of pods. It needs no cgroup tree. */
export const qosCommand = defineCommand({
  signature: 'qos',
  summary: 'Classes and effective resources of pods',
  positionals: {},
  options: {
    ...NODE_OPTIONS,
    ...OUTPUT_OPTIONS,
  },
  run: (args, io) => runQos(args, io),
});

/**
 * Prints a QosReport of every pod of the input, in its order, finished ones too; a node's name leaves those of other
 * nodes out, and a mirror pod is left out where its static pod is there. Throws Failure: 65 for malformed pods and
 * doubled UIDs, 66 and 77 for files that are not there or not readable, 64 where no pods are named.
 */
export async function runQos(args: QosArguments, io: Io): Promise<ExitStatus> {
  const root = args.offline ? undefined : await openRoot({ root: args.root, cgroupRoot: args.cgroupRoot });
  const captured = root === undefined ? undefined : capturedTexts(root);
  const node = nodeObjectOf(args, captured);
  const { memoryCapacityBytes } = machineOf(args, root, node, captured);
  const nodeName = args.nodeName ?? node?.name ?? captured?.nodeName;
  const places: PodPlaces = { named: args.pods, root, captured, nodeName };
  const read = await podsOf(args, places, io);
  const pods = listedPods(read.pods, nodeName, podSourceName(places));

  sayWarnings(io, [
    ...read.warnings,
    ...otherNodeWarning(read.pods, pods, nodeName),
    ...pods.flatMap(podWarnings),
  ]);
  const entries = pods.map((pod) => podEntry(pod, memoryCapacityBytes));
  const report = { apiVersion: API_VERSION, kind: 'QosReport', pods: entries };
  printDocument(io, args.output, report, () => qosTable(entries, io.columns));
  return EXIT.ok;
}

/** The pods to list, each once. Without a node's name all nodes' pods are listed. Throws Failure 65. */
function listedPods(pods: readonly Pod[], nodeName: string | undefined, source: string): readonly Pod[] {
  const distinct = distinctPods(nodeName === undefined ? pods : podsNamingNode(pods, nodeName));
  if (!distinct.ok) {
    throw new Failure(EXIT.badData, `${source}${distinct.message}`);
  }
  return distinct.value;
}

/**
 * Classes follow from the pods alone, so the configurations are read only where they are named, or where only they can say
 * which pods run here, or how somebody is asked for them.
 */
async function podsOf(args: QosArguments, places: PodPlaces, io: Io): Promise<PodsRead> {
  const isAsked = places.named !== undefined && isRemote(parseSourceName(places.named));
  const named = isAsked ? undefined : podsNamed(places);
  const isConfigured = args.kubeletConfig ?? args.kubeletConfigDir ?? args.config;
  if (named !== undefined && isConfigured === undefined) {
    return named;
  }
  const configuration = loadConfiguration(args, places.root, io);
  const read = named ?? (await podsRead({ ...configuration, places }, io));
  if (read === undefined) {
    throw podsNotKnown();
  }
  return read;
}
