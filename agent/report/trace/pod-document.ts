import { stringify } from 'lossless-json';
import { formatQuantity } from '../../../config/numbers/quantity.ts';
import type { PlainRecord, PlainValue } from '../../../config/text/plain-value.ts';
import type {
  Container,
  ContainerId,
  HostPort,
  Pod,
  PodVolume,
  ResourceRequirements,
  Resources,
  StatusRequests,
} from '../../model/pod.ts';

/** Pods as a v1 PodList in JSON, in their order; with groups that they are in, as a List of pods and PodGroups. */
export function podListText(pods: readonly Pod[]): string {
  const groups = groupDocuments(pods);
  const kind = groups.length === 0 ? 'PodList' : 'List';
  const items = [...pods.map(podDocument), ...groups];
  return `${stringify({ apiVersion: 'v1', kind, items }, undefined, 2) ?? ''}\n`;
}

/** Each group once; the one at the root of a PodGroup only where that is another one, and without what is between. */
export function groupDocuments(pods: readonly Pod[]): readonly PlainRecord[] {
  const documents = new Map<string, PlainRecord>();
  for (const { group } of pods) {
    if (group === undefined) continue;
    const { name, root, priority } = group;
    const isAlone = name === root;
    documents.set(
      `PodGroup ${name}`,
      groupDocument('PodGroup', name, isAlone ? { priority } : { parentCompositePodGroupName: nameOf(root) }),
    );
    if (!isAlone)
      documents.set(`CompositePodGroup ${root}`, groupDocument('CompositePodGroup', root, { priority }));
  }
  return [...documents.values()];
}

function groupDocument(kind: string, name: string, spec: PlainRecord): PlainRecord {
  const apiVersion = kind === 'PodGroup' ? 'scheduling.k8s.io/v1beta1' : 'scheduling.k8s.io/v1alpha3';
  return {
    apiVersion,
    kind,
    metadata: { namespace: name.slice(0, name.indexOf('/')), name: nameOf(name) },
    spec,
  };
}

/** Of `namespace/name`. */
function nameOf(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}

/**
 * A pod as the v1 Pod that reading gives back the same pod from. It is made from what nodeqos knows of a pod and from
 * nothing else, so that no environment, argument, command, image, volume source or unknown annotation can slip through.
 */
export function podDocument(pod: Pod): PlainRecord {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: withoutAbsent({
      name: pod.name,
      namespace: pod.namespace,
      uid: pod.uid,
      // When it began to go is not known any more, and nothing depends on it.
      deletionTimestamp: pod.terminating ? '1970-01-01T00:00:00Z' : undefined,
      labels: unlessEmpty(Object.fromEntries(pod.labels)),
      annotations: unlessEmpty(annotations(pod)),
      ownerReferences:
        pod.controllerKind === undefined ? undefined : [{ kind: pod.controllerKind, controller: true }],
    }),
    spec: withoutAbsent({
      nodeName: pod.nodeName,
      priority: pod.priority,
      priorityClassName: pod.priorityClassName,
      schedulingGroup: pod.podGroupName === undefined ? undefined : { podGroupName: pod.podGroupName },
      terminationGracePeriodSeconds: pod.terminationGracePeriodSeconds,
      hostNetwork: pod.hostNetwork ? true : undefined,
      resources: pod.podLevel === undefined ? undefined : requirements(pod.podLevel),
      overhead: unlessEmpty(resources(pod.overhead)),
      tolerations: unlessEmpty(pod.tolerations.map((toleration) => withoutAbsent({ ...toleration }))),
      volumes: unlessEmpty(pod.volumes.map(volume)),
      initContainers: unlessEmpty(ofTypes(pod, 'init', 'sidecar').map(containerSpec)),
      containers: ofTypes(pod, 'regular').map((container, index) => ({
        ...containerSpec(container),
        // Which container takes a port of the host is not known any more, and nothing depends on it.
        ...(index > 0 || pod.hostPorts === undefined ? {} : { ports: pod.hostPorts.map(portOf) }),
      })),
      ephemeralContainers: unlessEmpty(ofTypes(pod, 'ephemeral').map(containerSpec)),
    }),
    status: withoutAbsent({
      phase: pod.phase,
      qosClass: pod.reportedQosClass,
      startTime: pod.startTime,
      ...statusRequests(pod),
      conditions:
        pod.isResizeInfeasible === true ? [{ type: 'PodResizePending', reason: 'Infeasible' }] : undefined,
      initContainerStatuses: unlessEmpty(statuses(ofTypes(pod, 'init', 'sidecar'))),
      containerStatuses: unlessEmpty(statuses(ofTypes(pod, 'regular'))),
      ephemeralContainerStatuses: unlessEmpty(statuses(ofTypes(pod, 'ephemeral'))),
    }),
  };
}

