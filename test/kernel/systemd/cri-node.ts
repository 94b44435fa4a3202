import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { MIB, MOUNT, until } from '../guest/machine.ts';
import { type PodWish, type TestPod, testPod } from '../guest/pod.ts';
import { APP_IMAGE, hasImage, startContainerd } from './container-node.ts';
import { ContainerProcess, sharedFolder } from './container-process.ts';
import { CRI_SOCKET, CriRuntime } from './cri-runtime.ts';
import { startTiers, UnitNode } from './unit-node.ts';

/** What every sandbox runs (sandbox_image of containerd's configuration): nothing, for ever. */
export const PAUSE = ['localhost/pause:1', ['/bin/sh', '-c', 'exec sleep 1000000']] as const;

/** A pod that was made through CRI. */
export interface CriPod {
  readonly pod: TestPod;
  readonly sandboxId: string;
  readonly containerId: string;
  readonly process: ContainerProcess;
}

/** The network of the machine, processes of its own: there is no network plug-in here. */
const NAMESPACES = { namespace_options: { network: 2, pid: 1, ipc: 0 } };

/** A node whose pods are made through containerd's CRI, and known to nobody but it. */
export class CriNode extends UnitNode {
  readonly runtime = new CriRuntime();
  readonly #pods: CriPod[] = [];

  protected override get podSource(): string {
    return `cri:${CRI_SOCKET}`;
  }

  /** Makes a pod as a kubelet does, with a limit of memory or without; CRI is told no requests. */
  async make(wish: PodWish, limitMib = 0): Promise<CriPod> {
    const named = testPod(wish, 'systemd', this.#pods.length + 1);
    const { uid, cgroup } = named;
    const config = {
      metadata: { name: wish.name, uid, namespace: 'shop', attempt: 0 },
      labels: {
        'io.kubernetes.pod.name': wish.name,
        'io.kubernetes.pod.namespace': 'shop',
        'io.kubernetes.pod.uid': uid,
      },
      linux: { cgroup_parent: `/${cgroup}`, security_context: NAMESPACES },
    };
    const { pod_sandbox_id: sandboxId } = await this.runtime.call<{ pod_sandbox_id: string }>(
      'RunPodSandbox',
      {
        config,
      },
    );
    const shared = sharedFolder(uid);
    const { container_id: containerId } = await this.runtime.call<{ container_id: string }>(
      'CreateContainer',
      {
        pod_sandbox_id: sandboxId,
        config: {
          metadata: { name: 'app', attempt: 0 },
          image: { image: APP_IMAGE },
          mounts: [{ container_path: '/case', host_path: shared }],
          annotations: { 'io.kubernetes.pod.terminationGracePeriod': String(wish.graceSeconds ?? 30) },
          linux: { resources: { memory_limit_in_bytes: limitMib * MIB }, security_context: NAMESPACES },
        },
        sandbox_config: config,
      },
    );
    await this.runtime.call('StartContainer', { container_id: containerId });
    const scope = (id: string): string => `${cgroup}/cri-containerd-${id}.scope`;
    const pod = { ...named, container: scope(containerId), sandbox: scope(sandboxId) };
    const made = { pod, sandboxId, containerId, process: await ContainerProcess.in(shared) };
    this.#pods.push(made);
    for (const there of [pod.container, pod.sandbox])
      if (!existsSync(`${MOUNT}/${there}`)) throw new Error(`the runtime made no ${there}`);
    return made;
  }

  /** Ends a pod as its owner does, and has the runtime forget it. */
  async end({ sandboxId, process }: CriPod): Promise<void> {
    process.leave();
    if (!(await this.sandboxes()).includes(sandboxId)) return;
    await this.runtime.call('StopPodSandbox', { pod_sandbox_id: sandboxId });
    await this.runtime.call('RemovePodSandbox', { pod_sandbox_id: sandboxId });
  }

  /** The IDs of all sandboxes that the runtime knows, dead or alive. */
  async sandboxes(): Promise<readonly string[]> {
    const { items } = await this.runtime.call<{ items: readonly { id: string }[] }>('ListPodSandbox');
    return items.map(({ id }) => id);
  }

  /** The runtime answers again, as it does some time after it was started. */
  async answers(): Promise<void> {
    let isAnswering = false;
    const ask = async (): Promise<void> => {
      isAnswering = await this.runtime.call('Version').then(
        () => true,
        () => false,
      );
    };
    await until(() => {
      void ask();
      return isAnswering;
    }, 'the runtime answers');
  }

  override async remove(): Promise<void> {
    await this.killAgents();
    for (const pod of this.#pods) await this.end(pod);
    this.runtime.close();
    await super.remove();
  }
}

/** The shims that look after a sandbox: processes that carry its ID. */
export function shimsOf(sandboxId: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const file = `/proc/${pid}/cmdline`;
      const command = existsSync(file) ? readFileSync(file, 'utf8') : '';
      return command.includes('shim') && command.includes(sandboxId);
    });
}

/** A case on a node of its own whose pods are made through CRI; everything but containerd is gone at its end. */
export async function onCri(test: (node: CriNode) => Promise<void>): Promise<void> {
  await startContainerd();
  await hasImage(...PAUSE);
  await startTiers();
  const node = new CriNode();
  try {
    await test(node);
  } finally {
    await node.remove();
  }
}
