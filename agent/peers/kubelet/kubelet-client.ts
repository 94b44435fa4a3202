import { hostname } from 'node:os';
import type { KubeletAccess } from '../../../config/nodeqos/settings.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { Clock } from '../../ports.ts';
import { type KubeletAddress, kubeletAddress } from './address.ts';
import { KubeletConnections } from './connections.ts';
import { type Credentials, HOST_FILES, type KubeletFiles, readCredentials } from './credentials.ts';
import { type Asked, answerFault, connectionFault, type KubeletPath, nameOf } from './faults.ts';
import { get, type Reply } from './get.ts';

/** A kubelet that can be asked. */
export interface KubeletClient {
  readonly address: KubeletAddress;
  /** `the kubelet at https://127.0.0.1:10250`. */
  readonly name: string;
  /** How long one answer may take, in milliseconds. */
  readonly deadlineMs: number;
  /**
   * The body of one answer. Throws Failure: 69 where nobody answers as a kubelet would, in time; 77 where nodeqos may not ask
   * or the certificate is not trusted; 65 and 66 for files of credentials.
   */
  get(path: KubeletPath, signal: AbortSignal): Promise<Buffer>;
  /** Lets go of connections that nobody asks anything over. */
  close(): void;
}

export interface KubeletClientParts {
  /** As it stands after `kubelet:` in a source. */
  readonly url: string;
  readonly access: KubeletAccess;
  /** What the node is called, where that is known. */
  readonly nodeName?: string | undefined;
  /** Default: those of this machine. */
  readonly files?: KubeletFiles;
  readonly clock: Clock;
}

/** A client for the API of the kubelet at a URL. Asks nothing yet. Throws Failure 64 for what is no URL of one. */
export function kubeletClient({
  url,
  access,
  nodeName,
  files = HOST_FILES,
  clock,
}: KubeletClientParts): KubeletClient {
  const address = kubeletAddress(url);
  const connections = new KubeletConnections(namesOf(address, access, nodeName));
  const credentials = (): Credentials | undefined =>
    address.scheme === 'https' ? readCredentials(access, address, files) : undefined;
  const { deadlineMs } = access;

  async function ask(path: KubeletPath, signal: AbortSignal): Promise<Buffer> {
    const asked: Asked = { address, path, credentials: credentials() };
    const first = await reply(asked, signal);
    if (first.status !== 401) return bodyOf(asked, first);
    // The token may have been replaced after it was read.
    const again: Asked = { ...asked, credentials: credentials() };
    const isNew = again.credentials?.token?.token !== asked.credentials?.token?.token;
    return bodyOf(again, isNew ? await reply(again, signal) : first);
  }

  async function reply(asked: Asked, signal: AbortSignal): Promise<Reply> {
    try {
      return await get({ ...asked, connections }, signal);
    } catch (error) {
      throw error instanceof Failure ? error : connectionFault(asked, error);
    }
  }

  return {
    address,
    name: nameOf(address),
    deadlineMs,
    get: async (path, signal) => {
      const over = new AbortController();
      const end = (): void => {
        over.abort();
      };
      // Not AbortSignal.any: the long-lived signal would keep a little of each question for good.
      signal.addEventListener('abort', end, { once: true });
      const late = new AbortController();
      void clock.sleep(deadlineMs, over.signal).then(() => {
        if (!over.signal.aborted) late.abort();
        end();
      });
      try {
        if (signal.aborted) end();
        return await ask(path, over.signal);
      } catch (error) {
        throw late.signal.aborted ? tooLate(address, path, deadlineMs) : error;
      } finally {
        signal.removeEventListener('abort', end);
        end();
      }
    },
    close: () => {
      connections.close();
    },
  };
}

function bodyOf(asked: Asked, reply: Reply): Buffer {
  const fault = answerFault(asked, reply);
  if (fault !== undefined) throw fault;
  return reply.body;
}

/**
 * The names of which the kubelet's certificate has to bear one. One that signs for itself puts the name of its machine in and
 * no address, so that name is as good for the kubelet of this machine.
 */
function namesOf(
  { host, isLoopback }: KubeletAddress,
  { serverName }: KubeletAccess,
  nodeName: string | undefined,
): readonly string[] {
  if (serverName !== undefined) return [serverName];
  const own = nodeName === undefined ? [] : [nodeName];
  return isLoopback ? [...own, hostname().toLowerCase(), host] : [host];
}

function tooLate(address: KubeletAddress, path: KubeletPath, deadlineMs: number): Failure {
  const message = `${nameOf(address)} did not answer ${path} within ${deadlineMs / 1000} s; check how busy the node is, or raise kubelet.deadline`;
  return new Failure(EXIT.unavailable, message);
}
