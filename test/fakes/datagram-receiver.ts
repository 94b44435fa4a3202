import { Buffer } from 'node:buffer';
import { closeSync } from 'node:fs';
import koffi from 'koffi';
import { unixSocketAddress } from '../../agent/native/socket-address.ts';

type CFunction = (...parameters: readonly (number | Uint8Array)[]) => number;

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const MSG_DONTWAIT = 0x40;
const LONGEST_DATAGRAM_BYTES = 65_536;

/** A Unix socket that gets datagrams, as a service manager has one. */
export class DatagramReceiver {
  readonly #fd: number;
  readonly #receive: CFunction;

  constructor(address: string) {
    const library = koffi.load(null);
    const socket: CFunction = library.func('int socket(int domain, int type, int protocol)');
    const bind: CFunction = library.func('int bind(int fd, const uint8_t *address, uint32_t length)');
    this.#receive = library.func('long recv(int fd, _Out_ uint8_t *buffer, size_t length, int flags)');
    this.#fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    const to = unixSocketAddress(address);
    if (this.#fd < 0 || to === undefined || bind(this.#fd, to, to.length) !== 0) {
      throw new Error(`cannot listen on ${address}`);
    }
  }

  /** All datagrams that have come since the last call. */
  received(): readonly string[] {
    const texts: string[] = [];
    const buffer = Buffer.alloc(LONGEST_DATAGRAM_BYTES);
    for (;;) {
      const length = this.#receive(this.#fd, buffer, buffer.length, MSG_DONTWAIT);
      if (length < 0) return texts;
      texts.push(buffer.toString('utf8', 0, length));
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}
