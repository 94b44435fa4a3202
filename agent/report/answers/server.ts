import { chmod } from 'node:fs/promises';
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { errorCode } from '../../../cgroup/disk/system-error.ts';
import { type ListenAddress, parseListen } from '../../../config/nodeqos/listen-address.ts';
import { jsonText } from '../json-text.ts';
import { visible } from '../visible.ts';
import type { Health } from './health.ts';
import { isTrustedHost } from './host-header.ts';
import { clearStaleSocket } from './stale-socket.ts';

/** What the agent says when it is asked. */
export interface Answers {
  metrics(): Promise<{ readonly text: string; readonly contentType: string }>;
  /** undefined: before the first tick. */
  state(): object | undefined;
  health(): Health;
  ready(): Health;
}

export type Server =
  | { readonly kind: 'listening'; readonly address: string; close(): Promise<void> }
  /** Nobody is to be answered, as configured. */
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly sentence: string };

/** Whoever asks gets little of the agent's time and memory. */
const LIMITS = {
  maxHeaderSize: 8192,
  headersTimeout: 5000,
  requestTimeout: 5000,
  connectionsCheckingInterval: 5000,
  keepAlive: false,
} as const;
const IDLE_MS = 10_000;
const MOST_CONNECTIONS = 32;

/**
 * Answers GET and HEAD of /metrics, /healthz, /readyz and /state at `listen`: ADDR:PORT, unix:PATH or none. Nothing can be
 * changed through it. Never throws for what a machine can have against it: that is a sentence, and the agent goes on.
 */
export async function startServer(listen: string, answers: Answers): Promise<Server> {
  const address = parseListen(listen);
  if (!address.ok) return { kind: 'failed', sentence: address.message };
  if (address.value.kind === 'none') return { kind: 'none' };
  const server = createServer(LIMITS, (request, response) => {
    void answer({ request, response, answers });
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.setTimeout(IDLE_MS);
  try {
    const blocked = await open(server, address.value);
    if (blocked !== undefined) return { kind: 'failed', sentence: blocked };
  } catch (error) {
    return { kind: 'failed', sentence: cannotListen(listen, errorCode(error)) };
  }
  // Once it listens, an error such as a lack of descriptors ends one connection and not the agent.
  server.on('error', () => undefined);
  return { kind: 'listening', address: addressOf(server), close: () => close(server) };
}

/** Gives a sentence where something else is in the way; rejects with the system's error. */
async function open(
  server: HttpServer,
  address: Exclude<ListenAddress, { kind: 'none' }>,
): Promise<string | undefined> {
  if (address.kind === 'tcp') {
    const { host, port } = address;
    await listening(server, { port, ...(host === undefined ? {} : { host }) });
    return undefined;
  }
  const { path } = address;
  const inTheWay = await clearStaleSocket(path);
  if (inTheWay !== undefined) return inTheWay;
  await listening(server, { path });
  // The owner's group may ask; connecting to a socket needs the right to write.
  await chmod(path, 0o660);
  return undefined;
}

function listening(
  server: HttpServer,
  where: { readonly path: string } | { readonly host?: string; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

function addressOf(server: HttpServer): string {
  const address = server.address();
  if (address === null) return '';
  if (typeof address === 'string') return `unix:${address}`;
  return address.family === 'IPv6'
    ? `[${address.address}]:${address.port}`
    : `${address.address}:${address.port}`;
}

function close(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answers: Answers;
}

async function answer({ request, response, answers }: Exchange): Promise<void> {
  let reply: Reply;
  try {
    reply = await replyTo(request, answers);
  } catch {
    // What went wrong is the agent's own affair and in no answer; the log of the agent has its troubles.
    reply = { status: 500, text: 'nodeqos could not answer this\n' };
  }
  const { status, text, contentType = 'text/plain; charset=utf-8' } = reply;
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
    ...(status === 405 ? { Allow: 'GET, HEAD' } : {}),
  });
  response.end(text);
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly contentType?: string;
}

async function replyTo(request: IncomingMessage, answers: Answers): Promise<Reply> {
  const { method, url = '/', socket, headers } = request;
  if (!isTrustedHost(headers.host, socket.localAddress)) {
    return { status: 403, text: 'this name is not one of this machine\n' };
  }
  if (method !== 'GET' && method !== 'HEAD') {
    return { status: 405, text: 'only GET and HEAD are answered here\n' };
  }
  const path = url.split('?', 1)[0] ?? '/';
  switch (path) {
    case '/metrics': {
      const { text, contentType } = await answers.metrics();
      return { status: 200, text, contentType };
    }
    case '/healthz':
      return healthReply(answers.health());
    case '/readyz':
      return healthReply(answers.ready());
    case '/state':
      return stateReply(answers.state());
    case '/':
      return { status: 200, text: 'nodeqos: /metrics /healthz /readyz /state\n' };
    default:
      return { status: 404, text: 'there is /metrics, /healthz, /readyz and /state\n' };
  }
}

function healthReply(health: Health): Reply {
  return health.ok ? { status: 200, text: 'ok\n' } : { status: 503, text: `${visible(health.why)}\n` };
}

function stateReply(state: object | undefined): Reply {
  return state === undefined
    ? { status: 503, text: 'no tick has finished yet\n' }
    : { status: 200, text: `${jsonText(state, 0)}\n`, contentType: 'application/json' };
}

function cannotListen(listen: string, code: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `${listen} is in use by another program; give another address as listen or --listen`;
    case 'EACCES':
    case 'EPERM':
      return `${listen}: this user may not listen there`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${listen} is no address of this machine`;
    case 'ENOENT':
    case 'ENOTDIR':
      return `${listen}: there is no such folder for the socket`;
    default:
      return `${listen} cannot be listened at (${code})`;
  }
}
