import type { IncomingMessage } from 'node:http';
import { stringify } from 'lossless-json';
import type { ApiAccess } from '../../../config/nodeqos/settings.ts';
import { parseJson } from '../../../config/text/document.ts';
import { asRecord, asString, valueAt } from '../../../config/text/plain-value.ts';
import { Failure } from '../../exit.ts';
import type { Clock } from '../../ports.ts';
import type { ApiAnswer, ApiClient, ApiRequest, WatchEnd, WatchListener } from './api-port.ts';
import { type ApiCredentials, type CredentialSources, nameOf, readApiCredentials } from './credentials.ts';
import { bodyText, type Outgoing, send } from './exchange.ts';
import { type Asking, connectionFailure, lateFailure, noEventFailure, redirectFailure } from './faults.ts';
import { LineSplitter } from './line-splitter.ts';

export type * from './api-port.ts';

export interface ApiClientParts extends CredentialSources {
  readonly access: Pick<ApiAccess, 'kubeconfig' | 'deadlineMs'>;
  readonly clock: Clock;
}

/**
 * A client for the API server that a kubeconfig names, or the service account of the pod that this is. Asks nothing yet, but reads
 * what it would ask with: rejects with Failure 66 for what is missing, 77 for what may not be read or used, 65 for what
 * is malformed.
 */
export async function apiClient(parts: ApiClientParts): Promise<ApiClient> {
  return new HttpsApiClient(parts, await readApiCredentials(parts));
}

/** An object of a pod has at most 1.5 MB in etcd, and as JSON some times as much. */
const LONGEST_LINE = 16 * 1024 * 1024;

/** What is made of an answer that has begun. */
type Take<T> = (response: IncomingMessage, asking: Asking) => Promise<T>;

class HttpsApiClient implements ApiClient {
  readonly #parts: ApiClientParts;
  #credentials: ApiCredentials;

  constructor(parts: ApiClientParts, credentials: ApiCredentials) {
    this.#parts = parts;
    this.#credentials = credentials;
  }

  get name(): string {
    return nameOfServer(this.#credentials);
  }

  get identity(): string {
    const { account } = this.#credentials;
    // A server goes by a certificate before it looks at a token.
    if (account.client !== undefined) {
      return `the client certificate of ${nameOf(account.client.certificate, account)}`;
    }
    return account.token === undefined ? 'nobody' : `the token of ${nameOf(account.token, account)}`;
  }

  async request(
    method: string,
    path: string,
    { query = {}, body, contentType = 'application/json' }: ApiRequest,
    signal: AbortSignal,
  ): Promise<ApiAnswer> {
    const text = body === undefined ? undefined : stringify(body);
    const parts = { method, path, query, ...(text === undefined ? {} : { body: { text, contentType } }) };
    return await this.#within(signal, (limited) => this.#authenticated(parts, limited, this.#answer));
  }

  async watch(
    path: string,
    query: Readonly<Record<string, string>>,
    listener: WatchListener,
    signal: AbortSignal,
  ): Promise<WatchEnd> {
    // The request lives as long as the watch does; only its beginning has to be in time.
    const stop = new AbortController();
    const open = AbortSignal.any([signal, stop.signal]);
    const parts = { method: 'GET', path, query: { ...query, watch: 'true' } };
    try {
      const begun = await this.#within(signal, async (limited) => {
        limited.addEventListener('abort', () => {
          stop.abort();
        });
        return await this.#authenticated(parts, open, async (response, asking) =>
          response.statusCode === 200
            ? { response, asking, status: 200 }
            : await this.#answer(response, asking),
        );
      });
      if (!('response' in begun)) return { kind: 'refused', answer: begun };
      listener.begun();
      await tellEvents(begun.response, begun.asking, listener);
      return { kind: 'closed' };
    } finally {
      stop.abort();
    }
  }

  /** Asks with what is in force now, and again where that was refused and is another by now. */
  async #authenticated<T extends { readonly status: number }>(
    parts: Omit<Outgoing, 'credentials'>,
    signal: AbortSignal,
    take: Take<T>,
  ): Promise<T> {
    const first = await readApiCredentials(this.#parts);
    const answer = await this.#ask({ ...parts, credentials: first }, signal, take);
    if (answer.status !== 401) return answer;
    const now = await readApiCredentials(this.#parts);
    return isSame(first, now) ? answer : await this.#ask({ ...parts, credentials: now }, signal, take);
  }

  async #ask<T>(outgoing: Outgoing, signal: AbortSignal, take: Take<T>): Promise<T> {
    const { credentials } = outgoing;
    this.#credentials = credentials;
    const asking = { name: nameOfServer(credentials), credentials };
    try {
      return await take(await send(outgoing, signal), asking);
    } catch (error) {
      throw error instanceof Failure ? error : connectionFailure(asking, error);
    }
  }

  readonly #answer = async (response: IncomingMessage, asking: Asking): Promise<ApiAnswer> => {
    const { statusCode: status = 0, headers } = response;
    if (status >= 300 && status < 400) {
      response.destroy();
      throw redirectFailure(asking);
    }
    const body = parseJson(await bodyText(response));
    const retryAfterMs = this.#pauseOf(headers['retry-after']);
    return { status, body, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  };

  /** Seconds, or a date (RFC 9110, 10.2.3). */
  #pauseOf(retryAfter: string | undefined): number | undefined {
    if (retryAfter === undefined) return undefined;
    const seconds = /^\d{1,9}$/.test(retryAfter.trim()) ? Number(retryAfter) : undefined;
    const ms = seconds === undefined ? Date.parse(retryAfter) - this.#parts.clock.wallMs() : seconds * 1000;
    return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
  }

  /** Whatever comes later than the deadline is no answer. */
  async #within<T>(signal: AbortSignal, work: (limited: AbortSignal) => Promise<T>): Promise<T> {
    const { access, clock } = this.#parts;
    const answered = new AbortController();
    const tooLate = new AbortController();
    const late = clock.sleep(access.deadlineMs, AbortSignal.any([signal, answered.signal])).then(() => {
      if (!answered.signal.aborted && !signal.aborted) tooLate.abort();
    });
    try {
      return await work(AbortSignal.any([signal, tooLate.signal]));
    } catch (error) {
      throw tooLate.signal.aborted ? lateFailure(this.name, access.deadlineMs) : error;
    } finally {
      answered.abort();
      await late;
    }
  }
}

function nameOfServer({ account }: ApiCredentials): string {
  return `the API server at ${account.server}`;
}

function isSame(one: ApiCredentials, other: ApiCredentials): boolean {
  return stringify(one) === stringify(other);
}

/** Tells the events of a watch until it is closed or breaks off; a line that it breaks off in is none. */
async function tellEvents(response: IncomingMessage, asking: Asking, listener: WatchListener): Promise<void> {
  const lines = new LineSplitter(LONGEST_LINE);
  for await (const piece of pieces(response)) {
    for (const line of lines.push(piece) ?? [undefined]) {
      const event = asRecord(line === undefined ? undefined : parseJson(line));
      const type = asString(valueAt(event, 'type'));
      const object = valueAt(event, 'object');
      if (type === undefined || object === undefined) {
        response.destroy();
        throw noEventFailure(asking);
      }
      listener.event({ type, object });
    }
  }
}

/** What arrives, until it ends in whatever way. */
async function* pieces(response: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const piece of response as AsyncIterable<Buffer>) yield piece;
  } catch {
    // A connection that breaks off is how most watches end.
  }
}
