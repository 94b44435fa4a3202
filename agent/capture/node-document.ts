import { stringify } from 'lossless-json';
import { formatQuantity } from '../../config/numbers/quantity.ts';
import { isCordonTaint } from '../decide/taints/cordon.ts';
import type { NodeObject, Taint } from '../model/node.ts';
import type { Resources } from '../model/pod.ts';

/**
 * A v1 Node in JSON that reading gives back the same node from: capacity, what pods may request, taints,
 * conditions and the kubelet's version. Addresses, images, labels and annotations are not in it.
 */
export function nodeText(node: NodeObject): string {
  const document = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: node.name },
    spec: { taints: listedTaints(node), ...(node.isUnschedulable ? { unschedulable: true } : {}) },
    status: {
      capacity: quantityTexts(node.capacity),
      ...(node.allocatable === undefined ? {} : { allocatable: quantityTexts(node.allocatable) }),
      conditions: node.conditions,
      ...(node.kubeletVersion === undefined ? {} : { nodeInfo: { kubeletVersion: node.kubeletVersion } }),
    },
  };
  return `${stringify(document, undefined, 2) ?? ''}\n`;
}

/** What a cordon alone stands for is no taint of the list. */
function listedTaints({ taints, isCordonUnlisted }: NodeObject): readonly Taint[] {
  return isCordonUnlisted === true ? taints.filter((taint) => !isCordonTaint(taint)) : taints;
}

function quantityTexts(resources: Resources): Readonly<Record<string, string>> {
  return Object.fromEntries([...resources].map(([name, quantity]) => [name, formatQuantity(quantity)]));
}
