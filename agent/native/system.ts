import { getSystemErrorName } from 'node:util';
import type * as Koffi from 'koffi';
import type { NativeResult } from './native.ts';

/** A C function whose arguments and result are whole numbers and buffers. */
type CFunction = (...parameters: readonly (number | bigint | Uint8Array)[]) => number;

/** The C functions that are called, and a way to wait for a descriptor. */
export interface System {
  /** syscall(2) with up to four arguments that are numbers. */
  readonly syscall: CFunction;
  readonly socket: CFunction;
  readonly sendto: CFunction;
  readonly epollCreate: CFunction;
  readonly epollControl: CFunction;
  readonly epollWait: CFunction;
  /** The value of a call, or the error of the system where it gave a negative one. */
  resultOf(value: number): NativeResult<number>;
  /** Calls `readable` from the event loop whenever the descriptor is readable, without keeping the process alive. */
  whenReadable(fd: number, readable: () => void): { close(): void };
}

/** Binds the functions of the C library that this process has loaded. Throws where one is not there. */
export function bindSystem(koffi: typeof Koffi): System {
  const library = koffi.load(null);
  const bind = (definition: string): CFunction => library.func(definition);
  return {
    syscall: bind('long syscall(long number, long a, long b, long c, long d)'),
    socket: bind('int socket(int domain, int type, int protocol)'),
    sendto: bind(
      'long sendto(int fd, const uint8_t *bytes, size_t length, int flags, const uint8_t *address, uint32_t addressLength)',
    ),
    epollCreate: bind('int epoll_create1(int flags)'),
    epollControl: bind('int epoll_ctl(int epoll, int operation, int fd, uint8_t *event)'),
    epollWait: bind('int epoll_wait(int epoll, _Out_ uint8_t *events, int maxEvents, int timeoutMs)'),
    resultOf: (value) => {
      if (value >= 0) {
        return { ok: true, value };
      }
      return { ok: false, code: getSystemErrorName(-koffi.errno()) };
    },
    whenReadable: (fd, readable) => {
      const poll = koffi.node.poll(fd, { readable: true }, readable);
      poll.unref();
      return poll;
    },
  };
}
