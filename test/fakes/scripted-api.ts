import { type ExitStatus, Failure } from '../../agent/exit.ts';
import type { ApiAnswer, ApiClient, ApiRequest, WatchEnd } from '../../agent/peers/api/api-client.ts';
import type { Clock } from '../../agent/ports.ts';
import type { PlainRecord, PlainValue } from '../../config/text/plain-value.ts';

/** A request as a client was asked for it. */
export interface AskedRequest extends ApiRequest {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
}

/** An answer, or why there is none. */
export type ScriptedAnswer = ApiAnswer | Failure;

/** A client whose answers are said beforehand, for what depends on the time between them. */
export class ScriptedApi implements ApiClient {
  readonly name = 'the API server at https://10.0.0.1:443';
  readonly identity = 'a token';
  readonly requests: AskedRequest[] = [];
  readonly #clock: Clock;
  readonly #answer: (request: AskedRequest) => ScriptedAnswer;

  constructor(clock: Clock, answer: (request: AskedRequest) => ScriptedAnswer) {
    this.#clock = clock;
    this.#answer = answer;
  }

  request(method: string, path: string, request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer> {
    const asked = { atMs: this.#clock.nowMs(), method, path, ...request };
    this.requests.push(asked);
    const answer = signal.aborted ? noAnswer('it was broken off') : this.#answer(asked);
    return answer instanceof Failure ? Promise.reject(answer) : Promise.resolve(answer);
  }

  watch(): Promise<WatchEnd> {
    return Promise.resolve({ kind: 'closed' });
  }
}

/** What a client throws where nothing comes back. */
export function noAnswer(sentence: string, status: ExitStatus = 69): Failure {
  return new Failure(status, sentence);
}

/** An answer with an object. */
export function answered(body: PlainValue, status = 200): ApiAnswer {
  return { status, body };
}

/** What a v1 Status says beside its code. */
export interface StatusParts {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: PlainRecord;
  readonly retryAfterMs?: number;
}

/** An answer with a v1 Status. */
export function refusal(status: number, parts: StatusParts = {}): ApiAnswer {
  const { retryAfterMs, ...said } = parts;
  return {
    status,
    body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, ...said },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** The 404 for a pod. */
export function podNotFound(name: string): ApiAnswer {
  return refusal(404, {
    reason: 'NotFound',
    message: `pods "${name}" not found`,
    details: { name, kind: 'pods' },
  });
}
