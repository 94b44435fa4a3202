import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import { fromJSON, type ServiceDefinition } from '@grpc/proto-loader';
import { CRI_READING, CRI_SERVICE, type CriCall, criDescriptor } from '../../agent/peers/cri/wire.ts';

type Texts = Readonly<Record<string, string>>;

/** A pod as whoever makes it tells a runtime. */
export interface FakePodWish {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly attempt?: number;
  readonly labels?: Texts;
  readonly annotations?: Texts;
  /** In the sandbox's metadata only, and in no label. */
  readonly isUnlabelled?: boolean;
  readonly qosClass?: 'Guaranteed' | 'Burstable' | 'BestEffort';
  readonly hostNetwork?: boolean;
}

/** A container as whoever makes it tells a runtime. */
export interface FakeContainerWish {
  readonly name: string;
  readonly attempt?: number;
  readonly annotations?: Texts;
  readonly memoryLimitBytes?: number;
  /** Of a period of 100 ms, in microseconds. */
  readonly cpuQuota?: number;
}

interface FakeSandbox {
  readonly id: string;
  readonly wish: FakePodWish;
  readonly createdAt: number;
  isReady: boolean;
}

interface FakeContainer {
  readonly id: string;
  readonly sandboxId: string;
  wish: FakeContainerWish;
  readonly createdAt: number;
  state: 0 | 1 | 2 | 3;
}

/** What the server does instead of answering a call. */
export type Trouble =
  | { readonly code: grpc.status; readonly details?: string }
  | 'hang'
  /** Answers when it is told to (FakeCriServer.answer). */
  | 'wait';

type Request = Readonly<Record<string, unknown>>;

