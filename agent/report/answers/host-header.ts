import { isIP } from 'node:net';
import { hostname } from 'node:os';

/**
 * Whether a request on the loopback interface names this machine. A page in a browser can have its own name lead to
 * 127.0.0.1 and then read what is answered there (DNS rebinding), but its name is in the Host header; an address as such is
 * in nobody's power. Requests on other interfaces and on unix sockets may name what they want.
 */
export function isTrustedHost(host: string | undefined, localAddress: string | undefined): boolean {
  // HTTP/1.0, which no browser speaks, has no such header.
  if (host === undefined || localAddress === undefined || !isLoopback(localAddress)) return true;
  const name = host.replace(/:[0-9]+$/, '').toLowerCase();
  const own = hostname().toLowerCase();
  const bare = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
  return isIP(bare) !== 0 || name === 'localhost' || name === own || name === own.split('.', 1)[0];
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address);
}
