import { amountIn } from '../../../config/numbers/percent.ts';
import {
  compareQuantities,
  formatQuantity,
  type Quantity,
  quantityOf,
  ZERO,
} from '../../../config/numbers/quantity.ts';
import type { Signal, Threshold } from '../../../config/signal.ts';
import type { SignalReading } from '../../model/node.ts';
import type { Container, Pod, PodUsage } from '../../model/pod.ts';
import { type Compatibility, rankingRequest } from '../resources.ts';
import { type StarvedResource, starvedResource } from '../usage.ts';

/** The victim of a threshold, as the message needs it. */
export interface Victim {
  readonly pod: Pod;
  /** undefined: without statistics. */
  readonly usage: PodUsage | undefined;
}

/**
 * What the pod's owner is told, in the kubelet's words (eviction: evictionMessage): the resource, the threshold against
 * what was available, and who used more than its request.
 */
export function evictionMessage(
  threshold: Threshold,
  reading: SignalReading,
  victim: Victim,
  compat: Compatibility,
): string {
  const resource = starvedResource(threshold.signal);
  const quantity = printed(amountIn(threshold.value, reading.capacity), threshold.signal);
  const available = printed(reading.available, threshold.signal);
  return [
    `The node was low on resource: ${RESOURCE_NAMES[resource]}. `,
    `Threshold quantity: ${quantity}, available: ${available}. `,
    ...(resource === 'memory' ? podConsumption(victim, compat) : []),
    ...containerConsumption(victim, resource),
  ].join('');
}

/** What a signal is short of, by the name that the kubelet's messages and Events have for it. */
export function resourceName(signal: Signal): string {
  return RESOURCE_NAMES[starvedResource(signal)];
}

const RESOURCE_NAMES: Readonly<Record<StarvedResource, string>> = {
  memory: 'memory',
  disk: 'ephemeral-storage',
  inodes: 'inodes',
  pids: 'pids',
};

/** Bytes in units of 1024, counts in units of 1000. */
function printed(amount: bigint, signal: Signal): string {
  const resource = starvedResource(signal);
  const isCount = resource === 'pids' || resource === 'inodes';
  return formatQuantity(quantityOf(amount, isCount ? 'DecimalSI' : 'BinarySI'));
}

/**
 * The line of a pod that states a memory request for itself as a whole. The kubelet says "larger" of a pod within its
 * request too.
 */
function podConsumption({ pod, usage }: Victim, compat: Compatibility): readonly string[] {
  const used = usage?.memoryWorkingSetBytes;
  if (used === undefined || pod.podLevel?.requests.has('memory') !== true) return [];
  const request = rankingRequest(pod, 'memory', compat);
  return compat === 'kubelet' || isOver(used, request)
    ? [consumption(`Pod ${pod.name}`, used, request, 'memory')]
    : [];
}

/** The lines of regular and init containers over their own requests, in the order of the statistics. */
function containerConsumption({ pod, usage }: Victim, resource: StarvedResource): readonly string[] {
  const name = RESOURCE_NAMES[resource];
  const containers = new Map(
    pod.containers.filter(({ type }) => type !== 'ephemeral').map((container) => [container.name, container]),
  );
  return containerUsage(usage, resource).flatMap(([containerName, used]) => {
    const container = containers.get(containerName);
    const request = requestOf(container, name);
    return container !== undefined && isOver(used, request)
      ? [consumption(`Container ${containerName}`, used, request, name)]
      : [];
  });
}

function requestOf(container: Container | undefined, resource: string): Quantity {
  return container?.requests.get(resource) ?? ZERO;
}

/** Of local storage only where both parts are known. */
function containerUsage(
  usage: PodUsage | undefined,
  resource: StarvedResource,
): readonly (readonly [string, bigint])[] {
  switch (resource) {
    case 'memory':
      return [...(usage?.containerMemoryBytes ?? [])];
    case 'disk':
      return [...(usage?.containerStorage ?? [])].flatMap(([name, { rootfsBytes, logsBytes }]) =>
        rootfsBytes === undefined || logsBytes === undefined
          ? []
          : [[name, rootfsBytes + logsBytes] as const],
      );
    case 'inodes':
    case 'pids':
      return [];
  }
}

function isOver(used: bigint, request: Quantity): boolean {
  return compareQuantities(quantityOf(used), request) > 0;
}

function consumption(who: string, used: bigint, request: Quantity, resource: string): string {
  const usage = formatQuantity(quantityOf(used, 'BinarySI'));
  return `${who} was using ${usage}, request is ${formatQuantity(request)}, has larger consumption of ${resource}. `;
}
