import { BlockList, isIP, isIPv6 } from 'node:net';
import { EXIT, Failure } from '../../exit.ts';

/** Where a kubelet listens. */
export interface KubeletAddress {
  readonly scheme: 'https' | 'http';
  /** A name or an IP address, the latter without brackets. */
  readonly host: string;
  readonly port: number;
  /** `https://127.0.0.1:10250`, as people are told of it. */
  readonly text: string;
  /** Whether only this machine can be meant. */
  readonly isLoopback: boolean;
}

/** The kubelet's own ports: the authenticated one, and the read-only one (KubeletConfiguration port and readOnlyPort). */
const PORTS = { https: 10_250, http: 10_255 } as const;

const WANTED = 'give https://HOST:10250, or http://HOST:10255 for a read-only port';

/**
 * Reads the URL of a kubelet: scheme, host and port, and nothing else, since all else would be left out of the questions or
 * be told to everybody who reads the configuration. Throws Failure 64, which repeats nothing that could be a secret.
 */
export function kubeletAddress(url: string): KubeletAddress {
  const { protocol, hostname, port: stated, isPortStated } = partsOf(url);
  const scheme = protocol === 'https:' ? 'https' : 'http';
  // An URL forgets a port that is the scheme's own, and a kubelet's is another.
  const schemesOwn = scheme === 'https' ? 443 : 80;
  const port = isPortStated ? Number(stated === '' ? schemesOwn : stated) : PORTS[scheme];
  if (port === 0) throw refused(`has the port 0, at which nobody can be asked; ${WANTED}`);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { scheme, host, port, text: `${scheme}://${hostname}:${port}`, isLoopback: isLoopback(host) };
}

interface UrlParts extends Pick<URL, 'protocol' | 'hostname' | 'port'> {
  readonly isPortStated: boolean;
}

/** By hand as far as an URL parser would repair in silence what it is given. */
function partsOf(url: string): UrlParts {
  const [, scheme = '', authority = '', rest = ''] = /^(https?):\/\/([^/?#\\\s]*)(.*)$/is.exec(url) ?? [];
  if (authority === '') throw refused(`is no URL of one; ${WANTED}`);
  if (authority.includes('@')) {
    throw refused(`holds a user or a password; ${WANTED}, and name a token as kubelet.tokenFile`);
  }
  if (rest !== '' && rest !== '/') {
    throw refused(`holds more than a host and a port; ${WANTED}, without a path or a query`);
  }
  const bracketed = withBrackets(authority);
  const parsed = parsedUrl(`${scheme}://${bracketed}/`);
  if (parsed === undefined || parsed.hostname === '') throw refused(`is no URL of one; ${WANTED}`);
  const { protocol, hostname, port } = parsed;
  return { protocol, hostname, port, isPortStated: /:\d+$/.test(bracketed) };
}

/**
 * An IPv6 address that has no brackets gets them, as where the address of a node is put before a port (status.hostIP). Throws
 * Failure 64 where the last group may be either part of the address or the port, as in `fd00::1:443`.
 */
function withBrackets(authority: string): string {
  const isWhole = isBareIPv6(authority);
  const [, address = '', port = ''] = /^(.*):(\d{1,5})$/.exec(authority) ?? [];
  if (!isBareIPv6(address)) return isWhole ? `[${authority}]` : authority;
  if (isWhole) {
    throw refused(
      'may end with a port or with its address; put brackets around the address: https://[HOST]:10250',
    );
  }
  return `[${address}]:${port}`;
}

/** Without the zone that an address of one link has: an URL has no place for it. */
function isBareIPv6(text: string): boolean {
  return isIPv6(text) && !text.includes('%');
}

function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function isLoopback(host: string): boolean {
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8);
  loopback.addAddress('::1', 'ipv6');
  const version = isIP(host);
  return version === 0 ? host === 'localhost' : loopback.check(host, version === 6 ? 'ipv6' : 'ipv4');
}

function refused(why: string): Failure {
  return new Failure(EXIT.usage, `what is named as the URL of a kubelet ${why}`);
}
