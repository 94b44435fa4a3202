import { isFinished } from '../../decide/critical.ts';
import { byText } from '../../decide/ordered-by.ts';
import { priorityOf } from '../../decide/priority.ts';
import type { ClusterNode, ClusterSnapshot, SchedulingPod } from '../../model/cluster.ts';
import { groupedBy } from '../grouped-by.ts';
import type { Loads } from './load.ts';
import { NodeRoom } from './node-room.ts';

/** A node and who is there. */
export interface OccupiedNode {
  readonly node: ClusterNode;
  /** Pods that hold something: scheduled, and not finished. Terminating ones do. */
  readonly pods: readonly SchedulingPod[];
  /** Pods without a node that this one is being made free for. */
  readonly nominated: readonly SchedulingPod[];
}

/** The nodes of a snapshot with their pods, nodes by name; pods on other nodes are in none. */
export function occupiedNodes({ nodes, pods }: ClusterSnapshot): readonly OccupiedNode[] {
  const active = pods.filter((pod) => !isFinished(pod));
  const placed = groupedBy(active, ({ nodeName }) => nodeName);
  const nominated = groupedBy(active, ({ nodeName, nominatedNodeName }) =>
    nodeName === undefined ? nominatedNodeName : undefined,
  );
  return nodes.toSorted(byText(({ name }) => name)).map((node) => ({
    node,
    pods: placed.get(node.name) ?? [],
    nominated: nominated.get(node.name) ?? [],
  }));
}

/**
 * What a node has left for a pod of this priority: its pods take their share, and so do others that it is nominated for
 * and that are as important or more so (scheduler: Filter with nominated pods; without affinity a node that fits with them
 * fits without them too). `incoming` itself takes nothing. Undefined where the node does not say what it has.
 */
export function roomFor(
  incoming: readonly SchedulingPod[],
  priority: number,
  occupied: OccupiedNode,
  loads: Loads,
): NodeRoom | undefined {
  if (occupied.node.allocatable === undefined) return undefined;
  const room = new NodeRoom(occupied.node.allocatable, loads.names);
  for (const pod of occupied.pods) room.add(loads.of(pod));
  for (const pod of occupied.nominated) {
    if (priorityOf(pod) >= priority && !incoming.includes(pod)) room.add(loads.of(pod));
  }
  return room;
}
