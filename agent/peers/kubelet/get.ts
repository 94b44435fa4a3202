import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { KubeletAddress } from './address.ts';
import type { KubeletConnections } from './connections.ts';
import type { Credentials } from './credentials.ts';

/** One GET. */
export interface Question {
  readonly address: KubeletAddress;
  readonly path: string;
  readonly connections: KubeletConnections;
  /** Absent over http: whoever listens on the way must not get them. */
  readonly credentials: Credentials | undefined;
}

/** What came back. */
export interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly contentEncoding: string;
  /** Read for status 200 only. */
  readonly body: Buffer;
}

/** A list of 250 pods with much in each has some 5 MB; more than this is no kubelet's, and would not fit the agent's memory. */
const LONGEST_BODY = 64 * 1024 * 1024;

/** An answer that goes on for longer than any list of pods. */
export class TooLong extends Error {
  readonly megabytes = LONGEST_BODY / 1024 / 1024;
}

/**
 * Asks once. Redirects are answers like any other and lead nowhere. Rejects with whatever node:https says, or TooLong; a
 * connection that was kept and turns out to be closed is no failure yet: the question goes out on another one.
 */
export async function get(question: Question, signal: AbortSignal): Promise<Reply> {
  for (;;) {
    try {
      return await getOnce(question, signal);
    } catch (error) {
      // Each of these uses up a kept connection, of which there are a few.
      if (!(error instanceof ClosedMeanwhile) || signal.aborted) throw error;
    }
  }
}

class ClosedMeanwhile extends Error {}

function getOnce(question: Question, signal: AbortSignal): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { address, path, connections, credentials } = question;
    const common = { host: address.host, port: address.port, path, headers: headersFor(credentials), signal };
    const sent =
      credentials === undefined
        ? httpRequest({ ...common, agent: connections.plain })
        : httpsRequest({ ...common, agent: connections.secure(credentials) });
    let isAnswered = false;
    sent.on('response', (response) => {
      isAnswered = true;
      replyOf(response).then(resolve, reject);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const wasKept =
        !isAnswered && sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(wasKept ? new ClosedMeanwhile(error.message, { cause: error }) : error);
    });
    // Nothing came and nothing is to come, such as after a change of protocol that nobody asked for.
    sent.on('close', () => {
      if (!isAnswered) reject(new Error('the connection was closed'));
    });
    sent.end();
  });
}

function headersFor(credentials: Credentials | undefined): Record<string, string> {
  const token = credentials?.token;
  return {
    accept: 'application/json',
    // An answer that has to be unpacked could be any number of times as long as its limit.
    'accept-encoding': 'identity',
    'user-agent': 'nodeqos',
    ...(token === undefined ? {} : { authorization: `Bearer ${token.token}` }),
  };
}

async function replyOf(response: IncomingMessage): Promise<Reply> {
  const { statusCode: status = 0, headers } = response;
  const { 'content-type': contentType = '', 'content-encoding': contentEncoding = '' } = headers;
  if (status === 200) return { status, contentType, contentEncoding, body: await bodyOf(response) };
  response.destroy();
  return { status, contentType, contentEncoding, body: Buffer.alloc(0) };
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = Number(response.headers['content-length'] ?? 0) > LONGEST_BODY ? Number.POSITIVE_INFINITY : 0;
  if (length === 0) {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > LONGEST_BODY) break;
      chunks.push(chunk);
    }
  }
  if (length <= LONGEST_BODY) return Buffer.concat(chunks, length);
  response.destroy();
  throw new TooLong();
}
