import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import type { ApiCredentials } from './credentials.ts';

/** One request, ready to go out. */
export interface Outgoing {
  readonly method: string;
  /** Below the server, such as `/api/v1/pods`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly credentials: ApiCredentials;
  readonly body?: { readonly text: string; readonly contentType: string };
}

/** A page of pods has some megabytes; more than this is no API server's, and would not fit the agent's memory. */
const LONGEST_BODY = 64 * 1024 * 1024;

/** An answer, or a line of a watch, that goes on for longer than any of an API server. */
export class TooLong extends Error {
  readonly megabytes: number;

  constructor(bytes: number) {
    super('too long');
    this.megabytes = bytes / 1024 / 1024;
  }
}

/**
 * Sends a request over a connection of its own, and gives the beginning of the answer. Nothing goes through a proxy, whatever
 * the environment says, certificates are checked always, and redirects are answers that lead nowhere. Rejects with what
 * node:https says.
 */
export function send(outgoing: Outgoing, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { body } = outgoing;
    const sent = request(optionsOf(outgoing, signal));
    let isAnswered = false;
    sent.on('response', (response) => {
      isAnswered = true;
      // Whoever reads it is told; one that nobody reads any more may break as it likes.
      response.on('error', () => undefined);
      resolve(response);
    });
    sent.on('error', reject);
    // Nothing came and nothing is to come, such as after a change of protocol that nobody asked for.
    sent.on('close', () => {
      if (!isAnswered) reject(new Error('the connection was closed'));
    });
    sent.end(body?.text);
  });
}

function optionsOf(
  { method, path, query, credentials, body }: Outgoing,
  signal: AbortSignal,
): RequestOptions {
  const { account, headers, tls } = credentials;
  const { hostname, port, pathname } = new URL(account.server);
  const search = new URLSearchParams(query).toString();
  return {
    ...tls,
    method,
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? 443 : Number(port),
    path: `${pathname.replace(/\/$/, '')}${path}${search === '' ? '' : `?${search}`}`,
    // Said, since its default is taken from the environment.
    rejectUnauthorized: true,
    agent: new Agent({ keepAlive: false, maxCachedSessions: 0 }),
    headers: {
      ...headers,
      accept: 'application/json',
      // An answer that has to be unpacked could be any number of times as long as its limit.
      'accept-encoding': 'identity',
      'user-agent': 'nodeqos',
      ...(body === undefined
        ? {}
        : { 'content-type': body.contentType, 'content-length': String(Buffer.byteLength(body.text)) }),
    },
    signal,
  };
}

/** The whole body as text. Rejects where it breaks off, and with TooLong. */
export async function bodyText(response: IncomingMessage, longest = LONGEST_BODY): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longest) {
      response.destroy();
      throw new TooLong(longest);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString('utf8');
}
