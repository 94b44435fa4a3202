import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import {
  type ContainerObject,
  type DaemonSetObject,
  onlyContainer,
  type PodSpecObject,
  templateOf,
} from '../../package/daemonset.ts';
import { MIB, sleep } from '../guest/machine.ts';
import { type TestPod, testPod } from '../guest/pod.ts';
import type { AgentState } from '../guest/running-agent.ts';
import { run } from './commands.ts';
import type { CriRuntime } from './cri-runtime.ts';

/** What the overlays of the project come to. */
const MANIFESTS = '/app/manifests';
const CONFIGURATION = '/run/nodeqos-configuration';
const LOGS = '/run/nodeqos-logs';
const ENTRYPOINT = '/usr/bin/nodeqos';
const LONGEST_WAIT_MS = 90_000;
const EXITED = 2;
/** Numbers of CRI for namespaces: the pod's own, the container's own, the node's. */
const OF_NODE = 2;

/** What a kubelet hides of /proc and /sys from containers that are not privileged (defaultMaskedPaths, defaultReadonlyPaths). */
const HIDDEN = {
  masked_paths: [
    ...['/proc/asound', '/proc/acpi', '/proc/kcore', '/proc/keys', '/proc/latency_stats'],
    ...['/proc/timer_list', '/proc/timer_stats', '/proc/sched_debug', '/proc/scsi', '/sys/firmware'],
  ],
  readonly_paths: ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'],
};

interface Manifests {
  readonly daemonSet: DaemonSetObject;
  readonly configuration: Readonly<Record<string, string>>;
}

function manifestsOf(overlay: string): Manifests {
  const objects = JSON.parse(readFileSync(`${MANIFESTS}/${overlay}.json`, 'utf8')) as readonly {
    readonly kind: string;
    readonly data?: Readonly<Record<string, string>>;
  }[];
  const of = (kind: string) => objects.find((object) => object.kind === kind);
  return {
    daemonSet: of('DaemonSet') as unknown as DaemonSetObject,
    configuration: of('ConfigMap')?.data ?? {},
  };
}

/** Lays out the configuration of an overlay as the kubelet does, and what a case has besides; all of it changes at once. */
export function configureImage(overlay: string, more: object): void {
  const version = `..${Date.now()}`;
  mkdirSync(`${CONFIGURATION}/${version}`, { recursive: true });
  const keys = { ...manifestsOf(overlay).configuration, '90-case.yaml': JSON.stringify(more) };
  for (const [key, text] of Object.entries(keys)) writeFileSync(`${CONFIGURATION}/${version}/${key}`, text);
  symlinkSync(version, `${CONFIGURATION}/..data_tmp`);
  renameSync(`${CONFIGURATION}/..data_tmp`, `${CONFIGURATION}/..data`);
  for (const key of Object.keys(keys))
    if (!existsSync(`${CONFIGURATION}/${key}`)) symlinkSync(`..data/${key}`, `${CONFIGURATION}/${key}`);
}

/** What a kubelet tells the runtime of a container of the DaemonSet; `more` is a folder that a case has besides. */
function configOf(spec: PodSpecObject, container: ContainerObject, more: string): object {
  const { securityContext } = container;
  const mounts = container.volumeMounts.map(({ name, mountPath, readOnly }) => {
    const volume = spec.volumes.find((one) => one.name === name);
    const source = volume?.hostPath?.path ?? CONFIGURATION;
    if (volume?.hostPath?.type === 'DirectoryOrCreate') mkdirSync(source, { recursive: true });
    return { container_path: mountPath, host_path: source, readonly: readOnly === true };
  });
  return {
    metadata: { name: container.name, attempt: 0 },
    image: { image: container.image },
    args: container.args.map((word) => word.replace('$(NODE_NAME)', 'node')),
    envs: (container.env ?? []).map(({ name, value }) => ({ key: name, value: value ?? 'node' })),
    mounts: [...mounts, { container_path: more, host_path: more, readonly: true }],
    log_path: `${container.name}.log`,
    linux: {
      resources: { memory_limit_in_bytes: 256 * MIB },
      security_context: {
        ...HIDDEN,
        capabilities: {
          drop_capabilities: securityContext.capabilities.drop,
          add_capabilities: securityContext.capabilities.add ?? [],
        },
        privileged: securityContext['privileged'],
        namespace_options: namespacesOf(spec),
        run_as_user: { value: securityContext['runAsUser'] },
        run_as_group: { value: securityContext['runAsGroup'] },
        readonly_rootfs: securityContext['readOnlyRootFilesystem'],
        no_new_privs: securityContext['allowPrivilegeEscalation'] === false,
        seccomp: { profile_type: 0 },
      },
    },
  };
}

/** There is no network plug-in here, so that a pod has the network of the machine. */
function namespacesOf({ hostPID }: PodSpecObject): object {
  return { network: OF_NODE, pid: hostPID ? OF_NODE : 1, ipc: 0 };
}

/** A container of a pod of the DaemonSet of an overlay, made through CRI as a kubelet makes it. */
export class ImageContainer {
  /** The pod as an API server would list it. */
  readonly pod: TestPod;
  readonly #runtime: CriRuntime;
  readonly #sandboxId: string;
  readonly #id: string;
  readonly #log: string;

