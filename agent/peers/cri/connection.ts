import type { Client } from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import { Failure } from '../../exit.ts';
import type { Clock } from '../../ports.ts';
import { failedCall, MOST_MIB, tooLate } from './failures.ts';
import { CRI_READING, CRI_SERVICE, type CriCall, criDescriptor } from './wire.ts';

/** What a call gave. */
export type Called<Response> =
  | { readonly kind: 'answer'; readonly response: Response }
  /** There is nothing by that ID. */
  | { readonly kind: 'gone' }
  /** The runtime is there, and could not do it. */
  | { readonly kind: 'error'; readonly failure: Failure }
  /** It is not there, does not answer, or is not what it should be. */
  | { readonly kind: 'away'; readonly failure: Failure };

/** One call. */
export interface Call {
  readonly call: CriCall;
  readonly request: object;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

export interface ConnectionParts {
  readonly name: string;
  readonly socket: string;
  readonly clock: Clock;
}

/** The library, loaded when the first call is made, and a connection by it. */
interface Open {
  readonly client: Client;
  readonly methods: ReadonlyMap<string, MethodDefinition<object, object>>;
}

const OPTIONS = {
  'grpc.max_receive_message_length': MOST_MIB * 1024 * 1024,
  // A socket of this machine: no proxy stands between, and nobody is asked how to talk to it.
  'grpc.enable_http_proxy': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_retries': 0,
  // A connection of its own each time: one that failed would be shared, with its pause before it is tried again.
  'grpc.use_local_subchannel_pool': 1,
};

/**
 * A connection to a runtime's socket. It is made by the first call, and after a call that found nobody the next one makes it
 * anew: a runtime that was just started is found at once, whatever the library's own pauses are.
 */
export class CriConnection {
  readonly #parts: ConnectionParts;
  #open: Promise<Open> | undefined;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  /** Makes a call. One that the signal ends is an error of the runtime's to nobody, since nobody waits for it any more. */
  async call<Response>({ call, request, deadlineMs, signal }: Call): Promise<Called<Response>> {
    this.#open ??= opened(this.#parts.socket);
    const connection = this.#open;
    const { client, methods } = await connection;
    const method = methods.get(call);
    if (method === undefined) throw new Error(`the description of the service has no ${call}`);
    const { name, clock, socket } = this.#parts;
    const over = new AbortController();
    try {
      const response = await new Promise<object | undefined>((resolve, reject) => {
        const sent = client.makeUnaryRequest(
          method.path,
          method.requestSerialize,
          method.responseDeserialize,
          request,
          (error, value) => {
            if (error === null) resolve(value);
            else reject(error);
          },
        );
        const cancel = (): void => {
          sent.cancel();
        };
        if (signal.aborted) cancel();
        signal.addEventListener('abort', cancel, { once: true, signal: over.signal });
        void clock.sleep(deadlineMs, AbortSignal.any([signal, over.signal])).then(() => {
          if (signal.aborted || over.signal.aborted) return;
          reject(tooLate(name, call, deadlineMs));
          cancel();
        });
      });
      return { kind: 'answer', response: response as Response };
    } catch (error) {
      const called =
        error instanceof Failure
          ? { kind: 'away' as const, failure: error }
          : failedCall({ name, socket, call }, error);
      if (called.kind === 'away' && this.#open === connection) this.close();
      return called;
    } finally {
      over.abort();
    }
  }

  close(): void {
    const connection = this.#open;
    this.#open = undefined;
    void connection?.then(({ client }) => {
      client.close();
    });
  }
}

async function opened(socket: string): Promise<Open> {
  // In the bundle a CommonJS library that is imported late has no names of its own, only its default.
  const [{ default: grpc }, { default: loader }] = await Promise.all([
    import('@grpc/grpc-js'),
    import('@grpc/proto-loader'),
  ]);
  const service = loader.fromJSON(criDescriptor(), CRI_READING)[CRI_SERVICE];
  const methods = Object.entries(service ?? {}) as [string, MethodDefinition<object, object>][];
  const client = new grpc.Client(`unix:${socket}`, grpc.credentials.createInsecure(), OPTIONS);
  return { client, methods: new Map(methods) };
}
