import type { QosClass } from '../../cgroup/paths.ts';
import type { Quantity } from '../../config/numbers/quantity.ts';

export type { QosClass };
export type ContainerType = 'regular' | 'init' | 'sidecar' | 'ephemeral';

/** Resource name to exact amount, as declared. A name that is absent was not declared; a declared 0 is there. */
export type Resources = ReadonlyMap<string, Quantity>;

export interface ResourceRequirements {
  readonly requests: Resources;
  readonly limits: Resources;
}

/** Where the runtime says a container runs, from status `runtime://id`. */
export interface ContainerId {
  readonly runtime: 'containerd' | 'cri-o' | 'docker' | 'other';
  readonly id: string;
}

/**
 * What a status says of requests that may be changed while the pod runs (KEP-1287): what the kubelet has set aside
 * (`allocatedResources`), and what the runtime was told of it (`resources.requests`). Absent where the status does not say.
 */
export interface StatusRequests {
  readonly allocatedRequests?: Resources;
  readonly actualRequests?: Resources;
}

export interface Container extends ResourceRequirements, StatusRequests {
  readonly name: string;
  readonly type: ContainerType;
  /** Absent while the status names none. */
  readonly containerId?: ContainerId;
  /** Whether its status says that it has run and ended; an init container is planned for until then. */
  readonly terminated: boolean;
}

export interface Toleration {
  readonly key: string;
  /** As written, '' read as Equal; an operator that nobody knows stays as it is and matches nothing. */
  readonly operator: string;
  readonly value: string;
  /** '' matches every effect. */
  readonly effect: string;
  /** Absent: tolerated for ever. */
  readonly tolerationSeconds?: bigint;
}

/** A port of the node that a pod takes for itself. */
export interface HostPort {
  /** TCP, UDP or SCTP. */
  readonly protocol: string;
  /** 0.0.0.0 is every address of the node. */
  readonly hostIp: string;
  readonly port: number;
}

/** A volume whose bytes count as the pod's local storage, or could. */
export interface PodVolume {
  readonly name: string;
  readonly kind: 'emptyDir' | 'hostPath' | 'configMap' | 'gitRepo' | 'other';
  /** emptyDir on tmpfs or hugepages: its bytes are memory, not disk. */
  readonly memoryBacked: boolean;
  readonly sizeLimit?: Quantity;
}

/**
 * A v1 Pod as nodeqos needs it, after the API's defaulting of requests (decide/pod-defaults.ts). Order of `containers`:
 * init containers and sidecars as in the spec, then regular ones, then ephemeral ones. Its own status requests are those of
 * all its containers together, overhead included.
 */
export interface Pod extends StatusRequests {
  readonly namespace: string;
  readonly name: string;
  /** metadata.uid; absent in a manifest that the API has not seen. */
  readonly uid?: string;
  /** The UID that cgroups, statistics and usage go by: kubernetes.io/config.hash of a mirror pod, else metadata.uid. */
  readonly cgroupUid?: string;
  readonly nodeName?: string;
  readonly phase?: string;
  readonly terminating: boolean;
  readonly startTime?: string;
  /** spec.priority; absent when the spec has none. Ranking reads that as 0. */
  readonly priority?: number;
  readonly priorityClassName?: string;
  /** spec.schedulingGroup.podGroupName, a PodGroup of the pod's own namespace. */
  readonly podGroupName?: string;
  /** Absent where it is in no group, or the input does not hold the group that it names. */
  readonly group?: PodStanding;
  /** kubernetes.io/config.source is there and is not "api". */
  readonly isStatic: boolean;
  /** kubernetes.io/config.mirror is there. */
  readonly isMirror: boolean;
  /** It has a priority, which its source does not know: it may be a critical one. */
  readonly mayBeCritical?: true;
  /** Kind of the owner that controls it, such as DaemonSet; absent where nothing does. */
  readonly controllerKind?: string;
  /** spec.hostNetwork. */
  readonly hostNetwork: boolean;
  /** Ports of regular containers and sidecars; absent where it takes none of the node's. */
  readonly hostPorts?: readonly HostPort[];
  /** Condition PodResizePending has the reason Infeasible: the node can never give what the spec asks for by now. */
  readonly isResizeInfeasible?: true;
  /** status.qosClass where it is one of the three. */
  readonly reportedQosClass?: QosClass;
  readonly containers: readonly Container[];
  /** spec.resources where it is there and not empty. */
  readonly podLevel?: ResourceRequirements;
  readonly overhead: Resources;
  readonly tolerations: readonly Toleration[];
  readonly volumes: readonly PodVolume[];
  readonly terminationGracePeriodSeconds?: number;
  readonly labels: ReadonlyMap<string, string>;
}

/** What a pod's groups make of it. */
export interface PodStanding {
  /** `namespace/name` of its PodGroup. */
  readonly name: string;
  /** `namespace/name` of the group at the root, whose priority counts: its PodGroup where nothing is above that. */
  readonly root: string;
  /** The effective priority of its pods. */
  readonly priority: number;
  /** Why `root` is none: the groups above go round in a circle, or up more levels than there may be. */
  readonly broken?: 'circle' | 'too-deep';
}

/** What one container has written, by part; a part that is absent was not measured. */
export interface ContainerStorage {
  readonly rootfsBytes?: bigint;
  readonly logsBytes?: bigint;
}

/** What one pod uses. A field that is absent was not measured; it is never 0 for that. */
export interface PodUsage {
  /** memory.current - inactive_file of the pod's cgroup, floored at 0. */
  readonly memoryWorkingSetBytes?: bigint;
  /** active_file of the pod's cgroup: page cache in its working set that the kernel takes back when it has to. */
  readonly activeFileBytes?: bigint;
  readonly processCount?: bigint;
  readonly ephemeralStorageBytes?: bigint;
  readonly inodes?: bigint;
  /** The parts that ranking needs where image and node filesystems differ (kubelet: fsStatsType). */
  readonly rootfsBytes?: bigint;
  readonly logsBytes?: bigint;
  readonly localVolumesBytes?: bigint;
  readonly rootfsInodes?: bigint;
  readonly logsInodes?: bigint;
  readonly localVolumesInodes?: bigint;
  /** By name of the volume, where statistics go down to volumes. */
  readonly volumeBytes?: ReadonlyMap<string, bigint>;
  /** By name of the container, in the order of the statistics, where they go down to containers. */
  readonly containerStorage?: ReadonlyMap<string, ContainerStorage>;
  /** Working sets by name of the container, in the order of the statistics. */
  readonly containerMemoryBytes?: ReadonlyMap<string, bigint>;
}

/** Usage by cgroup UID. A pod that is not in it has no statistics at all. */
export type UsageByUid = ReadonlyMap<string, PodUsage>;
