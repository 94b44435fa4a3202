import type { ClusterNode } from '../../model/cluster.ts';
import type { Fields } from '../fields.ts';
import { readTaints } from '../node-taints.ts';
import { requiredName } from './object-name.ts';
import { refuseBeyondInt64 } from './scheduling-pod.ts';

/** Reads a v1 Node with what scheduling needs. Throws FieldFault. */
export function readClusterNode(node: Fields): ClusterNode {
  const status = node.map('status');
  const allocatable = status.quantities('allocatable');
  refuseBeyondInt64(allocatable, [...status.path, 'allocatable'], 'what the node has');
  return {
    name: requiredName(node, 'Node'),
    labels: node.map('metadata').texts('labels'),
    taints: readTaints(node.map('spec')),
    ...(status.has('allocatable') ? { allocatable } : {}),
    conditions: status
      .maps('conditions')
      .map((condition) => ({ type: condition.text('type') ?? '', status: condition.text('status') ?? '' })),
  };
}
