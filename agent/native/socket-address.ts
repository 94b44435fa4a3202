import { Buffer } from 'node:buffer';
import { endianness } from 'node:os';

/** linux/un.h: sun_path of struct sockaddr_un. */
const LONGEST_PATH_BYTES = 108;
const AF_UNIX = 1;
const FAMILY_BYTES = 2;

/**
 * The struct sockaddr_un of a Unix socket: a path, or `@name` for a name in the abstract namespace, which begins with a NUL
 * and ends without one (unix(7)). undefined for what no socket can be called.
 */
export function unixSocketAddress(address: string): Uint8Array | undefined {
  const isAbstract = address.startsWith('@');
  const path = Buffer.from(isAbstract ? `\0${address.slice(1)}` : `${address}\0`, 'utf8');
  if (!(isAbstract || address.startsWith('/')) || address.includes('\0') || address.length < 2) {
    return undefined;
  }
  if (path.length > LONGEST_PATH_BYTES) {
    return undefined;
  }
  const family = Buffer.alloc(FAMILY_BYTES);
  if (endianness() === 'LE') {
    family.writeUInt16LE(AF_UNIX);
  } else {
    family.writeUInt16BE(AF_UNIX);
  }
  return Buffer.concat([family, path]);
}
