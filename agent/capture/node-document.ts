import { stringify } from 'lossless-json';
import { formatQuantity } from '../../config/numbers/quantity.ts';
import type { NodeObject } from '../model/node.ts';
import type { Resources } from '../model/pod.ts';

/**
 * A v1 Node in JSON that reading gives back the same node from: memory, huge pages, what pods may request, taints and
 * conditions. Addresses, images, labels and annotations are not in it.
 */
export function nodeText(node: NodeObject): string {
  const memory = (bytes: bigint | undefined): { memory?: string } =>
    bytes === undefined ? {} : { memory: String(bytes) };
  const document = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: node.name },
    spec: { taints: node.taints, ...(node.isUnschedulable ? { unschedulable: true } : {}) },
    status: {
      capacity: {
        ...memory(node.memoryCapacityBytes),
        ...(node.hugepagesCapacityBytes === 0n
          ? {}
          : { 'hugepages-2Mi': String(node.hugepagesCapacityBytes) }),
      },
      ...(node.allocatable === undefined ? {} : { allocatable: quantityTexts(node.allocatable) }),
      conditions: node.conditions,
    },
  };
  return `${stringify(document, undefined, 2) ?? ''}\n`;
}

function quantityTexts(resources: Resources): Readonly<Record<string, string>> {
  return Object.fromEntries([...resources].map(([name, quantity]) => [name, formatQuantity(quantity)]));
}
