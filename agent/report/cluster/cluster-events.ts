import type { PlainRecord } from '../../../config/text/plain-value.ts';
import type { TimedEvent } from '../../model/agent-event.ts';
import type { TickRecord } from '../../model/tick.ts';
import type { ApiAnswer, ApiClient } from '../../peers/api/api-client.ts';
import { forbiddenText, isDone, missingKind, retryAfter, statusCauses } from '../../peers/api/api-status.ts';
import { asked } from '../../peers/api/asked.ts';
import { answerFailure } from '../../peers/api/faults.ts';
import type { Clock, EventSink } from '../../ports.ts';
import { type ClusterNews, newsOfEviction, newsOfThresholds } from './cluster-news.ts';
import { eventDocument, eventName, eventNamespace, type KnownEvent, repetition } from './event-document.ts';
import { endedOrLate } from './patient.ts';

/** What is told again of the same object within this time is the same Event, counted once more (client-go: aggregation). */
const SAME_EVENT_MS = 600_000;
const MOST_KNOWN = 256;
/** More than a node has to tell in the time that an API server takes to be upgraded. */
const LONGEST_QUEUE = 100;
const MOST_TRIES = 6;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** How long the end of the agent waits for Events that are still to be told. */
const LAST_EVENTS_MS = 2000;

export interface ClusterEventsParts {
  readonly client: ApiClient;
  readonly nodeName: string;
  readonly clock: Clock;
  /** Why Events cannot be told; undefined: they can again. */
  readonly trouble: (sentence: string | undefined) => void;
}

/** A sink with something of its own that has to come to an end. */
export interface ClosableSink extends EventSink {
  /** Waits a moment for what is left to tell; tells nothing after that. */
  close(): Promise<void>;
}

/** Why an Event was not told. */
interface Lack {
  readonly sentence: string;
  readonly isWorthATry: boolean;
  readonly retryAfterMs?: number;
}

/**
 * Tells evictions as Kubernetes Events about their pods, and the beginning of each shortage as one about the Node. Nobody
 * waits for it: Events are told in order from a queue that has an end, and one that cannot be told is left out.
 */
export function clusterEvents(parts: ClusterEventsParts): ClosableSink {
  return new ClusterEvents(parts);
}

class ClusterEvents implements ClosableSink {
  readonly name = 'events';
  readonly #parts: ClusterEventsParts;
  readonly #queue: ClusterNews[] = [];
  readonly #known = new Map<string, KnownEvent & { readonly wallMs: number }>();
  readonly #ending = new AbortController();
  #working: Promise<void> | undefined;
  #reclaimed: ReadonlySet<string> = new Set();
  #serial = 0;
  #isClosed = false;

  constructor(parts: ClusterEventsParts) {
    this.#parts = parts;
  }

  event(event: TimedEvent): void {
    const news = newsOfEviction(event);
    if (news !== undefined) this.#add(news);
  }

  tick(record: TickRecord): void {
    const { news, reclaimed } = newsOfThresholds(record, this.#parts.nodeName, this.#reclaimed);
    this.#reclaimed = reclaimed;
    for (const one of news) this.#add(one);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#working !== undefined) await endedOrLate(this.#working, LAST_EVENTS_MS, this.#parts.clock);
    this.#ending.abort();
  }

  #add(news: ClusterNews): void {
    if (this.#isClosed) return;
    if (this.#queue.length >= LONGEST_QUEUE) this.#queue.shift();
    this.#queue.push(news);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  async #work(): Promise<void> {
    for (let news = this.#queue.shift(); news !== undefined; news = this.#queue.shift()) {
      if (this.#ending.signal.aborted) return;
      await this.#tell(news);
    }
  }

  async #tell(news: ClusterNews): Promise<void> {
    const { clock, trouble } = this.#parts;
    let pauseMs = FIRST_PAUSE_MS;
    for (let tries = 1; ; tries += 1) {
      const lack = await this.#tellOnce(news);
      const isOver = lack === undefined || !lack.isWorthATry || tries === MOST_TRIES;
      if (isOver) trouble(lack?.sentence);
      if (isOver || this.#ending.signal.aborted) return;
      await clock.sleep(
        Math.min(LONGEST_PAUSE_MS, Math.max(pauseMs, lack.retryAfterMs ?? 0)),
        this.#ending.signal,
      );
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  async #tellOnce(news: ClusterNews): Promise<Lack | undefined> {
    const known = this.#knownOf(news);
    if (known === undefined) return await this.#create(news);
    const count = known.count + 1;
    const { namespace, name } = known;
    const answer = await this.#ask('PATCH', eventPath(namespace, name), repetition(news, count));
    if (typeof answer !== 'string' && isDone(answer)) {
      this.#remember(news, { namespace, name, count });
      return undefined;
    }
    // Events live for an hour, and anybody may delete them.
    if (typeof answer !== 'string' && answer.status === 404) {
      this.#known.delete(keyOf(news));
      return await this.#create(news);
    }
    return this.#lackOf(answer, 'patch');
  }

  async #create(news: ClusterNews): Promise<Lack | undefined> {
    const namespace = eventNamespace(news.involved);
    const name = eventName(news, this.#serial);
    this.#serial = (this.#serial + 1) % 1000;
    const document = eventDocument(news, name, this.#parts.nodeName);
    const answer = await this.#ask('POST', eventPath(namespace), document);
    if (typeof answer !== 'string' && isDone(answer)) this.#remember(news, { namespace, name, count: 1 });
    return this.#lackOf(answer, 'create');
  }

  async #ask(method: 'POST' | 'PATCH', path: string, body: PlainRecord): Promise<ApiAnswer | string> {
    const { client } = this.#parts;
    const type = method === 'PATCH' ? { contentType: 'application/strategic-merge-patch+json' } : {};
    return await asked(client.request(method, path, { body, ...type }, this.#ending.signal));
  }

  #lackOf(answer: ApiAnswer | string, verb: string): Lack | undefined {
    if (typeof answer === 'string') return { sentence: answer, isWorthATry: true };
    if (isDone(answer) || isNamespaceGone(answer)) return undefined;
    const { status } = answer;
    const asking = { client: this.#parts.client, verb, resource: 'events' };
    if (status === 401 || status === 403)
      return { sentence: forbiddenText(answer, asking), isWorthATry: false };
    const isWorthATry = status === 409 || status === 429 || status >= 500;
    return { sentence: answerFailure(answer, asking).message, isWorthATry, ...retryAfter(answer) };
  }

  #knownOf(news: ClusterNews): KnownEvent | undefined {
    const known = this.#known.get(keyOf(news));
    return known === undefined || news.wallMs - known.wallMs >= SAME_EVENT_MS ? undefined : known;
  }

  /** The one that was told of last is at the end. */
  #remember(news: ClusterNews, event: KnownEvent): void {
    const key = keyOf(news);
    this.#known.delete(key);
    this.#known.set(key, { ...event, wallMs: news.wallMs });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** A namespace that is gone, or on its way: nobody looks for Events there any more. */
function isNamespaceGone(answer: ApiAnswer): boolean {
  return (
    missingKind(answer) === 'namespaces' ||
    statusCauses(answer).some(({ reason }) => reason === 'NamespaceTerminating')
  );
}

function keyOf({ involved, reason }: ClusterNews): string {
  const { kind, namespace = '', name, uid = '' } = involved;
  return [kind, namespace, name, uid, reason].join(' ');
}

function eventPath(namespace: string, name?: string): string {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  return name === undefined ? path : `${path}/${encodeURIComponent(name)}`;
}
