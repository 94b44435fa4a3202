import type { GroupTree } from '../../decide/group-tree.ts';
import type { ClusterSnapshot, SchedulingPod } from '../../model/cluster.ts';
import { Loads, resourcesOf } from '../fit/load.ts';
import type { NodeRoom } from '../fit/node-room.ts';
import { type OccupiedNode, occupiedNodes, roomFor } from '../fit/occupied-nodes.ts';
import type { SchedulerRelease } from '../preempt/scheduler-release.ts';
import { branchesOf, type GroupBranch, pendingOf } from './group-hierarchy.ts';

/** A node with what of it is left for the group; undefined where the node does not say what it has. */
export interface GroupNode {
  readonly occupied: OccupiedNode;
  readonly room: NodeRoom | undefined;
}

/** A root group with pods that look for a node, and the cluster as they find it. */
export interface GroupScene {
  readonly root: GroupBranch;
  readonly priority: number;
  readonly pending: readonly SchedulingPod[];
  /** How many pods their scheduling gates hold back. */
  readonly gated: number;
  /** By name of the node. */
  readonly nodes: readonly GroupNode[];
  readonly loads: Loads;
  readonly snapshot: ClusterSnapshot;
  readonly tree: GroupTree;
  readonly release: SchedulerRelease;
}

type Surroundings = Pick<GroupScene, 'snapshot' | 'tree' | 'release'>;

/** The cluster as a root group finds it. A group without a priority is of 0. */
export function sceneOf(root: GroupBranch, surroundings: Surroundings): GroupScene {
  const pending = pendingOf(root);
  const priority = root.group.priority ?? 0;
  const loads = new Loads(resourcesOf(pending));
  const nodes = occupiedNodes(surroundings.snapshot).map(
    (occupied): GroupNode => ({ occupied, room: roomFor(pending, priority, occupied, loads) }),
  );
  const gated = branchesOf(root).flatMap((branch) => branch.gated).length;
  return { root, priority, pending, gated, nodes, loads, ...surroundings };
}