/** The three that say where a pod is from; the UID of a mirror pod's cgroup is only in its annotation. */
function annotations(pod: Pod): PlainRecord {
  const hash = pod.cgroupUid === undefined || pod.cgroupUid === pod.uid ? undefined : pod.cgroupUid;
  return withoutAbsent({
    'kubernetes.io/config.source': pod.isStatic ? 'file' : undefined,
    'kubernetes.io/config.mirror': pod.isMirror ? (hash ?? pod.uid ?? '') : undefined,
    'kubernetes.io/config.hash': hash,
  });
}

function portOf({ protocol, hostIp, port }: HostPort): PlainRecord {
  return { containerPort: port, hostPort: port, hostIP: hostIp, protocol };
}

function ofTypes(pod: Pod, ...types: readonly Container['type'][]): readonly Container[] {
  return pod.containers.filter((container) => types.includes(container.type));
}

function containerSpec(container: Container): PlainRecord {
  return withoutAbsent({
    name: container.name,
    restartPolicy: container.type === 'sidecar' ? 'Always' : undefined,
    resources: unlessEmpty(requirements(container)),
  });
}

/** What the node says of requests that it holds and that the runtime was told. */
function statusRequests({ allocatedRequests, actualRequests }: StatusRequests): PlainRecord {
  return withoutAbsent({
    allocatedResources: allocatedRequests === undefined ? undefined : resources(allocatedRequests),
    resources: actualRequests === undefined ? undefined : { requests: resources(actualRequests) },
  });
}

/** A container that has no ID, has not ended and was given nothing needs no status. */
function statuses(containers: readonly Container[]): readonly PlainValue[] {
  return containers
    .filter(
      (container) =>
        container.containerId !== undefined ||
        container.terminated ||
        container.allocatedRequests !== undefined ||
        container.actualRequests !== undefined,
    )
    .map((container) =>
      withoutAbsent({
        ...statusRequests(container),
        name: container.name,
        containerID: container.containerId === undefined ? undefined : containerUri(container.containerId),
        state: container.terminated ? { terminated: { exitCode: 0 } } : undefined,
      }),
    );
}

function containerUri({ runtime, id }: ContainerId): string {
  return `${runtime}://${id}`;
}

function volume({ name, kind, memoryBacked, sizeLimit }: PodVolume): PlainRecord {
  if (kind === 'other') {
    return { name };
  }
  const source =
    kind === 'emptyDir'
      ? withoutAbsent({
          medium: memoryBacked ? 'Memory' : undefined,
          sizeLimit: sizeLimit === undefined ? undefined : formatQuantity(sizeLimit),
        })
      : {};
  return { name, [kind]: source };
}

function requirements({ requests, limits }: ResourceRequirements): PlainRecord {
  return withoutAbsent({
    requests: unlessEmpty(resources(requests)),
    limits: unlessEmpty(resources(limits)),
  });
}

function resources(amounts: Resources): PlainRecord {
  return Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]));
}

function withoutAbsent(fields: Readonly<Record<string, PlainValue | undefined>>): PlainRecord {
  const present: Record<string, PlainValue> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) {
      present[key] = value;
    }
  }
  return present;
}

function unlessEmpty<T extends PlainRecord | readonly PlainValue[]>(value: T): T | undefined {
  return (Array.isArray(value) ? value.length : Object.keys(value).length) === 0 ? undefined : value;
}
