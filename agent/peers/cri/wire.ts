import type { fromJSON } from '@grpc/proto-loader';

/** What protobuf.js takes as a description of a service. */
type Descriptor = Parameters<typeof fromJSON>[0];

/** A field of a message, in the form of protobuf.js' descriptors. */
interface WireField {
  readonly type: string;
  readonly id: number;
  readonly rule?: 'repeated';
  readonly keyType?: 'string';
}

function one(type: string, id: number): WireField {
  return { type, id };
}

function many(type: string, id: number): WireField {
  return { type, id, rule: 'repeated' };
}

/** A map of texts. */
function texts(id: number): WireField {
  return { type: 'string', id, keyType: 'string' };
}

/**
 * The messages of CRI runtime.v1 that nodeqos sends and reads, each with the fields that it looks at: a message on the wire may
 * hold more, which is passed over. Numbers as in the API's own description (k8s.io/cri-api, runtime/v1/api.proto).
 */
export const CRI_MESSAGES: Readonly<Record<string, Readonly<Record<string, WireField>>>> = {
  VersionRequest: { version: one('string', 1) },
  VersionResponse: { runtime_name: one('string', 2), runtime_version: one('string', 3) },

  ListPodSandboxRequest: {},
  ListPodSandboxResponse: { items: many('PodSandbox', 1) },
  PodSandbox: {
    id: one('string', 1),
    metadata: one('PodSandboxMetadata', 2),
    state: one('int32', 3),
    created_at: one('int64', 4),
    labels: texts(5),
    annotations: texts(6),
  },
  PodSandboxMetadata: {
    name: one('string', 1),
    uid: one('string', 2),
    namespace: one('string', 3),
    attempt: one('uint32', 4),
  },

  PodSandboxStatusRequest: { pod_sandbox_id: one('string', 1), verbose: one('bool', 2) },
  PodSandboxStatusResponse: { status: one('PodSandboxStatus', 1), info: texts(2) },
  PodSandboxStatus: { linux: one('LinuxPodSandboxStatus', 6) },
  LinuxPodSandboxStatus: { namespaces: one('Namespace', 1) },
  Namespace: { options: one('NamespaceOption', 2) },
  NamespaceOption: { network: one('int32', 1) },

  ListContainersRequest: {},
  ListContainersResponse: { containers: many('Container', 1) },
  Container: {
    id: one('string', 1),
    pod_sandbox_id: one('string', 2),
    metadata: one('ContainerMetadata', 3),
    state: one('int32', 6),
    created_at: one('int64', 7),
    annotations: texts(9),
  },
  ContainerMetadata: { name: one('string', 1), attempt: one('uint32', 2) },

  ContainerStatusRequest: { container_id: one('string', 1), verbose: one('bool', 2) },
  ContainerStatusResponse: { status: one('ContainerStatus', 1), info: texts(2) },
  ContainerStatus: { resources: one('ContainerResources', 16) },
  ContainerResources: { linux: one('LinuxContainerResources', 1) },
  LinuxContainerResources: {
    cpu_period: one('int64', 1),
    cpu_quota: one('int64', 2),
    memory_limit_in_bytes: one('int64', 4),
  },

  StopContainerRequest: { container_id: one('string', 1), timeout: one('int64', 2) },
  StopContainerResponse: {},
  StopPodSandboxRequest: { pod_sandbox_id: one('string', 1) },
  StopPodSandboxResponse: {},
  RemovePodSandboxRequest: { pod_sandbox_id: one('string', 1) },
  RemovePodSandboxResponse: {},
};

/** The calls of RuntimeService that nodeqos makes; each takes NAMERequest and gives NAMEResponse. */
const CRI_CALLS = [
  'Version',
  'ListPodSandbox',
  'PodSandboxStatus',
  'ListContainers',
  'ContainerStatus',
  'StopContainer',
  'StopPodSandbox',
  'RemovePodSandbox',
] as const;

export type CriCall = (typeof CRI_CALLS)[number];

/** As the service is called on the wire. */
export const CRI_SERVICE = 'runtime.v1.RuntimeService';

/** How protobuf.js gives what it reads: field names as above, every field there, 64-bit numbers as texts, enums as numbers. */
export const CRI_READING = { keepCase: true, defaults: true, longs: String } as const;

/** The description of the service, with these calls and messages. */
export function criDescriptor(
  calls: readonly string[] = CRI_CALLS,
  messages: typeof CRI_MESSAGES = CRI_MESSAGES,
): Descriptor {
  const methods = Object.fromEntries(
    calls.map((name) => [
      name,
      { requestType: `${name}Request`, responseType: `${name}Response`, comment: '' },
    ]),
  );
  const v1: NonNullable<Descriptor['nested']> = { RuntimeService: { methods } };
  for (const [name, fields] of Object.entries(messages)) v1[name] = { fields };
  return { nested: { runtime: { nested: { v1: { nested: v1 } } } } };
}
