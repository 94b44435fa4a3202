import type { KubeletSettings } from '../../../config/kubelet/settings.ts';
import type { NodeQosSettings } from '../../../config/nodeqos/settings.ts';
import type { EvictorLacks } from '../../decide/evictor-choice.ts';
import { nodeNameOf } from '../../decide/node-name.ts';
import type { PodSourceName } from '../../observe/pods/source-name.ts';
import type { NodeRoot } from '../../observe/root.ts';
import { runtimeSocket, socketPath } from '../../observe/runtime-socket.ts';
import { type ApiClient, apiClient } from '../../peers/api/api-client.ts';
import { type CriClient, criClient } from '../../peers/cri/cri-client.ts';
import { type KubeletClient, kubeletClient } from '../../peers/kubelet/kubelet-client.ts';
import type { Clock } from '../../ports.ts';

/** What peers are asked with. */
export interface PeerParts {
  readonly kubelet: KubeletSettings;
  readonly nodeqos: Pick<NodeQosSettings, 'kubelet' | 'api' | 'runtime'>;
  readonly root: NodeRoot | undefined;
  /** Whom the pods are wanted from. */
  readonly source: PodSourceName;
  /** As the command line or a Node object says. */
  readonly nodeName: string | undefined;
  readonly hostname: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** Those who can be asked for pods, or to end them: each is made when it is first wanted, and once. */
export class Peers {
  readonly parts: PeerParts;
  readonly #kubelets = new Map<string, KubeletClient>();
  readonly #runtimes = new Map<string, CriClient>();
  #api: Promise<ApiClient> | undefined;

  constructor(parts: PeerParts) {
    this.parts = parts;
  }

  /** The name that this node has in its cluster. */
  get nodeName(): string {
    const { nodeName, env, hostname } = this.parts;
    return nodeNameOf({ named: nodeName, env, hostname });
  }

  /** Throws Failure 64 for what is no URL of a kubelet. */
  kubelet(url: string): KubeletClient {
    const known = this.#kubelets.get(url);
    if (known !== undefined) return known;
    const { nodeqos, clock } = this.parts;
    const access = this.#placed(nodeqos.kubelet, [
      'tokenFile',
      'caFile',
      'clientCertificateFile',
      'clientKeyFile',
    ]);
    const made = kubeletClient({ url, access, nodeName: this.nodeName, clock });
    this.#kubelets.set(url, made);
    return made;
  }

  /** Rejects with Failure where credentials are missing or malformed; then the next call tries again. */
  async api(): Promise<ApiClient> {
    const { nodeqos, env, clock } = this.parts;
    this.#api ??= apiClient({ access: this.#placed(nodeqos.api, ['kubeconfig']), env, clock });
    try {
      return await this.#api;
    } catch (error) {
      this.#api = undefined;
      throw error;
    }
  }

  runtime(socket: string): CriClient {
    const known = this.#runtimes.get(socket);
    if (known !== undefined) return known;
    const { nodeqos, clock } = this.parts;
    const made = criClient({ socket, access: nodeqos.runtime, clock });
    this.#runtimes.set(socket, made);
    return made;
  }

  /** The socket of this node's runtime; undefined where there is none. */
  get runtimeSocket(): string | undefined {
    const { root, nodeqos, kubelet, source } = this.parts;
    if (nodeqos.runtime.endpoint === undefined && source.kind === 'cri') return socketPath(source.socket);
    return root === undefined ? undefined : runtimeSocket(nodeqos.runtime, kubelet, root);
  }

  /** Whom nobody could ask to end a pod, and what to do about it. */
  get lacks(): EvictorLacks {
    const { nodeqos, env } = this.parts;
    const hasApi = nodeqos.api.kubeconfig !== undefined || env['KUBERNETES_SERVICE_HOST'] !== undefined;
    const api = 'no API server is known; name a kubeconfig in api.kubeconfig';
    const cri = 'no socket of a container runtime is known; name one in runtime.endpoint';
    return { ...(hasApi ? {} : { api }), ...(this.runtimeSocket === undefined ? { cri } : {}) };
  }

  /** Lets go of every connection. */
  close(): void {
    for (const runtime of this.#runtimes.values()) runtime.close();
    for (const kubelet of this.#kubelets.values()) kubelet.close();
  }

  /** The files that nodeqos.yaml names are inside the root. */
  #placed<Access extends object, Key extends keyof Access>(access: Access, keys: readonly Key[]): Access {
    const { root } = this.parts;
    if (root === undefined) return access;
    const placed = { ...access };
    for (const key of keys) {
      const path = access[key];
      if (typeof path === 'string') {
        placed[key] = root.files.nameOf(path.replace(/^\/+/, '')) as Access[Key];
      }
    }
    return placed;
  }
}
