import { EXIT, Failure } from '../../../agent/exit.ts';
import type {
  ApiAnswer,
  ApiClient,
  ApiRequest,
  WatchEnd,
  WatchListener,
} from '../../../agent/peers/api/api-client.ts';
import type { Clock } from '../../../agent/ports.ts';
import type { PlainValue } from '../../../config/text/plain-value.ts';
import type { SimRandom } from '../sim-random.ts';
import { type StatusAnswer, statusObject } from './calls.ts';
import type { ObjectStore, StoreChange } from './object-store.ts';
import { type ApiObject, objectKey } from './objects.ts';

/** What a page of a list has at most, whatever was asked for. */
const PAGE = 7;
const MINUTE_MS = 60_000;
const WATCH_MS = 300_000;

/** How a watch ends: by its time, or in the middle of something, or never. */
const BAD_ENDS = ['cut', 'cut', 'mute', 'expired', 'failed', 'nonsense'] as const;

/**
 * An API server without a network, over a store, on whatever clock there is: it pages, forgets, lags behind and fails by chance,
 * loses what it was about to tell, and tells again what it told before.
 */
export class StoreClient implements ApiClient {
  readonly name = 'the API server';
  readonly identity = 'nobody';
  /** Of 1: how many requests fail, and how many watches end badly. */
  faults = 0;
  readonly asked = { list: 0, watch: 0, failed: 0 };
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  readonly #random: SimRandom;
  readonly #history: StoreChange[] = [];
  readonly #rests = new Map<string, { readonly revision: number; readonly items: readonly ApiObject[] }>();

