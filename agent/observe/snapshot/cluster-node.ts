import type { ClusterNode } from '../../model/cluster.ts';
import type { Fields } from '../fields.ts';
import { readTaints } from '../node-taints.ts';
import { requiredName } from './object-name.ts';

/** Reads a v1 Node with what scheduling needs. Throws FieldFault. */
export function readClusterNode(node: Fields): ClusterNode {
  const status = node.map('status');
  const [allocatable] = [status.quantities('allocatable'), status.quantities('capacity')].filter(
    ({ size }) => size > 0,
  );
  return {
    name: requiredName(node, 'Node'),
    labels: node.map('metadata').texts('labels'),
    taints: readTaints(node.map('spec')),
    ...(allocatable === undefined ? {} : { allocatable }),
    conditions: status
      .maps('conditions')
      .map((condition) => ({ type: condition.text('type') ?? '', status: condition.text('status') ?? '' })),
  };
}
