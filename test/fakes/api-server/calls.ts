import type { IncomingMessage, ServerResponse } from 'node:http';
import { URL } from 'node:url';

/** A request as the server took it, for tests to look at. */
export interface LoggedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  /** As JSON; a text where it is none, undefined where there is none. */
  readonly body: unknown;
  /** undefined: nobody that the server knows. */
  readonly user: string | undefined;
}

/** What a request is about, as the authorizer of an API server takes it apart. */
export interface RequestInfo {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** A request that is to be answered. */
export interface ApiCall extends LoggedRequest {
  readonly info: RequestInfo;
  readonly response: ServerResponse;
}

/** Answers a call, or gives false where it is another one's. */
export type Route = (call: ApiCall) => boolean | Promise<boolean>;

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Takes a path such as `/api/v1/namespaces/a/pods/b/eviction` apart. */
export function requestInfo(
  method: string,
  path: string,
  query: Readonly<Record<string, string>>,
): RequestInfo {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const [root, ...rest] = parts;
  const group = root === 'apis' ? (rest[0] ?? '') : '';
  const below = rest.slice(root === 'apis' ? 2 : 1);
  const isNamespaced = below[0] === 'namespaces' && below.length > 2;
  const [resource = '', name, subresource] = isNamespaced ? below.slice(2) : below;
  const reading = query['watch'] === 'true' || query['watch'] === '1' ? 'watch' : 'list';
  const verb = VERBS[method] ?? (name === undefined ? reading : 'get');
  return { verb, group, resource, subresource, namespace: isNamespaced ? below[1] : undefined, name };
}

export function sendJson(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** What an API server answers where it has no object to give. */
export interface StatusAnswer {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
  /** Put into `details`. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A v1 Status. */
export function statusObject(answer: StatusAnswer): Readonly<Record<string, unknown>> {
  const { code, reason, message, retryAfterSeconds } = answer;
  const details = { ...answer.details, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(Object.keys(details).length === 0 ? {} : { details }),
    code,
  };
}

export function sendStatus(response: ServerResponse, answer: StatusAnswer): void {
  const { code, retryAfterSeconds } = answer;
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  sendJson(response, code, statusObject(answer), headers);
}

/** Reads the whole request. */
export async function loggedRequest(
  request: IncomingMessage,
  user: string | undefined,
): Promise<LoggedRequest> {
  const url = new URL(request.url ?? '/', 'https://server.invalid');
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: request.headers,
    body: bodyOf(Buffer.concat(pieces).toString('utf8')),
    user,
  };
}

function bodyOf(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