  constructor(store: ObjectStore, clock: Clock, random: SimRandom) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
    store.followers.add((change) => {
      this.#history.push(change);
    });
  }

  async request(
    _method: string,
    _path: string,
    request: ApiRequest,
    signal: AbortSignal,
  ): Promise<ApiAnswer> {
    this.asked.list += 1;
    const failed = await this.#perhapsFail(signal);
    if (failed !== undefined) return failed;
    const { resourceVersion: version, limit, continue: token } = request.query ?? {};
    const page = token === undefined ? this.#moment(version) : this.#rests.get(token);
    if (token !== undefined && (page === undefined || this.#isBad()))
      return answer({ code: 410, ...EXPIRED });
    const { revision, items } = page ?? this.#moment(undefined);
    const shown = limit === undefined ? items : items.slice(0, PAGE);
    const rest = items.slice(shown.length);
    const next = `${revision}-${rest.length}`;
    if (rest.length > 0) this.#rests.set(next, { revision, items: rest });
    const metadata = { resourceVersion: String(revision), ...(rest.length > 0 ? { continue: next } : {}) };
    return { status: 200, body: { kind: 'PodList', metadata, items: shown as unknown as PlainValue } };
  }

  async watch(
    _path: string,
    query: Readonly<Record<string, string>>,
    listener: WatchListener,
    signal: AbortSignal,
  ): Promise<WatchEnd> {
    this.asked.watch += 1;
    const failed = await this.#perhapsFail(signal);
    if (failed !== undefined) return { kind: 'refused', answer: failed };
    const from = Number(query['resourceVersion']);
    // From before where it was asked to begin: what was told already is told again.
    const early = this.#isBad() ? this.#store.changesAfter(from - this.#random.whole(1, 30)) : undefined;
    const backlog = early ?? this.#store.changesAfter(from);
    const expired = { code: 410, ...EXPIRED };
    if (backlog === undefined && this.#random.chance(0.5))
      return { kind: 'refused', answer: answer(expired) };
    listener.begun();
    if (backlog === undefined) {
      listener.event({ type: 'ERROR', object: statusObject(expired) as PlainValue });
      return { kind: 'closed' };
    }
    return await this.#stream(backlog, listener, signal);
  }

  async #stream(
    backlog: readonly StoreChange[],
    listener: WatchListener,
    signal: AbortSignal,
  ): Promise<WatchEnd> {
    const end = this.#isBad() ? this.#random.pick(BAD_ENDS) : undefined;
    const lastsMs = end === undefined ? WATCH_MS : this.#random.whole(0, WATCH_MS / 2);
    const tell = (change: StoreChange): void => {
      if (!signal.aborted) listener.event(eventOf(change));
    };
    for (const change of backlog) tell(change);
    this.#store.followers.add(tell);
    await this.#bookmarks(lastsMs, listener, signal);
    this.#store.followers.delete(tell);
    // What changes now is lost on its way.
    if (end !== undefined) await this.#clock.sleep(end === 'mute' ? 1e9 : 2000, signal);
    if (!signal.aborted && end !== undefined) endBadly(end, listener);
    return { kind: 'closed' };
  }

  async #bookmarks(lastsMs: number, listener: WatchListener, signal: AbortSignal): Promise<void> {
    for (let left = lastsMs; left > 0; left -= MINUTE_MS) {
      await this.#clock.sleep(Math.min(left, MINUTE_MS), signal);
      if (signal.aborted) return;
      const metadata = { resourceVersion: String(this.#store.revision) };
      listener.event({ type: 'BOOKMARK', object: { metadata } });
    }
  }

  #isBad(): boolean {
    return this.#random.chance(this.faults);
  }

  /** Takes its time, and throws or refuses where the weather is like that. */
  async #perhapsFail(signal: AbortSignal): Promise<ApiAnswer | undefined> {
    await this.#clock.sleep(this.#random.whole(1, 20), signal);
    if (!this.#isBad()) return undefined;
    this.asked.failed += 1;
    await this.#clock.sleep(this.#random.whole(1, 10_000), signal);
    const refusal = this.#random.pick(REFUSALS);
    if (refusal === undefined) throw new Failure(EXIT.unavailable, 'the API server cannot be reached');
    return answer(refusal);
  }

  /** All pods: as of now, or for `0` as of a moment that is not long ago, as a server has it that lags behind. */
  #moment(version: string | undefined): { readonly revision: number; readonly items: readonly ApiObject[] } {
    const lag = version === '0' && this.#isBad() ? this.#random.whole(0, 10) : 0;
    const revision = Math.max(1, this.#store.revision - lag);
    const objects = new Map(this.#store.all('pods').map((object) => [objectKey(object), object]));
    for (const change of this.#history.toReversed()) {
      if (change.revision <= revision) break;
      if (change.before !== undefined) objects.set(objectKey(change.before), change.before);
      else if (change.object !== undefined) objects.delete(objectKey(change.object));
    }
    return { revision, items: [...objects.values()] };
  }
}

function endBadly(end: (typeof BAD_ENDS)[number], listener: WatchListener): void {
  if (end === 'nonsense')
    throw new Failure(EXIT.unavailable, 'the API server sends something else than events');
  if (end === 'expired' || end === 'failed') {
    const status = end === 'expired' ? { code: 410, ...EXPIRED } : { code: 500, ...BROKEN };
    listener.event({ type: 'ERROR', object: statusObject(status) as PlainValue });
  }
}

const EXPIRED = { reason: 'Expired', message: 'too old resource version' };
const BROKEN = { reason: 'InternalError', message: 'etcd is gone' };

/** undefined: no answer at all. */
const REFUSALS: readonly (StatusAnswer | undefined)[] = [
  undefined,
  undefined,
  { code: 500, ...BROKEN },
  { code: 429, reason: 'TooManyRequests', message: '', retryAfterSeconds: 5 },
  { code: 401, reason: 'Unauthorized', message: '' },
  { code: 410, ...EXPIRED },
];

function answer(status: StatusAnswer): ApiAnswer {
  const body = statusObject(status) as PlainValue;
  const { code, retryAfterSeconds } = status;
  return {
    status: code,
    body,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterMs: retryAfterSeconds * 1000 }),
  };
}

function eventOf({ object, before, revision }: StoreChange): {
  readonly type: string;
  readonly object: PlainValue;
} {
  if (object !== undefined) {
    return { type: before === undefined ? 'ADDED' : 'MODIFIED', object: object as PlainValue };
  }
  const last = { ...before, metadata: { ...before?.metadata, resourceVersion: String(revision) } };
  return { type: 'DELETED', object: last };
}
