import { Buffer } from 'node:buffer';
import { closeSync } from 'node:fs';
import type { Native, NativeResult } from './native.ts';
import { armPressureTrigger } from './pressure-trigger.ts';
import { unixSocketAddress } from './socket-address.ts';
import type { System } from './system.ts';

/** The same numbers on every architecture since Linux 5.1 (asm-generic/unistd.h). */
const SYS_PIDFD_SEND_SIGNAL = 424;
const SYS_PIDFD_OPEN = 434;

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const MSG_NOSIGNAL = 0x4000;

/** The native part over the C functions of this process. */
export function nativeOver(system: System): Native {
  return {
    pidfdOpen: (pid) => system.resultOf(system.syscall(SYS_PIDFD_OPEN, pid, 0, 0, 0)),
    pidfdSendSignal: (pidfd, signal) =>
      done(system.resultOf(system.syscall(SYS_PIDFD_SEND_SIGNAL, pidfd, signal, 0, 0))),
    sendDatagram: (address, text) => sendDatagram(system, address, text),
    armPressureTrigger: (path, trigger, fired) => armPressureTrigger(system, path, trigger, fired),
  };
}

function sendDatagram(system: System, address: string, text: string): NativeResult<void> {
  const to = unixSocketAddress(address);
  if (to === undefined) {
    return { ok: false, code: 'EAFNOSUPPORT' };
  }
  const socket = system.resultOf(system.socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.ok) {
    return socket;
  }
  try {
    const bytes = Buffer.from(text, 'utf8');
    return done(
      system.resultOf(system.sendto(socket.value, bytes, bytes.length, MSG_NOSIGNAL, to, to.length)),
    );
  } finally {
    closeSync(socket.value);
  }
}

function done(result: NativeResult<number>): NativeResult<void> {
  return result.ok ? { ok: true, value: undefined } : result;
}
