import { hostname } from 'node:os';
import type { Warning } from '../../../cgroup/warning.ts';
import type { TextFile } from '../../../config/finding.ts';
import { podsOfNode } from '../../decide/pods-of-node.ts';
import { EXIT, Failure } from '../../exit.ts';
import { identitiesInTree } from '../../fake/identities-in-tree.ts';
import type { Pod } from '../../model/pod.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import { parseSourceName } from '../../observe/pods/source-name.ts';
import { systemClock } from '../../observe/system-clock.ts';
import { kubeletSummaryText } from '../../peers/kubelet/kubelet-summary.ts';
import type { Clock } from '../../ports.ts';
import type { Io } from '../console/io.ts';
import type { NodeSetup } from './node-setup.ts';
import { Peers } from './peers.ts';
import { type PodSetup, podFeed } from './pod-feed.ts';
import { podSourceName, podsInFiles } from './pod-input.ts';
import { statsSource } from './stats-source.ts';

/** Pods as they were read. */
export interface PodsHere {
  /** All pods of the input, before those of this node were chosen. */
  readonly read: PodsRead;
  /** The pods of this node that count. */
  readonly pods: readonly Pod[];
  readonly warnings: readonly Warning[];
}

/** Those who may be asked for the pods of a setup. Whoever has them closes them. */
export function peersOf({ kubelet, nodeqos, places }: PodSetup, env: Io['env'], clock: Clock): Peers {
  const { root, nodeName } = places;
  const source = parseSourceName(places.named ?? nodeqos.pods.source);
  return new Peers({ kubelet, nodeqos, root, source, nodeName, hostname: hostname(), env, clock });
}

/**
 * The pods of this node that count, from files or from whoever is asked over a connection; undefined where nothing says which
 * pods run here. Throws Failure 65 where they contradict each other, 66 and 77 for files that are not there or not readable,
 * 69 and 77 for somebody who does not answer or may not be asked.
 */
export async function podsHere(
  setup: PodSetup & Pick<NodeSetup, 'layout'>,
  io: Io,
): Promise<PodsHere | undefined> {
  const read = await podsRead(setup, io);
  return read === undefined ? undefined : countedPods(setup, read);
}

/** All pods of the source, as of `podsHere`. */
export async function podsRead(setup: PodSetup, { env, signal }: Io): Promise<PodsRead | undefined> {
  const peers = peersOf(setup, env, systemClock);
  try {
    const feed = podFeed(setup, peers);
    return feed === undefined ? podsInFiles(setup.places, setup) : (await feed.list(signal))?.read;
  } finally {
    peers.close();
  }
}

/** The pods of a reading that count on this node. Throws Failure 65 where they contradict each other. */
export function countedPods(
  { places, layout }: Pick<NodeSetup, 'places' | 'layout'>,
  read: PodsRead,
): PodsHere {
  const counted = podsOfNode(read.pods, places.nodeName);
  if (!counted.ok) throw new Failure(EXIT.badData, `${podSourceName(places)}${counted.message}`);
  const { root } = places;
  const pods =
    root?.isFake === true ? identitiesInTree(counted.value.pods, layout, root.cgroups) : counted.value.pods;
  return { read, pods, warnings: [...read.warnings, ...counted.value.warnings] };
}

/** What the kubelet answers that tells the statistics; undefined where they are from somewhere else. Throws Failure. */
export async function kubeletSummary(
  named: string | undefined,
  setup: PodSetup,
  { env, signal }: Io,
): Promise<TextFile | undefined> {
  const { root } = setup.places;
  const source = statsSource(named, { root, nodeqos: setup.nodeqos });
  if (source.kind !== 'kubelet') return undefined;
  const peers = peersOf(setup, env, systemClock);
  try {
    return await kubeletSummaryText(peers.kubelet(source.url), signal);
  } finally {
    peers.close();
  }
}
