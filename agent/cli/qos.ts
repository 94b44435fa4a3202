import type { Warning } from '../../cgroup/warning.ts';
import { distinctPods } from '../decide/distinct-pods.ts';
import { podEntry } from '../decide/pod-entry.ts';
import { podWarnings } from '../decide/pod-warnings.ts';
import { otherNodeWarning, podsNamingNode } from '../decide/pods-of-node.ts';
import { EXIT, type ExitStatus, Failure } from '../exit.ts';
import type { NodeObject } from '../model/node.ts';
import type { Pod } from '../model/pod.ts';
import { type CapturedTexts, capturedTexts } from '../observe/captured/captured-inputs.ts';
import { observeMachine } from '../observe/machine.ts';
import { readNodeFile, readNodeText } from '../observe/node-object.ts';
import type { PodsRead } from '../observe/pod-documents.ts';
import { type NodeRoot, openRoot } from '../observe/root.ts';
import { defineCommand } from './command.ts';
import { type ConfigurationArguments, loadConfiguration } from './configuration.ts';
import { capacityOf } from './inputs.ts';
import type { Io } from './io.ts';
import {
  CONFIGURATION_OPTIONS,
  MACHINE_OPTIONS,
  OUTPUT_OPTIONS,
  POD_OPTIONS,
  ROOT_OPTIONS,
} from './options.ts';
import { type PodPlaces, podSourceName, podsConfigured, podsNamed, podsNotKnown } from './pod-input.ts';
import { type OutputFormat, printDocument } from './print.ts';
import { qosTable } from './qos-table.ts';

/** What `qos` takes from the command line. */
export interface QosArguments extends ConfigurationArguments {
  readonly root: string;
  readonly cgroupRoot?: string | undefined;
  readonly pods?: string | undefined;
  readonly nodeName?: string | undefined;
  readonly node?: string | undefined;
  readonly memoryCapacity?: string | undefined;
  readonly offline: boolean;
  readonly output: OutputFormat;
}

/** `nodeqos qos`: classes and effective resources of pods. It needs no cgroup tree. */
export const qosCommand = defineCommand({
  signature: 'qos',
  summary: 'Classes and effective resources of pods',
  positionals: {},
  options: {
    ...ROOT_OPTIONS,
    ...CONFIGURATION_OPTIONS,
    ...POD_OPTIONS,
    ...MACHINE_OPTIONS,
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
  const node = nodeOf(args, captured);
  const capacityBytes = memoryCapacityBytes(args, { root, captured, node });
  const nodeName = args.nodeName ?? node?.name ?? captured?.nodeName;
  const places: PodPlaces = { named: args.pods, root, captured, nodeName };
  const read = podsOf(args, places, io);
  const pods = listedPods(read.pods, nodeName, podSourceName(places));

  warnOf(
    [...read.warnings, ...otherNodeWarning(read.pods, pods, nodeName), ...pods.flatMap(podWarnings)],
    io,
  );
  const entries = pods.map((pod) => podEntry(pod, capacityBytes));
  const report = { apiVersion: 'nodeqos.dev/v1alpha1', kind: 'QosReport', pods: entries };
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
 * which pods run here.
 */
function podsOf(args: QosArguments, places: PodPlaces, io: Io): PodsRead {
  const named = podsNamed(places);
  const isConfigured = args.kubeletConfig ?? args.kubeletConfigDir ?? args.config;
  if (named !== undefined && isConfigured === undefined) {
    return named;
  }
  const configuration = loadConfiguration(args, places.root, io);
  const read = named ?? podsConfigured(places, configuration);
  if (read === undefined) {
    throw podsNotKnown();
  }
  return read;
}

function nodeOf(args: QosArguments, captured: CapturedTexts | undefined): NodeObject | undefined {
  if (args.node !== undefined) {
    return readNodeFile(args.node);
  }
  return captured?.node === undefined ? undefined : readNodeText(captured.node);
}

interface CapacitySources {
  readonly root: NodeRoot | undefined;
  readonly captured: CapturedTexts | undefined;
  readonly node: NodeObject | undefined;
}

/** The capacity that oom_score_adj is made from: what the command line says, else what is known of the machine. */
function memoryCapacityBytes(args: QosArguments, sources: CapacitySources): bigint | undefined {
  if (args.memoryCapacity !== undefined) {
    return capacityOf(args.memoryCapacity);
  }
  const { root, captured, node } = sources;
  const capacity =
    node?.memoryCapacityBytes ??
    captured?.memoryCapacityBytes ??
    (root === undefined ? undefined : observeMachine(root).memoryCapacityBytes);
  return capacity === undefined || capacity <= 0n ? undefined : capacity;
}

function warnOf(warnings: readonly Warning[], io: Io): void {
  for (const { message } of warnings) {
    io.warn(message);
  }
}
