import type { RuntimeContainer, Sandbox } from './facts.ts';

type Texts = Readonly<Record<string, string>>;

/** Answers as the library gives them: a message that is not there is null, a 64-bit number a text. */
export interface VersionResponse {
  readonly runtime_name: string;
  readonly runtime_version: string;
}

export interface ListPodSandboxResponse {
  readonly items: readonly {
    readonly id: string;
    readonly metadata: {
      readonly name: string;
      readonly uid: string;
      readonly namespace: string;
      readonly attempt: number;
    } | null;
    readonly state: number;
    readonly created_at: string;
    readonly labels: Texts;
    readonly annotations: Texts;
  }[];
}

export interface ListContainersResponse {
  readonly containers: readonly {
    readonly id: string;
    readonly pod_sandbox_id: string;
    readonly metadata: { readonly name: string; readonly attempt: number } | null;
    readonly state: number;
    readonly created_at: string;
    readonly annotations: Texts;
  }[];
}

export interface PodSandboxStatusResponse {
  readonly status: {
    readonly linux: {
      readonly namespaces: { readonly options: { readonly network: number } | null } | null;
    } | null;
  } | null;
  readonly info: Texts;
}

export interface ContainerStatusResponse {
  readonly status: {
    readonly resources: { readonly linux: LinuxResources | null } | null;
  } | null;
  readonly info: Texts;
}

export interface LinuxResources {
  readonly cpu_period: string;
  readonly cpu_quota: string;
  readonly memory_limit_in_bytes: string;
}

/** PodSandboxState: SANDBOX_READY. */
const READY = 0;
/** ContainerState, by its numbers. */
const STATES = ['created', 'running', 'exited', 'unknown'] as const;

/** Whoever makes a pod through CRI gives it these labels (kubelet: kuberuntime/labels.go). */
const POD_LABEL = 'io.kubernetes.pod.';

/** Sandboxes. The labels name a pod as Kubernetes does; whoever gives none has the sandbox's own metadata. */
export function sandboxesOf({ items }: ListPodSandboxResponse): readonly Sandbox[] {
  return items.map(({ id, metadata, state, created_at: createdAt, labels, annotations }) => ({
    id,
    namespace: labels[`${POD_LABEL}namespace`] ?? metadata?.namespace ?? '',
    name: labels[`${POD_LABEL}name`] ?? metadata?.name ?? '',
    uid: labels[`${POD_LABEL}uid`] ?? metadata?.uid ?? '',
    attempt: metadata?.attempt ?? 0,
    isReady: state === READY,
    createdAtNs: BigInt(createdAt),
    labels: new Map(Object.entries(labels).filter(([key]) => !key.startsWith(POD_LABEL))),
    annotations: new Map(Object.entries(annotations)),
  }));
}

/** Containers. A state that nobody knows yet is unknown. */
export function containersOf({ containers }: ListContainersResponse): readonly RuntimeContainer[] {
  return containers.map((container) => ({
    id: container.id,
    sandboxId: container.pod_sandbox_id,
    name: container.metadata?.name ?? '',
    attempt: container.metadata?.attempt ?? 0,
    state: STATES[container.state] ?? 'unknown',
    createdAtNs: BigInt(container.created_at),
    annotations: new Map(Object.entries(container.annotations)),
  }));
}
