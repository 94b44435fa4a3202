import type {
  ApiAnswer,
  ApiClient,
  ApiRequest,
  WatchEnd,
  WatchListener,
} from '../../../agent/peers/api/api-client.ts';
import type { Clock } from '../../../agent/ports.ts';
import type { PlainValue } from '../../../config/text/plain-value.ts';

/** What becomes of a watch: how it goes on from its beginning, or how it is refused or fails before that. */
export type WatchScript = (listener: WatchListener, signal: AbortSignal) => Promise<WatchEnd> | WatchEnd;

/** An API server that does with each request what a test says, and takes no time for it; when it was asked for what is kept. */
export class ScriptedClient implements ApiClient {
  readonly name = 'the API server';
  readonly identity = 'the token of FILE';
  /** `MS list VERSION` and `MS watch VERSION`, in order. */
  readonly asked: string[] = [];
  /** Names of the pods that a list has. */
  pods: readonly string[] = ['x'];
  revision = 10;
  /** An answer to a list in the place of the pods. Throws what a connection comes to. */
  onList: () => ApiAnswer | undefined = () => undefined;
  onWatch: WatchScript;
  readonly #clock: Clock;

  constructor(clock: Clock, onWatch: WatchScript) {
    this.#clock = clock;
    this.onWatch = onWatch;
  }

  async request(_method: string, _path: string, { query = {} }: ApiRequest): Promise<ApiAnswer> {
    this.#note('list', query['resourceVersion']);
    return await Promise.resolve(this.onList() ?? { status: 200, body: this.#list });
  }

  async watch(
    _path: string,
    query: Readonly<Record<string, string>>,
    listener: WatchListener,
    signal: AbortSignal,
  ): Promise<WatchEnd> {
    this.#note('watch', query['resourceVersion']);
    return await this.onWatch(listener, signal);
  }

  /** Tells of a pod that is new, in the next version. */
  add(listener: WatchListener, name: string): void {
    this.revision += 1;
    this.pods = [...this.pods, name];
    listener.event({ type: 'ADDED', object: podObject(name, this.revision) });
  }

  #note(verb: string, version = 'now'): void {
    this.asked.push(`${this.#clock.nowMs()} ${verb} ${version}`);
  }

  get #list(): PlainValue {
    const items = this.pods.map((name) => podObject(name, this.revision));
    return { kind: 'PodList', metadata: { resourceVersion: String(this.revision) }, items };
  }
}

function podObject(name: string, revision: number): PlainValue {
  return { metadata: { namespace: 'a', name, uid: `uid-${name}`, resourceVersion: String(revision) } };
}
