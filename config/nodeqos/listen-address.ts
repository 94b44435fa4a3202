import { type Parsed, parsed, refused } from '../result.ts';

/** Where the agent answers. */
export type ListenAddress =
  | { readonly kind: 'none' }
  | { readonly kind: 'unix'; readonly path: string }
  /** `host` absent: every address of the machine. */
  | { readonly kind: 'tcp'; readonly host?: string; readonly port: number };

const TCP = /^(?:\[(?<v6>[0-9a-fA-F:.]+)\]|(?<name>[^:\s[\]]*)):(?<port>[0-9]{1,5})$/;

/** Reads ADDR:PORT ([ADDR]:PORT for IPv6), unix:PATH or none, as `listen` of nodeqos.yaml and --listen have it. */
export function parseListen(text: string): Parsed<ListenAddress> {
  if (text === 'none') return parsed({ kind: 'none' });
  if (text.startsWith('unix:')) return unixAddress(text, text.slice('unix:'.length));
  const { v6, name, port } = TCP.exec(text)?.groups ?? {};
  if (port === undefined || Number(port) > 65535) {
    return refused(`${text} is no address to listen at; write ADDR:PORT, unix:PATH or none`);
  }
  const host = v6 ?? name ?? '';
  return parsed({ kind: 'tcp', ...(host === '' ? {} : { host }), port: Number(port) });
}

function unixAddress(text: string, path: string): Parsed<ListenAddress> {
  if (!path.startsWith('/')) return refused(`${text} names no socket; write unix: and an absolute path`);
  // sockaddr_un has 108 bytes for the path and its end; a longer one would silently be cut.
  if (new TextEncoder().encode(path).length > 107)
    return refused(`${text} is too long for a socket, whose path has at most 107 bytes`);
  return parsed({ kind: 'unix', path });
}
