import type { TaintedNode } from '../../model/node.ts';
import type { Pod } from '../../model/pod.ts';

/**
 * Why the taints of a Node are none of the node that these pods are on, as a sentence with file and remedy; undefined where
 * they may be. Pods say on which node they are (spec.nodeName); those from manifests do not, and say nothing against a Node.
 */
export function taintsOfAnotherNode(
  node: TaintedNode | undefined,
  pods: readonly Pick<Pod, 'nodeName'>[],
): string | undefined {
  if (node === undefined) return undefined;
  const other = pods.find(({ nodeName }) => nodeName !== undefined && nodeName !== node.name)?.nodeName;
  return other === undefined
    ? undefined
    : `${node.file}: it is the Node ${node.name}, and the pods here are on ${other}, so nobody is evicted for its taints; taints.node names the file of this node`;
}
