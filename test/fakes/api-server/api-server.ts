import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { CertificateAuthority, type KeyPair } from '../certificates.ts';
import {
  type ApiCall,
  type LoggedRequest,
  loggedRequest,
  type Route,
  requestInfo,
  sendStatus,
} from './calls.ts';
import { answerWithFault, type Fault, type FaultFor, Faults } from './faults.ts';
import { ObjectStore } from './object-store.ts';
import type { OpenWatch } from './open-watch.ts';
import { type ExpiredAs, Reading } from './reading.ts';

/**
 * An API server for tests, over TLS on this machine: bearer tokens and client certificates, objects with resourceVersions, lists
 * in pages, watches with bookmarks, and everything that can go wrong with them. Verbs that write are added as routes.
 */
export class ApiServer {
  readonly authority = new CertificateAuthority('cluster-authority');
  /** Every request that came, whatever became of it. */
  readonly requests: LoggedRequest[] = [];
  readonly store = new ObjectStore();
  /** Who a bearer token is. */
  readonly tokens = new Map<string, string>();
  /** What nobody may do, as `verb resource` or `verb resource/subresource`. */
  readonly forbidden = new Set<string>();
  /** Called when a request has come, before it is answered. */
  seen: ((request: LoggedRequest) => void) | undefined;
  readonly #reading = new Reading(this.store);
  readonly #faults = new Faults();
  readonly #routes: Route[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #pair: KeyPair;
  #server: Server | undefined;
  #port = 0;

  constructor(names?: readonly string[]) {
    const of = { commonName: 'kube-apiserver', use: 'server' } as const;
    this.#pair = this.authority.issue(names === undefined ? of : { ...of, names });
    this.route((call) => this.#reading.route(call));
  }

  /** Begins to listen: at first on a free port, later on the same one again. */
  async start(): Promise<void> {
    const { certificate: cert, key } = this.#pair;
    const options = {
      cert,
      key,
      ca: this.authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
    };
    const server = createServer(options, (request, response) => void this.#take(request, response));
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Breaks all connections off and listens no more. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  /** The watches that are open now. */
  get watches(): readonly OpenWatch[] {
    return [...this.#reading.watches];
  }

  set expiredAs(how: ExpiredAs) {
    this.#reading.expiredAs = how;
  }

  /** Forgets all changes and the pages of lists that have begun. */
  compact(): void {
    this.store.compact();
    this.#reading.forgetLists();
  }

  /** Adds a way to answer; what was added later is asked first. */
  route(route: Route): void {
    this.#routes.unshift(route);
  }

  /** The next request that matches is answered in this way. */
  misbehave(fault: Fault, on?: FaultFor): void {
    this.#faults.plant(fault, on);
  }

  behave(): void {
    this.#faults.clear();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Connections that break off are what tests do here.
    for (const stream of [request, response]) stream.on('error', () => undefined);
    const logged = await loggedRequest(request, this.#userOf(request)).catch(() => undefined);
    if (logged === undefined) return;
    this.requests.push(logged);
    this.seen?.(logged);
    const info = requestInfo(logged.method, logged.path, logged.query);
    await this.#answer({ ...logged, info, response });
  }

  async #answer(call: ApiCall): Promise<void> {
    const { info, response, user } = call;
    const fault = this.#faults.take(info);
    if (fault !== undefined) {
      answerWithFault(response, fault);
    } else if (user === undefined) {
      sendStatus(response, { code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
    } else if (this.forbidden.has(`${info.verb} ${resourceOf(call)}`)) {
      sendStatus(response, { code: 403, reason: 'Forbidden', message: refusalOf(call, user) });
    } else {
      for (const route of this.#routes) {
        if (await route(call)) return;
      }
      const message = 'the server could not find the requested resource';
      sendStatus(response, { code: 404, reason: 'NotFound', message });
    }
  }

  /** A certificate of the cluster's authority goes before a token. */
  #userOf(request: IncomingMessage): string | undefined {
    const { socket } = request;
    if (socket instanceof TLSSocket && socket.authorized) {
      return [socket.getPeerCertificate().subject.CN].flat()[0];
    }
    const [, token] = /^Bearer (.*)$/.exec(request.headers.authorization ?? '') ?? [];
    return token === undefined ? undefined : this.tokens.get(token);
  }
}

function resourceOf({ info }: ApiCall): string {
  return info.subresource === undefined ? info.resource : `${info.resource}/${info.subresource}`;
}

function refusalOf(call: ApiCall, user: string): string {
  const { verb, group, namespace } = call.info;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const resource = resourceOf(call);
  return `${resource} is forbidden: User "${user}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
}
