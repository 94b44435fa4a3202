import type { ServerResponse } from 'node:http';
import { type RequestInfo, type StatusAnswer, sendStatus } from './calls.ts';

/** What can be wrong with one answer. */
export type Fault =
  | ({ readonly kind: 'status' } & StatusAnswer)
  /** Nothing comes, and the connection stays. */
  | { readonly kind: 'hang' }
  /** The connection is closed before anything has come. */
  | { readonly kind: 'drop' }
  | { readonly kind: 'redirect'; readonly to: string }
  /** Any answer, whole or as far as `cutAt` bytes. */
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly code?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly cutAt?: number;
    }
  /** An answer begins, and nothing more comes. */
  | { readonly kind: 'stall'; readonly text: string }
  /** An answer that does not end. */
  | { readonly kind: 'endless' };

/** Which requests a fault is for, and how often: once unless it says something else. */
export interface FaultFor {
  readonly verb?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly times?: number;
}

interface Planted extends FaultFor {
  readonly fault: Fault;
  left: number;
}

/** Faults that wait for their requests. */
export class Faults {
  readonly #planted: Planted[] = [];

  plant(fault: Fault, on: FaultFor = {}): void {
    this.#planted.push({ ...on, fault, left: on.times ?? 1 });
  }

  clear(): void {
    this.#planted.length = 0;
  }

  /** The fault for a request, which is used up by that. */
  take(info: RequestInfo): Fault | undefined {
    const found = this.#planted.find(
      ({ verb, resource, subresource, left }) =>
        left > 0 &&
        (verb === undefined || verb === info.verb) &&
        (resource === undefined || resource === info.resource) &&
        (subresource === undefined || subresource === info.subresource),
    );
    if (found === undefined) return undefined;
    found.left -= 1;
    return found.fault;
  }
}

/** Answers as the fault says. */
export function answerWithFault(response: ServerResponse, fault: Fault): void {
  switch (fault.kind) {
    case 'status':
      sendStatus(response, fault);
      break;
    case 'hang':
      break;
    case 'drop':
      response.destroy();
      break;
    case 'redirect':
      response.writeHead(302, { location: fault.to });
      response.end();
      break;
    case 'text':
      answerWithText(response, fault);
      break;
    case 'stall':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(fault.text);
      break;
    case 'endless':
      response.writeHead(200, { 'content-type': 'application/json' });
      flood(response);
      break;
  }
}

function answerWithText(response: ServerResponse, fault: Extract<Fault, { kind: 'text' }>): void {
  const bytes = Buffer.from(fault.text);
  const headers = { 'content-type': 'application/json', ...fault.headers };
  response.writeHead(fault.code ?? 200, { ...headers, 'content-length': String(bytes.length) });
  if (fault.cutAt === undefined) {
    response.end(bytes);
  } else {
    response.write(bytes.subarray(0, fault.cutAt), () => {
      response.destroy();
    });
  }
}

function flood(response: ServerResponse): void {
  if (response.destroyed) return;
  const isRoom = response.write(Buffer.alloc(65_536, ' '));
  if (isRoom) {
    setImmediate(flood, response);
  } else {
    response.once('drain', () => {
      flood(response);
    });
  }
}
