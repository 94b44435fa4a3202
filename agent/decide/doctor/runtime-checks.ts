import { amiss, type DoctorCheck, fine, type Subject } from './check.ts';
import type { DoctorFacts, SocketLook } from './facts.ts';

const group = 'runtime' as const;
const SOCKET: Subject = { id: 'runtime-socket', group, title: 'Container runtime' };
const ACCESS: Subject = { id: 'runtime-access', group, title: 'Its socket may be opened' };

const NOT_ASKED =
  'pods cannot come from the runtime (pods.source: cri:SOCKET), nor be ended through it (eviction.evictor: cri)';

/** Where the container runtime listens, and whether this user may talk to it. Nobody is talked to. */
export function runtimeChecks({ runtime }: DoctorFacts): readonly DoctorCheck[] {
  const { sockets } = runtime;
  if (sockets === undefined) {
    const advice = { consequence: NOT_ASKED, remedy: 'run the doctor on the node' };
    return [SOCKET, ACCESS].map((subject) =>
      amiss(subject, 'not-known', 'only the node itself tells', advice),
    );
  }
  const chosen = chosenSocket(sockets);
  return [socketCheck(chosen, sockets), accessCheck(chosen)];
}

/** The socket that is meant: one that a configuration names, whatever it is, else the first that is there. */
export function chosenSocket(sockets: readonly SocketLook[]): SocketLook | undefined {
  return (
    sockets.find(({ from }) => from === 'nodeqos.yaml') ??
    sockets.find(({ from }) => from === 'KubeletConfiguration') ??
    sockets.find(({ state }) => state === 'open' || state === 'denied')
  );
}

function socketCheck(chosen: SocketLook | undefined, sockets: readonly SocketLook[]): DoctorCheck {
  if (chosen === undefined) {
    return amiss(
      SOCKET,
      'missing',
      'no socket at the places of containerd, CRI-O, cri-dockerd, k3s and microk8s',
      {
        consequence: NOT_ASKED,
        remedy:
          'start the runtime, or set runtime.endpoint in nodeqos.yaml; without a runtime nothing is lost',
      },
    );
  }
  const { path, state, from } = chosen;
  if (state === 'missing' || state === 'no-socket') {
    const named = from === 'usual-place' ? '' : `, which ${from} names,`;
    return amiss(SOCKET, 'missing', `${path}${named} is ${state === 'missing' ? 'not there' : 'no socket'}`, {
      consequence: NOT_ASKED,
      remedy: 'start the runtime, or set runtime.endpoint in nodeqos.yaml to where it listens',
    });
  }
  const others = sockets.filter((one) => one !== chosen && (one.state === 'open' || one.state === 'denied'));
  const beside = others.length === 0 ? '' : `; also ${others.map((one) => one.path).join(', ')}`;
  return fine(SOCKET, `${chosen.runtime} at ${path}${beside}`);
}

function accessCheck(chosen: SocketLook | undefined): DoctorCheck {
  switch (chosen?.state) {
    case 'open':
      return fine(ACCESS, 'yes; what answers there was not asked');
    case 'denied':
      return amiss(ACCESS, 'warning', `this user may not open ${chosen.path}`, {
        consequence: NOT_ASKED,
        remedy: 'run as root, or as a user of the group that owns the socket, or with CAP_DAC_OVERRIDE',
      });
    case 'missing':
    case 'no-socket':
    case undefined:
      return amiss(ACCESS, 'missing', 'there is none', {
        consequence: NOT_ASKED,
        remedy: 'start the runtime, or set runtime.endpoint in nodeqos.yaml',
      });
  }
}
