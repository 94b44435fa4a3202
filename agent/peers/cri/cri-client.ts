import type { RuntimeAccess } from '../../../config/nodeqos/settings.ts';
import type { Clock } from '../../ports.ts';
import type { ContainerDetail, RuntimeContainer, RuntimeVersion, Sandbox, SandboxDetail } from './facts.ts';

/** A container runtime, asked over its socket. Every call throws Failure: 69 where it does not answer, 77 where nodeqos may not ask. */
export interface CriClient {
  /** As people know it, such as `the container runtime at /run/containerd/containerd.sock`. */
  readonly name: string;
  readonly socket: string;
  version(signal: AbortSignal): Promise<RuntimeVersion>;
  sandboxes(signal: AbortSignal): Promise<readonly Sandbox[]>;
  containers(signal: AbortSignal): Promise<readonly RuntimeContainer[]>;
  /** undefined: it is gone. */
  sandboxDetail(id: string, signal: AbortSignal): Promise<SandboxDetail | undefined>;
  /** undefined: it is gone. */
  containerDetail(id: string, signal: AbortSignal): Promise<ContainerDetail | undefined>;
  /** Has it asked to end, and killed after its grace; resolves when it has ended. One that is gone already is no failure. */
  stopContainer(id: string, graceSeconds: number, signal: AbortSignal): Promise<void>;
  /** Ends what is left in a sandbox, and its network. */
  stopSandbox(id: string, signal: AbortSignal): Promise<void>;
  /** Takes a sandbox and its containers off the runtime's list, and their files off the disk. */
  removeSandbox(id: string, signal: AbortSignal): Promise<void>;
  /** Lets go of the connection; a later call makes one again. */
  close(): void;
}

/** What a client works with. */
export interface CriClientParts {
  /** A path. */
  readonly socket: string;
  readonly access: Pick<RuntimeAccess, 'deadlineMs'>;
  readonly clock: Clock;
}

/** A client of CRI runtime.v1. Nothing is loaded and nothing connected before the first call. */
export function criClient(parts: CriClientParts): CriClient {
  throw new Error(`not yet: ${parts.socket}`);
}
