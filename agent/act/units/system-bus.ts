import { EventEmitter } from 'node:events';
import type * as Dbus from '@jellybrick/dbus-next';
import type { MessageBus, Variant } from '@jellybrick/dbus-next';

/** One method call. What `body` gives fits `signature` (D-Bus types); it makes its variants with what it is handed. */
export interface BusCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature: string;
  body(variant: (signature: string, value: unknown) => Variant): unknown[];
}

export type BusReply =
  | { readonly kind: 'reply'; readonly body: readonly unknown[] }
  /** The peer, or the bus, said no, with the name of a D-Bus error. */
  | { readonly kind: 'error'; readonly name: string; readonly text: string }
  /** Nobody answers; `why` is a part of a sentence. */
  | { readonly kind: 'away'; readonly why: string };

export interface BusTimes {
  /** How long a peer may take to answer; systemd answers nobody while it reads its units again. */
  readonly answerMs: number;
  /** How long after a failed try the bus is not tried again: writes must not wait for it one after the other. */
  readonly tryAgainMs: number;
}

const BUS_TIMES: BusTimes = { answerMs: 15_000, tryAgainMs: 10_000 };

interface Connection {
  readonly bus: MessageBus;
  readonly library: typeof Dbus;
  /** Resolves with why it cannot be used any more. */
  readonly lost: Promise<string>;
}

/**
 * A connection to a message bus by its socket, opened when it is first used, and again after it was lost. The library is
 * loaded only then.
 */
export class SystemBus {
  readonly #path: string;
  readonly #times: BusTimes;
  #connection: Promise<Connection | string> | undefined;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(path: string, times: BusTimes = BUS_TIMES) {
    this.#path = path;
    this.#times = times;
  }

  /** Calls a method and waits for its answer. Never rejects. */
  async call(call: BusCall): Promise<BusReply> {
    const connection = await this.#opened();
    if (typeof connection === 'string') return { kind: 'away', why: connection };
    const late: BusReply = {
      kind: 'away',
      why: `${call.member} had no answer for ${this.#times.answerMs / 1000} s`,
    };
    const reply = await within(this.#times.answerMs, answerTo(call, connection), late);
    if (reply.kind === 'away') {
      this.#connection = Promise.resolve(reply.why);
      this.#failedAtMs = performance.now();
      connection.bus.disconnect();
    }
    return reply;
  }

  /** Lets go of the connection; a later call opens one again. */
  close(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    void connection?.then((opened) => {
      if (typeof opened !== 'string') opened.bus.disconnect();
    });
  }

  async #opened(): Promise<Connection | string> {
    const known = await this.#connection;
    const isPutOff =
      typeof known === 'string' && performance.now() - this.#failedAtMs < this.#times.tryAgainMs;
    if (known !== undefined && (typeof known !== 'string' || isPutOff)) return known;
    const opening = connect(this.#path, this.#times.answerMs);
    this.#connection = opening;
    const opened = await opening;
    if (typeof opened === 'string') this.#failedAtMs = performance.now();
    return opened;
  }
}

/** Gives the connection when the bus has said hello, else why there is none. */
async function connect(path: string, patienceMs: number): Promise<Connection | string> {
  const library = await import('@jellybrick/dbus-next');
  // This is the call that takes an address; a bus of its own is not asked for what belongs to a session.
  const bus = library.sessionBus({ busAddress: `unix:path=${path}` });
  // The library's types leave this event out, and without a listener it would end the process.
  const emitter: NodeJS.EventEmitter = bus;
  const lost = new Promise<string>((resolve) => {
    emitter.on('error', (error: unknown) => {
      resolve(`${path}: ${sentenceOf(error)}`);
    });
    // Nor does it pass on that the other side has ended, which would leave a call without an answer until its time is over.
    const connection: unknown = Reflect.get(bus, '_connection');
    if (connection instanceof EventEmitter) {
      connection.once('end', () => {
        resolve(`${path} was closed`);
      });
    }
  });
  const greeted = new Promise<Connection>((resolve) => {
    bus.once('connect', () => {
      resolve({ bus, library, lost });
    });
  });
  const opened = await within(patienceMs, Promise.race([greeted, lost]), `${path} does not answer`);
  if (typeof opened === 'string') bus.disconnect();
  return opened;
}

async function answerTo(call: BusCall, { bus, library, lost }: Connection): Promise<BusReply> {
  try {
    const { destination, path, member, signature } = call;
    const body = call.body((type, value) => new library.Variant(type, value));
    const message = new library.Message({
      destination,
      path,
      interface: call.interface,
      member,
      signature,
      body,
    });
    const reply = await Promise.race([bus.call(message), lost]);
    return typeof reply === 'string'
      ? { kind: 'away', why: reply }
      : { kind: 'reply', body: reply?.body ?? [] };
  } catch (error) {
    return error instanceof library.DBusError
      ? { kind: 'error', name: error.type, text: error.text }
      : { kind: 'away', why: sentenceOf(error) };
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function within<T>(ms: number, wanted: Promise<T>, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<T>((resolve) => {
    timer = setTimeout(() => {
      resolve(late);
    }, ms);
  });
  try {
    return await Promise.race([wanted, patience]);
  } finally {
    clearTimeout(timer);
  }
}
