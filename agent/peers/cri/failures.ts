import { accessSync, constants, statSync } from 'node:fs';
import { errorCode } from '../../../cgroup/disk/system-error.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { CriCall } from './wire.ts';

/** The most of one answer that is read: what the kubelet reads of one. */
export const MOST_MIB = 16;

/** The statuses of gRPC that say something here (grpc.io, Status Codes). */
const STATUS = {
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
} as const;

const NAME_IT = 'name its socket in runtime.endpoint of nodeqos.yaml or after cri:';

/** What was asked of whom. */
export interface Asked {
  readonly name: string;
  readonly socket: string;
  readonly call: CriCall;
}

/** What a call that failed comes to. What the runtime wrote about it is in its own log, and goes no further. */
export function failedCall(
  asked: Asked,
  error: unknown,
): { readonly kind: 'gone' } | { readonly kind: 'error' | 'away'; readonly failure: Failure } {
  const { name, socket, call } = asked;
  const away = (failure: Failure): { readonly kind: 'away'; readonly failure: Failure } => ({
    kind: 'away',
    failure,
  });
  switch (statusOf(error)) {
    case STATUS.notFound:
      return { kind: 'gone' };
    case STATUS.unavailable:
      return away(nobody(socket));
    case STATUS.unimplemented:
      return away(
        new Failure(
          EXIT.unavailable,
          `${name} does not offer CRI runtime.v1: its CRI part is off, or it is older than containerd 1.6; turn it on or update it`,
        ),
      );
    case STATUS.permissionDenied:
    case STATUS.unauthenticated:
      return away(
        new Failure(
          EXIT.notPermitted,
          `${name} does not allow nodeqos to call ${call}; ask whoever set up its permissions`,
        ),
      );
    case STATUS.resourceExhausted:
      return away(
        new Failure(
          EXIT.unavailable,
          `${name} did not answer ${call} in ${MOST_MIB} MiB; remove dead containers from it`,
        ),
      );
    default:
      return { kind: 'error', failure: ownError(name, call) };
  }
}

/** The runtime could not do it, for reasons of its own. */
export function ownError(name: string, call: CriCall): Failure {
  const message = `${name} answered ${call} with an error of its own; its log says which`;
  return new Failure(EXIT.unavailable, message);
}

/** An answer that did not come in time. */
export function tooLate(name: string, call: CriCall, deadlineMs: number): Failure {
  return new Failure(
    EXIT.unavailable,
    `${name} did not answer ${call} within ${deadlineMs / 1000} s; if it is only slow, raise runtime.deadline`,
  );
}

function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}

/** Nobody was reached by the socket. The library says why in prose; the socket says it in codes. */
function nobody(socket: string): Failure {
  try {
    if (!statSync(socket).isSocket()) {
      return new Failure(EXIT.unavailable, `${socket} is not a socket; ${NAME_IT}`);
    }
    accessSync(socket, constants.R_OK | constants.W_OK);
  } catch (error) {
    switch (errorCode(error)) {
      case 'ENOENT':
        return new Failure(
          EXIT.unavailable,
          `there is no socket of a container runtime at ${socket}; start the runtime, or ${NAME_IT}`,
        );
      case 'EACCES':
      case 'EPERM':
        return new Failure(
          EXIT.notPermitted,
          `the container runtime's socket ${socket} may not be used by this user; run nodeqos as root, or give its user the group of the socket`,
        );
      default:
    }
  }
  return new Failure(
    EXIT.unavailable,
    `nobody answers at the container runtime's socket ${socket}; start the runtime, or ${NAME_IT}`,
  );
}
