import { Client, credentials } from '@grpc/grpc-js';
import { fromJSON, type MethodDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import { CRI_MESSAGES, CRI_READING, CRI_SERVICE, criDescriptor } from '../../../agent/peers/cri/wire.ts';

export const CRI_SOCKET = '/run/containerd/containerd.sock';

/** An emulated machine takes seconds for a sandbox. */
const LONGEST_MS = 60_000;

/** What whoever makes pods sends besides what nodeqos does (k8s.io/cri-api, runtime/v1/api.proto). */
const MESSAGES: typeof CRI_MESSAGES = {
  ...CRI_MESSAGES,
  RunPodSandboxRequest: { config: { type: 'PodSandboxConfig', id: 1 } },
  RunPodSandboxResponse: { pod_sandbox_id: { type: 'string', id: 1 } },
  PodSandboxConfig: {
    metadata: { type: 'PodSandboxMetadata', id: 1 },
    log_directory: { type: 'string', id: 3 },
    labels: { type: 'string', id: 6, keyType: 'string' },
    annotations: { type: 'string', id: 7, keyType: 'string' },
    linux: { type: 'LinuxPodSandboxConfig', id: 8 },
  },
  LinuxPodSandboxConfig: {
    cgroup_parent: { type: 'string', id: 1 },
    security_context: { type: 'LinuxSecurityContext', id: 2 },
  },
  // That of a sandbox has the options of namespaces as its first field, that of a container as its third.
  LinuxSecurityContext: { namespace_options: { type: 'NamespaceOptions', id: 1 } },
  LinuxContainerSecurityContext: {
    capabilities: { type: 'Capability', id: 1 },
    privileged: { type: 'bool', id: 2 },
    namespace_options: { type: 'NamespaceOptions', id: 3 },
    run_as_user: { type: 'Int64Value', id: 5 },
    readonly_rootfs: { type: 'bool', id: 7 },
    no_new_privs: { type: 'bool', id: 11 },
    run_as_group: { type: 'Int64Value', id: 12 },
    masked_paths: { type: 'string', id: 13, rule: 'repeated' },
    readonly_paths: { type: 'string', id: 14, rule: 'repeated' },
    seccomp: { type: 'SecurityProfile', id: 15 },
  },
  Capability: {
    add_capabilities: { type: 'string', id: 1, rule: 'repeated' },
    drop_capabilities: { type: 'string', id: 2, rule: 'repeated' },
  },
  Int64Value: { value: { type: 'int64', id: 1 } },
  // 0 is the runtime's own.
  SecurityProfile: { profile_type: { type: 'int32', id: 1 } },
  NamespaceOptions: {
    network: { type: 'int32', id: 1 },
    pid: { type: 'int32', id: 2 },
    ipc: { type: 'int32', id: 3 },
  },
  CreateContainerRequest: {
    pod_sandbox_id: { type: 'string', id: 1 },
    config: { type: 'ContainerConfig', id: 2 },
    sandbox_config: { type: 'PodSandboxConfig', id: 3 },
  },
  CreateContainerResponse: { container_id: { type: 'string', id: 1 } },
  ContainerConfig: {
    metadata: { type: 'ContainerMetadata', id: 1 },
    image: { type: 'ImageSpec', id: 2 },
    args: { type: 'string', id: 4, rule: 'repeated' },
    envs: { type: 'KeyValue', id: 6, rule: 'repeated' },
    mounts: { type: 'Mount', id: 7, rule: 'repeated' },
    annotations: { type: 'string', id: 10, keyType: 'string' },
    log_path: { type: 'string', id: 11 },
    linux: { type: 'LinuxContainerConfig', id: 15 },
  },
  ImageSpec: { image: { type: 'string', id: 1 } },
  KeyValue: { key: { type: 'string', id: 1 }, value: { type: 'string', id: 2 } },
  Mount: {
    container_path: { type: 'string', id: 1 },
    host_path: { type: 'string', id: 2 },
    readonly: { type: 'bool', id: 3 },
  },
  LinuxContainerConfig: {
    resources: { type: 'LinuxContainerResources', id: 1 },
    security_context: { type: 'LinuxContainerSecurityContext', id: 2 },
  },
  StartContainerRequest: { container_id: { type: 'string', id: 1 } },
  StartContainerResponse: {},
  UpdateContainerResourcesRequest: {
    container_id: { type: 'string', id: 1 },
    linux: { type: 'LinuxContainerResources', id: 2 },
  },
  UpdateContainerResourcesResponse: {},
  ContainerStatus: {
    ...CRI_MESSAGES['ContainerStatus'],
    state: { type: 'int32', id: 3 },
    exit_code: { type: 'int32', id: 7 },
  },
  ExecSyncRequest: {
    container_id: { type: 'string', id: 1 },
    cmd: { type: 'string', id: 2, rule: 'repeated' },
    timeout: { type: 'int64', id: 3 },
  },
  ExecSyncResponse: {
    stdout: { type: 'bytes', id: 1 },
    stderr: { type: 'bytes', id: 2 },
    exit_code: { type: 'int32', id: 3 },
  },
};

const CALLS = [
  'RunPodSandbox',
  'CreateContainer',
  'StartContainer',
  'ContainerStatus',
  'ExecSync',
  'StopContainer',
  'StopPodSandbox',
  'RemovePodSandbox',
  'UpdateContainerResources',
  'ListPodSandbox',
  'Version',
] as const;

type Call = (typeof CALLS)[number];

/** Who makes pods: a caller of containerd's CRI, as a kubelet is one. */
export class CriRuntime {
  readonly #client = new Client(`unix:${CRI_SOCKET}`, credentials.createInsecure());
  readonly #service = fromJSON(criDescriptor(CALLS, MESSAGES), CRI_READING)[CRI_SERVICE] as ServiceDefinition;

  async call<Response>(call: Call, request: object = {}): Promise<Response> {
    const method = this.#service[call] as MethodDefinition<object, object>;
    const { path, requestSerialize, responseDeserialize } = method;
    return await new Promise((resolve, reject) => {
      const deadline = { deadline: Date.now() + LONGEST_MS };
      this.#client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        deadline,
        (error, response) => {
          if (error === null) resolve(response as Response);
          else reject(new Error(`${call}: ${error.message}`));
        },
      );
    });
  }

  close(): void {
    this.#client.close();
  }
}
