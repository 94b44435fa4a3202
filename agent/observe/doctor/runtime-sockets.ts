import { statSync } from 'node:fs';
import { errorCode } from '../../../cgroup/disk/system-error.ts';
import type { SocketLook } from '../../decide/doctor/facts.ts';
import { USUAL_SOCKETS } from '../runtime-socket.ts';
import { writeLack } from './access.ts';

/** A socket that may be a runtime's, and who names it. */
export type NamedSocket = Pick<SocketLook, 'path' | 'runtime' | 'from'>;

const USUAL_PLACES: readonly NamedSocket[] = USUAL_SOCKETS.map((socket) => ({
  ...socket,
  from: 'usual-place',
}));

/**
 * Looks which sockets are there and whether this user may connect to them, which takes the right to write to one. Nobody is
 * connected to. `stated` comes first, and a usual place that it names is not listed twice.
 */
export function runtimeSockets(stated: readonly NamedSocket[], overrides: boolean): readonly SocketLook[] {
  const named = stated.map((socket) => ({
    ...socket,
    runtime: USUAL_PLACES.find(({ path }) => path === socket.path)?.runtime ?? socket.runtime,
  }));
  const others = USUAL_PLACES.filter(({ path }) => named.every((socket) => socket.path !== path));
  return [...named, ...others].map((socket) => ({ ...socket, state: stateOf(socket.path, overrides) }));
}

function stateOf(path: string, overrides: boolean): SocketLook['state'] {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return 'missing';
    if (!found.isSocket()) return 'no-socket';
    return writeLack(path, overrides) === undefined ? 'open' : 'denied';
  } catch (error) {
    const code = errorCode(error);
    return code === 'ENOTDIR' ? 'missing' : 'denied';
  }
}