/** A container runtime that speaks CRI runtime.v1 on a socket in a folder of its own, and runs nothing. */
export class FakeCriServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'cri-'));
  readonly socket = join(this.folder, 'runtime.sock');
  /** Each call with what it was about, in the order they came. */
  readonly asked: string[] = [];
  readonly troubles = new Map<CriCall, Trouble>();
  /** Where the status of a container has its limits: containerd 1.7 and later, or before. */
  limitsIn: 'status' | 'specification' = 'status';
  driver: 'systemd' | 'cgroupfs' = 'systemd';
  runtime = 'containerd';
  /** Containers that end only when their sandbox is stopped, or not even then. */
  readonly stubborn = new Set<string>();
  readonly #sandboxes = new Map<string, FakeSandbox>();
  readonly #containers = new Map<string, FakeContainer>();
  readonly #waiting: (() => void)[] = [];
  #server: grpc.Server | undefined;
  #made = 0;

  static async started(): Promise<FakeCriServer> {
    const server = new FakeCriServer();
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const service = fromJSON(criDescriptor(), CRI_READING)[CRI_SERVICE] as ServiceDefinition;
    const server = new grpc.Server();
    const handlers = Object.keys(service).map((name) => [name, this.#handler(name as CriCall)] as const);
    server.addService(service, Object.fromEntries(handlers));
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`unix:${this.socket}`, grpc.ServerCredentials.createInsecure(), (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
    this.#server = server;
  }

  /** As when the runtime is restarted: who waits for an answer gets none, and what runs goes on. */
  stop(): void {
    this.#server?.forceShutdown();
    this.#server = undefined;
    rmSync(this.socket, { force: true });
  }

  remove(): void {
    this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Makes a pod; gives the ID of its sandbox. */
  pod(wish: FakePodWish, ...containers: readonly FakeContainerWish[]): string {
    const id = this.#id('a');
    this.#sandboxes.set(id, { id, wish, createdAt: this.#made, isReady: true });
    for (const container of containers) this.container(id, container);
    return id;
  }

  /** Makes a container that runs; gives its ID. */
  container(sandboxId: string, wish: FakeContainerWish, state: FakeContainer['state'] = 1): string {
    const id = this.#id('c');
    this.#containers.set(id, { id, sandboxId, wish, createdAt: this.#made, state });
    return id;
  }

  exit(containerId: string): void {
    this.#container(containerId).state = 2;
  }

  /** The sandbox's own process has ended. */
  breakSandbox(id: string): void {
    this.#sandbox(id).isReady = false;
  }

  resize(containerId: string, memoryLimitBytes: number): void {
    const container = this.#container(containerId);
    container.wish = { ...container.wish, memoryLimitBytes };
  }

  forget(sandboxId: string): void {
    this.#sandboxes.delete(sandboxId);
    for (const { id, sandboxId: its } of this.#containers.values())
      if (its === sandboxId) this.#containers.delete(id);
  }

  /** Names of the containers that run, sorted. */
  get running(): readonly string[] {
    const all = [...this.#containers.values()].filter(({ state }) => state === 1);
    return all.map(({ wish }) => wish.name).sort();
  }

  get sandboxIds(): readonly string[] {
    return [...this.#sandboxes.keys()];
  }

  #id(kind: string): string {
    this.#made += 1;
    return `${kind}${String(this.#made).padStart(63, '0')}`;
  }

  #sandbox(id: string): FakeSandbox {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) throw new NotFound();
    return sandbox;
  }

  #container(id: string): FakeContainer {
    const container = this.#containers.get(id);
    if (container === undefined) throw new NotFound();
    return container;
  }

  #handler(call: CriCall): grpc.handleUnaryCall<Request, object> {
    return ({ request }, answer) => {
      const about = request['container_id'] ?? request['pod_sandbox_id'];
      const { timeout } = request as { readonly timeout?: string };
      const grace = timeout === undefined ? '' : ` ${timeout}`;
      this.asked.push(typeof about === 'string' ? `${call} ${about}${grace}` : call);
      const trouble = this.troubles.get(call);
      const now = (): void => {
        try {
          answer(null, this.#answer(call, typeof about === 'string' ? about : ''));
        } catch (error) {
          if (!(error instanceof NotFound)) throw error;
          answer({ code: grpc.status.NOT_FOUND, details: 'not found' });
        }
      };
      if (trouble === undefined) now();
      else if (trouble === 'wait') this.#waiting.push(now);
      else if (trouble !== 'hang') answer(trouble);
    };
  }

  /** Answers the calls that wait. */
  answer(): void {
    for (const now of this.#waiting.splice(0)) now();
  }

  #answer(call: CriCall, id: string): object {
    switch (call) {
      case 'Version':
        return { runtime_name: this.runtime, runtime_version: '1.6.20' };
      case 'ListPodSandbox':
        return { items: [...this.#sandboxes.values()].map(listedSandbox) };
      case 'ListContainers':
        return { containers: [...this.#containers.values()].map(listedContainer) };
      case 'PodSandboxStatus':
        return this.#sandboxStatus(this.#sandbox(id));
      case 'ContainerStatus':
        return this.#containerStatus(this.#container(id));
      case 'StopContainer':
        if (!this.stubborn.has(this.#container(id).wish.name)) this.exit(id);
        return {};
      case 'StopPodSandbox':
        this.#sandbox(id).isReady = false;
        for (const container of this.#containers.values())
          if (container.sandboxId === id) container.state = 2;
        return {};
      case 'RemovePodSandbox':
        this.forget(id);
        return {};
    }
  }

  #sandboxStatus({ id, wish }: FakeSandbox): object {
    const network = wish.hostNetwork === true ? 2 : 0;
    const cgroupsPath = cgroupsPathOf(wish, id, this.driver);
    return {
      status: { linux: { namespaces: { options: { network } } } },
      info: { info: JSON.stringify({ pid: 1, runtimeSpec: { linux: { cgroupsPath } } }) },
    };
  }

  #containerStatus({ wish }: FakeContainer): object {
    const { memoryLimitBytes = 0, cpuQuota = 0 } = wish;
    if (this.limitsIn === 'status') {
      const linux = { memory_limit_in_bytes: memoryLimitBytes, cpu_quota: cpuQuota, cpu_period: 100_000 };
      return { status: { resources: { linux } }, info: {} };
    }
    const memory = memoryLimitBytes === 0 ? {} : { memory: { limit: memoryLimitBytes } };
    const resources = { ...memory, cpu: { quota: cpuQuota, period: 100_000 } };
    return { status: {}, info: { info: JSON.stringify({ runtimeSpec: { linux: { resources } } }) } };
  }
}

class NotFound extends Error {}

function listedSandbox({ id, wish, createdAt, isReady }: FakeSandbox): object {
  const { name, namespace = 'shop', uid = '', attempt = 0, labels = {}, annotations = {} } = wish;
  const own =
    wish.isUnlabelled === true
      ? {}
      : {
          'io.kubernetes.pod.name': name,
          'io.kubernetes.pod.namespace': namespace,
          'io.kubernetes.pod.uid': uid,
        };
  const metadata = { name, uid, namespace, attempt };
  const state = isReady ? 0 : 1;
  return { id, metadata, state, created_at: createdAt, labels: { ...labels, ...own }, annotations };
}

function listedContainer({ id, sandboxId, wish, createdAt, state }: FakeContainer): object {
  const { name, attempt = 0, annotations = {} } = wish;
  const metadata = { name, attempt };
  return { id, pod_sandbox_id: sandboxId, metadata, state, created_at: createdAt, annotations };
}

function cgroupsPathOf({ uid = '', qosClass }: FakePodWish, id: string, driver: string): string {
  if (qosClass === undefined) return `/somewhere/${id}`;
  const tier = { Guaranteed: '', Burstable: 'burstable', BestEffort: 'besteffort' }[qosClass];
  if (driver === 'cgroupfs') return `/kubepods/${tier === '' ? '' : `${tier}/`}pod${uid}/${id}`;
  return `kubepods-${tier === '' ? '' : `${tier}-`}pod${uid.replaceAll('-', '_')}.slice:cri-containerd:${id}`;
}

/** A socket behind which somebody sits who takes every connection and never says a word. */
export async function muteSocket(path: string): Promise<{ close(): void }> {
  const connections = new Set<Socket>();
  const server = createServer((connection) => connections.add(connection));
  server.listen(path);
  await once(server, 'listening');
  return {
    close: () => {
      for (const connection of connections) connection.destroy();
      server.close();
    },
  };
}