  private constructor(
    runtime: CriRuntime,
    pod: TestPod,
    ids: { sandbox: string; container: string; log: string },
  ) {
    this.#runtime = runtime;
    this.#sandboxId = ids.sandbox;
    this.#id = ids.container;
    this.#log = ids.log;
    this.pod = pod;
  }

  /** Starts the one that goes on, or with `init` the one that is there before it; `index` tells pods apart. */
  static async started(
    runtime: CriRuntime,
    overlay: string,
    { index, more, init = false }: { index: number; more: string; init?: boolean },
  ): Promise<ImageContainer> {
    const { daemonSet } = manifestsOf(overlay);
    const { spec } = templateOf(daemonSet);
    const container = init ? spec.initContainers?.[0] : onlyContainer(daemonSet);
    if (container === undefined) throw new Error(`${overlay} has nothing that runs first`);
    const named = testPod(
      { name: 'nodeqos', class: 'Burstable', request: '256Mi', limit: '256Mi' },
      'systemd',
      index,
    );
    const logs = `${LOGS}/${index}`;
    mkdirSync(logs, { recursive: true });
    const sandboxConfig = {
      metadata: { name: 'nodeqos', uid: named.uid, namespace: 'nodeqos', attempt: 0 },
      log_directory: logs,
      linux: {
        cgroup_parent: `/${named.cgroup}`,
        security_context: { namespace_options: namespacesOf(spec) },
      },
    };
    const { pod_sandbox_id: sandbox } = await runtime.call<{ pod_sandbox_id: string }>('RunPodSandbox', {
      config: sandboxConfig,
    });
    const { container_id: id } = await runtime.call<{ container_id: string }>('CreateContainer', {
      pod_sandbox_id: sandbox,
      config: configOf(spec, container, more),
      sandbox_config: sandboxConfig,
    });
    await runtime.call('StartContainer', { container_id: id });
    const manifest = JSON.parse(
      JSON.stringify(named.manifest).replace(/containerd:\/\/[0-9a-f]+/, `containerd://${id}`),
    ) as object;
    const scope = `${named.cgroup}/cri-containerd-${id}.scope`;
    const ids = { sandbox, container: id, log: `${logs}/${container.name}.log` };
    return new ImageContainer(runtime, { ...named, container: scope, manifest }, ids);
  }

  /** What it wrote to its streams. */
  get said(): string {
    return existsSync(this.#log) ? readFileSync(this.#log, 'utf8') : '';
  }

  /** What it answers; undefined where it does not. */
  async answer(path: string): Promise<string | undefined> {
    const { status, stdout } = await run('busybox', 'wget', '-q', '-O', '-', `http://127.0.0.1:9477${path}`);
    return status === 0 ? stdout : undefined;
  }

  /** Waits for a state in which something holds; gives it. */
  async state(isMet: (state: AgentState) => boolean, what: string): Promise<AgentState> {
    const endMs = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      const text = await this.answer('/state');
      const state = text === undefined ? undefined : (JSON.parse(text) as AgentState);
      if (state !== undefined && isMet(state)) return state;
      if (performance.now() > endMs || (await this.exitCode()) !== undefined)
        throw new Error(`not seen: ${what}; last: ${text ?? 'no answer'}\n${this.said}`);
      await sleep(200);
    }
  }

  /** Runs a command in it, as kubectl exec does; gives what it wrote. Throws unless it ends with status 0. */
  async exec(...args: readonly string[]): Promise<string> {
    const request = { container_id: this.#id, cmd: [ENTRYPOINT, ...args], timeout: '50' };
    const { stdout, stderr, exit_code } = await this.#runtime.call<{
      stdout: Buffer;
      stderr: Buffer;
      exit_code: number;
    }>('ExecSync', request);
    if (exit_code !== 0) throw new Error(`${args.join(' ')} ended with ${exit_code}: ${stderr.toString()}`);
    return stdout.toString();
  }

  /** The status that it ended with; undefined while it runs. */
  async exitCode(): Promise<number | undefined> {
    const { status } = await this.#runtime.call<{ status: { state: number; exit_code: number } }>(
      'ContainerStatus',
      { container_id: this.#id },
    );
    return status.state === EXITED ? status.exit_code : undefined;
  }

  /** Waits for its end; gives its status. */
  async ended(): Promise<number> {
    const endMs = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      const code = await this.exitCode();
      if (code !== undefined) return code;
      if (performance.now() > endMs) throw new Error(`it does not end\n${this.said}`);
      await sleep(200);
    }
  }

  /** Ends it as a kubelet does that takes its pod away, with grace; gives its status. */
  async stop(): Promise<number> {
    await this.#runtime.call('StopContainer', { container_id: this.#id, timeout: '30' });
    return await this.ended();
  }

  /** The whole pod goes. */
  async remove(): Promise<void> {
    await this.#runtime.call('StopPodSandbox', { pod_sandbox_id: this.#sandboxId });
    await this.#runtime.call('RemovePodSandbox', { pod_sandbox_id: this.#sandboxId });
  }
}
