import type { RuntimeAccess } from '../../../config/nodeqos/settings.ts';
import { socketPath } from '../../observe/runtime-socket.ts';
import type { Clock } from '../../ports.ts';
import { type Called, CriConnection } from './connection.ts';
import { containerDetailOf, sandboxDetailOf } from './details.ts';
import type { ContainerDetail, RuntimeContainer, RuntimeVersion, Sandbox, SandboxDetail } from './facts.ts';
import { ownError } from './failures.ts';
import {
  type ContainerStatusResponse,
  containersOf,
  type ListContainersResponse,
  type ListPodSandboxResponse,
  type PodSandboxStatusResponse,
  sandboxesOf,
  type VersionResponse,
} from './messages.ts';
import type { CriCall } from './wire.ts';

/**
 * A container runtime, asked over its socket. Every call throws Failure: 69 where it does not answer or cannot do it, 77 where
 * nodeqos may not ask.
 */
export interface CriClient {
  /** As people know it, such as `the container runtime at /run/containerd/containerd.sock`. */
  readonly name: string;
  readonly socket: string;
  /** How long one answer may take. */
  readonly deadlineMs: number;
  version(signal: AbortSignal): Promise<RuntimeVersion>;
  sandboxes(signal: AbortSignal): Promise<readonly Sandbox[]>;
  containers(signal: AbortSignal): Promise<readonly RuntimeContainer[]>;
  /** `gone`: there is no such sandbox. `unknown`: the runtime could not say. */
  sandboxDetail(id: string, signal: AbortSignal): Promise<SandboxDetail | 'gone' | 'unknown'>;
  containerDetail(id: string, signal: AbortSignal): Promise<ContainerDetail | 'gone' | 'unknown'>;
  /** Has it asked to end, and killed after its grace; resolves when it has ended. One that is gone already is no failure. */
  stopContainer(id: string, graceSeconds: number, signal: AbortSignal): Promise<void>;
  /** Ends what is left in a sandbox without any grace, and its network. */
  stopSandbox(id: string, signal: AbortSignal): Promise<void>;
  /** Takes a sandbox and its containers off the runtime's list, and their files off the disk. */
  removeSandbox(id: string, signal: AbortSignal): Promise<void>;
  /** Lets go of the connection; a later call makes one again. */
  close(): void;
}

/** What a client works with. */
export interface CriClientParts {
  /** A path, or a unix: URL. */
  readonly socket: string;
  readonly access: Pick<RuntimeAccess, 'deadlineMs'>;
  readonly clock: Clock;
}

const MS_PER_SECOND = 1000;

/** A client of CRI runtime.v1. Nothing is loaded and nothing connected before the first call. */
export function criClient({ socket: endpoint, access, clock }: CriClientParts): CriClient {
  const { deadlineMs } = access;
  const socket = socketPath(endpoint) ?? endpoint;
  const name = `the container runtime at ${socket}`;
  const connection = new CriConnection({ name, socket, clock });

  const called = async <R>(
    call: CriCall,
    request: object,
    signal: AbortSignal,
    graceMs = 0,
  ): Promise<Called<R>> => {
    return await connection.call<R>({ call, request, deadlineMs: deadlineMs + graceMs, signal });
  };
  /** The answer to a question about everything. */
  const whole = async <R>(call: CriCall, signal: AbortSignal): Promise<R> => {
    const answer = await called<R>(call, {}, signal);
    if (answer.kind === 'answer') return answer.response;
    throw answer.kind === 'gone' ? ownError(name, call) : answer.failure;
  };
  const orUnknown = <R, D>(answer: Called<R>, read: (response: R) => D): D | 'gone' | 'unknown' => {
    if (answer.kind === 'away') throw answer.failure;
    if (answer.kind === 'answer') return read(answer.response);
    return answer.kind === 'gone' ? 'gone' : 'unknown';
  };
  const done = (answer: Called<object>): void => {
    if (answer.kind === 'away' || answer.kind === 'error') throw answer.failure;
  };

  return {
    name,
    socket,
    deadlineMs,
    version: async (signal) => {
      const version = await whole<VersionResponse>('Version', signal);
      return { name: version.runtime_name, version: version.runtime_version };
    },
    sandboxes: async (signal) => sandboxesOf(await whole<ListPodSandboxResponse>('ListPodSandbox', signal)),
    containers: async (signal) => containersOf(await whole<ListContainersResponse>('ListContainers', signal)),
    sandboxDetail: async (id, signal) => {
      const request = { pod_sandbox_id: id, verbose: true };
      const answer = await called<PodSandboxStatusResponse>('PodSandboxStatus', request, signal);
      return orUnknown(answer, sandboxDetailOf);
    },
    containerDetail: async (id, signal) => {
      const request = { container_id: id, verbose: true };
      const answer = await called<ContainerStatusResponse>('ContainerStatus', request, signal);
      return orUnknown(answer, containerDetailOf);
    },
    stopContainer: async (id, graceSeconds, signal) => {
      const request = { container_id: id, timeout: Math.ceil(graceSeconds) };
      done(await called('StopContainer', request, signal, graceSeconds * MS_PER_SECOND));
    },
    stopSandbox: async (id, signal) => {
      done(await called('StopPodSandbox', { pod_sandbox_id: id }, signal));
    },
    removeSandbox: async (id, signal) => {
      done(await called('RemovePodSandbox', { pod_sandbox_id: id }, signal));
    },
    close: () => {
      connection.close();
    },
  };
}
