import { reservedCgroups } from '../../../cgroup/reserved.ts';
import { type CgroupSnapshot, readCgroupSnapshot } from '../../../cgroup/snapshot.ts';
import { CAPACITY_NOT_KNOWN } from '../../../cgroup/throttling.ts';
import { warning } from '../../../cgroup/warning.ts';
import { evictionThresholds } from '../../../config/policy.ts';
import { type MemoryQosPlan, memoryQosPlan } from '../../decide/memory-qos-plan.ts';
import { foreignListHere } from '../../observe/pods/pods-in-tree.ts';
import { type NodeInputs, requireCapacity } from '../inputs/inputs.ts';

/** A plan, and what it was made from; the snapshot is undefined offline. */
export interface PlanOfNode {
  readonly plan: MemoryQosPlan;
  readonly snapshot: CgroupSnapshot | undefined;
}

/**
 * Reads the node's cgroups, where there is a node, and plans. Nothing is written. Throws Failure
 * 64 or 69 where a value depends on a memory capacity that is not known.
 */
export function planOfNode(inputs: NodeInputs): PlanOfNode {
  const { root, kubelet, nodeqos, policy, layout, machine } = inputs;
  const snapshot =
    root === undefined
      ? undefined
      : readCgroupSnapshot(root.cgroups, {
          layout,
          reserved: reservedCgroups(kubelet, layout).map(({ cgroup }) => cgroup),
          workingSets: policy.protection === 'safe',
        });
  const message = anotherNodesList(inputs);
  const foreign = message === undefined ? [] : [warning('pods-of-another-node', message)];
  const plan = memoryQosPlan({
    pods: inputs.pods,
    kubelet,
    policy,
    thresholds: evictionThresholds(kubelet, nodeqos),
    machine,
    nodeObject: inputs.nodeObject,
    layout,
    snapshot,
    warnings: [...inputs.warnings, ...foreign],
  });
  // A memory.high for want of a capacity would be `max`, which is another plan and not an unknown one.
  if (plan.entries.some(({ reason }) => reason === CAPACITY_NOT_KNOWN)) {
    requireCapacity(inputs);
  }
  return { plan, snapshot };
}

/** The sentence for a list of pods that is another node's; undefined for any other, and offline. */
function anotherNodesList({ root, pods, layout }: NodeInputs): string | undefined {
  return root === undefined ? undefined : foreignListHere(pods, { tree: root.cgroups, layout });
}
