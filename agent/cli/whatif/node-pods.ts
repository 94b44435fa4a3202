import { isUnscheduled, podsOfNode } from '../../decide/pods-of-node.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { NodeObject } from '../../model/node.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import { readPods } from '../../observe/pods/pod-source.ts';
import { isRemote, parseSourceName } from '../../observe/pods/source-name.ts';
import { openRoot } from '../../observe/root.ts';
import type { Io } from '../console/io.ts';
import { type ConfigurationArguments, loadConfiguration } from '../inputs/configuration.ts';
import { podsRead } from '../inputs/pods-here.ts';

/** Pods of a source that count on a node, and how many of it no node has. */
export interface PodsOnNode extends PodsRead {
  readonly unscheduled: number;
}

/** From where the pods of a node are wanted. */
export interface NodePodsArguments extends ConfigurationArguments {
  readonly pods: string;
}

/**
 * The pods of a source that count on a node. Of what there is to say about them only that is said which matters to a
 * question about a node. Throws Failure 64, 65, 66, 69 and 77.
 */
export async function podsOnNode(args: NodePodsArguments, node: NodeObject, io: Io): Promise<PodsOnNode> {
  const { pods: source } = args;
  const read = isRemote(parseSourceName(source))
    ? await podsAsked(args, node, io)
    : readPods(source, undefined, node.name);
  const counted = podsOfNode(read.pods, node.name);
  if (!counted.ok) throw new Failure(EXIT.badData, `${source}: ${counted.message}`);
  const warnings = counted.value.warnings.filter(({ code }) => code !== 'pod-without-uid');
  return {
    pods: counted.value.pods,
    warnings: [...read.warnings, ...warnings],
    unscheduled: read.pods.filter(isUnscheduled).length,
  };
}

/** Whoever is asked over a connection is asked as the configurations of this machine say. */
async function podsAsked(args: NodePodsArguments, node: NodeObject, io: Io): Promise<PodsRead> {
  const root = await openRoot({ root: '/', cgroupRoot: undefined });
  const configuration = loadConfiguration(args, root, io);
  const places = { named: args.pods, root, captured: undefined, nodeName: node.name };
  return (await podsRead({ ...configuration, places }, io)) ?? { pods: [], warnings: [] };
}
