import { compareBytewise } from '../../cgroup/byte-order.ts';
import type { CgroupLayout } from '../../cgroup/paths.ts';
import type { QosContainer, QosPod } from '../../cgroup/qos-pod.ts';
import type { CgroupSnapshot } from '../../cgroup/snapshot.ts';
import { podWarning, type Warning } from '../../cgroup/warning.ts';
import { isPositive, quantityToInteger, ZERO } from '../../config/numbers/quantity.ts';
import type { Container, Pod, QosClass } from '../model/pod.ts';
import { podName } from './pod-name.ts';
import { qosClassInForce } from './qos-class.ts';
import {
  memoryLimitBytes,
  memoryRequestBytes,
  podMemoryLimitBytes,
  podMemoryRequestBytes,
} from './resources.ts';

/** Pods as Memory QoS sees them, and what could not be told of them. */
export interface QosPods {
  /** By namespace, name and UID, whatever the order of the input. */
  readonly pods: readonly QosPod[];
  readonly warnings: readonly Warning[];
}

/**
 * Gives each pod its class in force, its effective memory and its cgroups. Ordinary init containers count until their
 * status says that they have ended; ephemeral ones never do. A container's cgroup is known by the ID in its status; where
 * a runtime has two ways of naming it, the tree decides, and offline it stays unknown.
 */
export function qosPods(
  pods: readonly Pod[],
  layout: CgroupLayout,
  snapshot: CgroupSnapshot | undefined,
): QosPods {
  const warnings: Warning[] = [];
  const place: Place = { layout, snapshot, warnings };
  return { pods: [...pods].sort(comparePods).map((pod) => qosPod(pod, place)), warnings };
}

interface Place {
  readonly layout: CgroupLayout;
  readonly snapshot: CgroupSnapshot | undefined;
  readonly warnings: Warning[];
}

function comparePods(a: Pod, b: Pod): number {
  return (
    compareBytewise(a.namespace, b.namespace) ||
    compareBytewise(a.name, b.name) ||
    compareBytewise(a.uid ?? '', b.uid ?? '')
  );
}

function qosPod(pod: Pod, place: Place): QosPod {
  const qosClass = qosClassInForce(pod);
  const cgroup = podCgroup(pod, qosClass, place);
  const reading = cgroup === null ? undefined : place.snapshot?.byCgroup.get(cgroup);
  const podLevelLimit = pod.podLevel?.limits.get('memory') ?? ZERO;
  const containers = pod.containers.filter(isPlannedFor);
  const planned = containers.map((container) => qosContainer(pod, container, cgroup, place));
  if (place.snapshot !== undefined) {
    place.warnings.push(...withoutId(pod, containers), ...notFound({ pod, cgroup, planned }, place.snapshot));
  }
  return {
    namespace: pod.namespace,
    name: pod.name,
    uid: pod.uid ?? null,
    qosClass,
    requestBytes: notNegative(podMemoryRequestBytes(pod)),
    limitBytes: podMemoryLimitBytes(pod),
    podLevel: pod.podLevel !== undefined,
    podLevelLimitBytes: isPositive(podLevelLimit) ? quantityToInteger(podLevelLimit) : null,
    cgroup,
    containers: planned,
    ...(reading?.workingSetBytes === undefined ? {} : { workingSetBytes: reading.workingSetBytes }),
  };
}

function isPlannedFor({ type, terminated }: Container): boolean {
  return type !== 'ephemeral' && !(type === 'init' && terminated);
}

function podCgroup(pod: Pod, qosClass: QosClass, place: Place): string | null {
  if (pod.cgroupUid === undefined) {
    return null;
  }
  const cgroup = place.layout.podCgroup(qosClass, pod.cgroupUid);
  if (cgroup === undefined) {
    const name = podName(pod);
    const message = `pod ${name}: its UID cannot be part of a cgroup's name, so its cgroup is not known`;
    place.warnings.push(podWarning('pod-uid-not-usable', name, message));
  }
  return cgroup ?? null;
}

function qosContainer(pod: Pod, container: Container, cgroup: string | null, place: Place): QosContainer {
  return {
    name: container.name,
    requestBytes: notNegative(memoryRequestBytes(container)),
    limitBytes: memoryLimitBytes(container),
    cgroup: cgroup === null ? null : containerCgroup(pod, container, cgroup, place),
  };
}

function containerCgroup(pod: Pod, container: Container, cgroup: string, place: Place): string | null {
  const { containerId } = container;
  if (containerId === undefined) {
    return null;
  }
  const names = place.layout.containerLeafNames(containerId.runtime, containerId.id);
  const candidates = names.map((name) => `${cgroup}/${name}`);
  if (candidates.length === 0) {
    const name = podName(pod);
    const message = `pod ${name}: how the runtime of container ${container.name} names its cgroup is not known`;
    place.warnings.push(podWarning('runtime-not-known', name, message));
  }
  if (candidates.length === 1) {
    return candidates[0] ?? null;
  }
  return candidates.find((candidate) => place.snapshot?.byCgroup.has(candidate)) ?? null;
}

/** Containers that the status gives no ID: nothing tells which cgroup is theirs. */
function withoutId(pod: Pod, containers: readonly Container[]): readonly Warning[] {
  const names = containers.filter(({ containerId }) => containerId === undefined).map(({ name }) => name);
  if (names.length === 0) {
    return [];
  }
  const name = podName(pod);
  const message = `pod ${name}: its status gives no ID of ${names.join(', ')}, so ${names.length === 1 ? 'its cgroup is' : 'their cgroups are'} not known`;
  return [podWarning('container-without-id', name, message)];
}

interface Located {
  readonly pod: Pod;
  readonly cgroup: string | null;
  readonly planned: readonly QosContainer[];
}

/** Cgroups that should be there and are not: the pod's own, else each container's. */
function notFound(located: Located, snapshot: CgroupSnapshot): readonly Warning[] {
  const { pod, cgroup, planned } = located;
  if (cgroup === null) {
    return [];
  }
  const name = podName(pod);
  if (isGone(cgroup, snapshot)) {
    const message = `pod ${name}: its cgroup ${cgroup} is not in the tree`;
    return [{ code: 'pod-not-found', message, cgroup, pod: name }];
  }
  return planned.flatMap((container): readonly Warning[] => {
    if (container.cgroup === null || !isGone(container.cgroup, snapshot)) {
      return [];
    }
    const message = `pod ${name}: the cgroup of container ${container.name} is not in the tree`;
    return [{ code: 'container-not-found', message, cgroup: container.cgroup, pod: name }];
  });
}

/** Not listed, or listed and gone by the time its files were read. */
function isGone(cgroup: string, snapshot: CgroupSnapshot): boolean {
  const reading = snapshot.byCgroup.get(cgroup);
  return reading === undefined || reading.missing.length > 0;
}

/** The API refuses negative amounts; one that came past it must not take protection from others. */
function notNegative(bytes: bigint): bigint {
  return bytes < 0n ? 0n : bytes;
}
