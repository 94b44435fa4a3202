import {
  createServer as createHttp,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { KeyPair } from './certificates.ts';

/** What a kubelet was asked. */
export interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  /** Counts the connections: equal numbers came over the same one. */
  readonly connection: number;
}

/** Who may ask. */
export interface KubeletServerParts {
  /** Absent: the read-only port, which speaks http and asks nobody who they are. */
  readonly serving?: KeyPair;
  /** Client certificates that it signed are known. */
  readonly clientCa?: string;
  /** Whether the handshake itself wants a client certificate. */
  readonly requiresClient?: boolean;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A kubelet's API as far as it is asked: over real TLS, with real tokens, and as badly as a test wants it. */
export class KubeletServer {
  readonly asked: Asked[] = [];
  /** The tokens that it accepts. */
  readonly tokens = new Set<string>();
  pods: unknown = { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: null };
  summary: unknown = { node: {}, pods: [] };
  /** In place of an answer. */
  instead: Answer | undefined;
  readonly #server: Server;
  readonly #isOpen: boolean;
  readonly #connections = new Map<Socket, number>();

  private constructor({ serving, clientCa, requiresClient = false }: KubeletServerParts) {
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      this.#handle(request, response);
    };
    this.#isOpen = serving === undefined;
    this.#server =
      serving === undefined
        ? createHttp(handle)
        : createHttps(
            {
              cert: serving.certificate,
              key: serving.key,
              ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true }),
              rejectUnauthorized: requiresClient,
            },
            handle,
          );
    this.#server.on(serving === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      this.#connections.set(socket, this.#connections.size + 1);
    });
    this.#server.on('tlsClientError', () => {
      // Whoever does not trust it hangs up.
    });
  }

  static async start(parts: KubeletServerParts, port = 0, address = '127.0.0.1'): Promise<KubeletServer> {
    const kubelet = new KubeletServer(parts);
    await new Promise<void>((resolve) => {
      kubelet.#server.listen(port, address, resolve);
    });
    return kubelet;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#isOpen ? 'http' : 'https'}://127.0.0.1:${this.port}`;
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Ends kept connections, as a kubelet does that nobody has asked for a while. */
  hangUp(): void {
    this.#server.closeAllConnections();
  }

  async stop(): Promise<void> {
    this.hangUp();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const { authorization } = request.headers;
    const path = request.url ?? '';
    this.asked.push({ path, authorization, connection: this.#connections.get(request.socket) ?? 0 });
    if (this.instead !== undefined) this.instead(response, request);
    else if (!this.#isKnown(request)) response.writeHead(401).end('Unauthorized');
    else if (path === '/pods') sendJson(response, this.pods);
    else if (path === '/stats/summary') sendJson(response, this.summary);
    else response.writeHead(404).end('404 page not found\n');
  }

  #isKnown({ headers, socket }: IncomingMessage): boolean {
    if (this.#isOpen || ('authorized' in socket && (socket as TLSSocket).authorized)) return true;
    return this.tokens.has(headers.authorization?.replace(/^Bearer /, '') ?? '');
  }
}

/** Answers as a kubelet does; a text is sent as it is. */
export function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
}
