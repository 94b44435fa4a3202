import type { FileTree } from '../../../cgroup/file-tree.ts';
import { type ListenAddress, parseListen } from '../../../config/nodeqos/listen-address.ts';
import type { ListenLook } from '../../decide/doctor/facts.ts';

/** TCP_LISTEN (linux/tcp_states.h), and __SO_ACCEPTCON of a Unix socket. */
const LISTENS_TCP = '0A';
const LISTENS_UNIX = '00010000';
const ANY_ADDRESS: ReadonlySet<string> = new Set(['00000000', '0'.repeat(32)]);

/** Whether somebody listens already where the agent would; undefined where nobody can tell. Nothing is opened there. */
export function listenLook(files: FileTree, listen: string): ListenLook | undefined {
  const address = parseListen(listen);
  if (!address.ok || address.value.kind === 'none') return undefined;
  return address.value.kind === 'unix' ? unixLook(files, address.value.path) : tcpLook(files, address.value);
}

function unixLook(files: FileTree, path: string): ListenLook | undefined {
  const read = files.readFile('proc/net/unix');
  if (read.kind !== 'read') return undefined;
  const isTaken = read.text.split('\n').some((line) => {
    const fields = line.trim().split(/\s+/);
    return fields[3] === LISTENS_UNIX && fields[7] === path;
  });
  return { isTaken, isOpen: false };
}

/** Addresses in /proc/net/tcp are hexadecimal, in the order of bytes of the machine; IPv6 is looked up by its port alone. */
function tcpLook(
  files: FileTree,
  { host, port }: Extract<ListenAddress, { kind: 'tcp' }>,
): ListenLook | undefined {
  const tables = ['proc/net/tcp', 'proc/net/tcp6'].map((path) => files.readFile(path));
  if (tables.every(({ kind }) => kind !== 'read')) return undefined;
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  const own = host === undefined ? undefined : hexOfIpv4(host);
  const isTaken = tables
    .flatMap((read) => (read.kind === 'read' ? read.text.split('\n') : []))
    .some((line) => {
      const [, local = '', , state] = line.trim().split(/\s+/);
      const [address = '', at] = local.split(':');
      const isSame = own === undefined || address === own || ANY_ADDRESS.has(address);
      return state === LISTENS_TCP && at === wanted && isSame;
    });
  return { isTaken, isOpen: host === undefined || !/^(?:127\.|::1$|localhost$)/.test(host) };
}

function hexOfIpv4(host: string): string | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host)?.slice(1);
  return parts
    ?.toReversed()
    .map((part) => Number(part).toString(16).toUpperCase().padStart(2, '0'))
    .join('');
}
