import type { KeyPath } from '../../../config/text/document.ts';
import type { PlainValue } from '../../../config/text/plain-value.ts';
import { withDefaults } from '../../decide/pod-defaults.ts';
import { isPodLevelResource } from '../../decide/resources.ts';
import type { Pod, PodVolume, QosClass, ResourceRequirements, Toleration } from '../../model/pod.ts';
import { FieldFault, Fields, type SharedAmounts } from '../fields.ts';
import { readContainers } from './container-spec.ts';
import { readHostPorts } from './host-ports.ts';
import { isResizeInfeasible, readStatusRequests } from './status-requests.ts';

/** A pod, or what is wrong with it and where below the pod: assignable to Parsed<Pod>. */
export type PodReading =
  | { readonly ok: true; readonly value: Pod }
  | { readonly ok: false; readonly path: KeyPath; readonly message: string };

/**
 * Reads a v1 Pod, of which only what nodeqos needs is looked at, and fills in what follows from its resources
 * (decide/pod-defaults.ts). A field of a wrong type, a malformed quantity and a missing name are refused with the
 * field's path; unknown fields and junk elsewhere are not looked at. `kind` and `apiVersion` are the caller's matter; `amounts` is shared by
 * the pods of one input.
 */
export function readPod(value: PlainValue, amounts?: SharedAmounts): PodReading {
  try {
    return { ok: true, value: withDefaults(podOf(new Fields(value, [], amounts))) };
  } catch (error) {
    if (error instanceof FieldFault) {
      return { ok: false, path: error.path, message: error.message };
    }
    throw error;
  }
}

function podOf(pod: Fields): Pod {
  const metadata = pod.map('metadata');
  const spec = pod.map('spec');
  const status = pod.map('status');
  const priority = spec.integer('priority', 32);
  const grace = spec.integer('terminationGracePeriodSeconds', 64);
  const podLevel = podLevelOf(spec);
  const hostPorts = readHostPorts(spec);
  const statusRequests = readStatusRequests(status);
  const read: Unfinished<Pod> = {
    namespace: metadata.text('namespace') ?? 'default',
    name: nameOf(metadata),
    ...identityOf(metadata),
    terminating: metadata.has('deletionTimestamp'),
    hostNetwork: spec.flag('hostNetwork') === true,
    containers: readContainers(spec, status),
    overhead: spec.quantities('overhead'),
    tolerations: spec.maps('tolerations').map(tolerationOf),
    volumes: spec.maps('volumes').map(volumeOf),
    labels: metadata.texts('labels'),
  };
  add(read, 'nodeName', spec.text('nodeName'));
  add(read, 'phase', status.text('phase'));
  add(read, 'startTime', status.text('startTime'));
  add(read, 'priority', priority === undefined ? undefined : Number(priority));
  add(read, 'priorityClassName', spec.text('priorityClassName'));
  add(read, 'podGroupName', spec.map('schedulingGroup').text('podGroupName'));
  add(read, 'controllerKind', controllerKindOf(metadata));
  add(read, 'reportedQosClass', qosClassOf(status.text('qosClass')));
  add(read, 'podLevel', podLevel);
  add(read, 'hostPorts', hostPorts.length === 0 ? undefined : hostPorts);
  add(read, 'isResizeInfeasible', isResizeInfeasible(status) ? true : undefined);
  add(read, 'allocatedRequests', statusRequests.allocatedRequests);
  add(read, 'actualRequests', statusRequests.actualRequests);
  add(read, 'terminationGracePeriodSeconds', grace === undefined ? undefined : Number(grace));
  return read;
}

type Unfinished<T> = { -readonly [key in keyof T]: T[key] };

/** A key that is there is never undefined. Put in one by one, since copies cost most of reading a large cluster. */
function add<K extends keyof Pod>(pod: Unfinished<Pod>, key: K, value: Pod[K] | undefined): void {
  if (value !== undefined) pod[key] = value;
}

/** An object with the one key, or with none where the value is not known. */
function defined<K extends string, V>(key: K, value: V | undefined): { readonly [key in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [key in K]?: V });
}

function nameOf(metadata: Fields): string {
  const name = metadata.text('name');
  if (name === undefined) {
    throw new FieldFault([...metadata.path, 'name'], 'a pod needs a name');
  }
  return name;
}

/** The UIDs, and whether the pod is a static or a mirror one: facts that the kubelet keeps in annotations. */
function identityOf(metadata: Fields): Pick<Pod, 'uid' | 'cgroupUid' | 'isStatic' | 'isMirror'> {
  const annotations = metadata.map('annotations');
  const uid = uidOf(metadata, 'uid');
  const source = 'kubernetes.io/config.source';
  const isMirror = annotations.has('kubernetes.io/config.mirror');
  const hash = isMirror ? uidOf(annotations, 'kubernetes.io/config.hash') : undefined;
  return {
    ...defined('uid', uid),
    ...defined('cgroupUid', hash ?? uid),
    isStatic: annotations.has(source) && annotations.text(source) !== 'api',
    isMirror,
  };
}

/** A UID is part of a cgroup's path, so that one with a slash or a control character would lead somewhere else. */
function uidOf(fields: Fields, key: string): string | undefined {
  const uid = fields.text(key);
  if (uid !== undefined && /[/\u0000-\u001f\u007f]/.test(uid)) {
    throw new FieldFault([...fields.path, key], 'a UID cannot contain a slash or a control character');
  }
  return uid;
}

function controllerKindOf(metadata: Fields): string | undefined {
  return metadata
    .maps('ownerReferences')
    .find((owner) => owner.flag('controller') === true)
    ?.text('kind');
}

function qosClassOf(text: string | undefined): QosClass | undefined {
  return text === 'Guaranteed' || text === 'Burstable' || text === 'BestEffort' ? text : undefined;
}

/** The pod's own resources; absent where nothing is stated that may be stated for a pod (kubelet: 1.36 and later). */
function podLevelOf(spec: Fields): ResourceRequirements | undefined {
  const resources = spec.map('resources');
  const requests = podLevelOnly(resources, 'requests');
  const limits = podLevelOnly(resources, 'limits');
  return requests.size + limits.size > 0 ? { requests, limits } : undefined;
}

function podLevelOnly(resources: Fields, key: 'requests' | 'limits'): ResourceRequirements['requests'] {
  return new Map([...resources.quantities(key)].filter(([resource]) => isPodLevelResource(resource)));
}

function tolerationOf(toleration: Fields): Toleration {
  return {
    key: toleration.text('key') ?? '',
    operator: toleration.text('operator') ?? 'Equal',
    value: toleration.text('value') ?? '',
    effect: toleration.text('effect') ?? '',
    ...defined('tolerationSeconds', toleration.integer('tolerationSeconds', 64)),
  };
}

function volumeOf(volume: Fields): PodVolume {
  const emptyDir = volume.map('emptyDir');
  const medium = emptyDir.text('medium') ?? '';
  return {
    name: volume.text('name') ?? '',
    kind: VOLUME_KINDS.find((kind) => volume.has(kind)) ?? 'other',
    memoryBacked: medium === 'Memory' || medium.startsWith('HugePages'),
    ...defined('sizeLimit', emptyDir.quantity('sizeLimit')),
  };
}

const VOLUME_KINDS = ['emptyDir', 'hostPath', 'configMap', 'gitRepo'] as const;
