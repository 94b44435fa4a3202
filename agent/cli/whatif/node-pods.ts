import { isUnscheduled, podsOfNode } from '../../decide/pods-of-node.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { NodeObject } from '../../model/node.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import { readPods } from '../../observe/pods/pod-source.ts';

/** Pods of a source that count on a node, and how many of it no node has. */
export interface PodsOnNode extends PodsRead {
  readonly unscheduled: number;
}

/**
 * The pods of a source that count on a node. Of what there is to say about them only that is said which matters to a
 * question about a node. Throws Failure 64, 65, 66, 69 and 77.
 */
export function podsOnNode(source: string, node: NodeObject): PodsOnNode {
  const read = readPods(source, undefined, node.name);
  const counted = podsOfNode(read.pods, node.name);
  if (!counted.ok) throw new Failure(EXIT.badData, `${source}: ${counted.message}`);
  const warnings = counted.value.warnings.filter(({ code }) => code !== 'pod-without-uid');
  return {
    pods: counted.value.pods,
    warnings: [...read.warnings, ...warnings],
    unscheduled: read.pods.filter(isUnscheduled).length,
  };
}
