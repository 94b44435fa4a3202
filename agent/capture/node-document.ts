import { stringify } from 'lossless-json';
import type { NodeObject } from '../model/node.ts';

/**
 * A v1 Node in JSON that reading gives back the same node from: memory, huge pages, taints and true conditions. Addresses,
 * images, labels and annotations are not in it.
 */
export function nodeText(node: NodeObject): string {
  const memory = (bytes: bigint | undefined): { memory?: string } =>
    bytes === undefined ? {} : { memory: String(bytes) };
  const document = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: node.name },
    spec: { taints: node.taints },
    status: {
      capacity: {
        ...memory(node.memoryCapacityBytes),
        ...(node.hugepagesCapacityBytes === 0n
          ? {}
          : { 'hugepages-2Mi': String(node.hugepagesCapacityBytes) }),
      },
      allocatable: memory(node.memoryAllocatableBytes),
      conditions: node.conditions.map((type) => ({ type, status: 'True' })),
    },
  };
  return `${stringify(document, undefined, 2) ?? ''}\n`;
}
