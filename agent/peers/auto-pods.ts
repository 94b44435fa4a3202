import { warning } from '../../cgroup/warning.ts';
import { EXIT, Failure } from '../exit.ts';
import type { PodsRead } from '../model/pods-read.ts';
import type { Clock, FedPods, FeedNews, PodFeed } from '../ports.ts';
import { askInTime } from './polled.ts';

/** One of the sources that `auto` can take. */
export interface AutoSource {
  /** As the configuration would name it, such as `kubelet:https://127.0.0.1:10250`; it decides who can evict. */
  readonly name: string;
  /** undefined: it is not there at the moment, which is no fault. Throws Failure. */
  list(signal: AbortSignal): Promise<PodsRead | undefined>;
}

export interface AutoParts {
  /** The best first. */
  readonly sources: readonly AutoSource[];
  readonly everyMs: number;
  readonly deadlineMs: number;
  /** How long a source that went away is waited for before another one is taken. */
  readonly patienceMs: number;
  readonly clock: Clock;
}

/** How often it is looked whether a better source than the one in use answers. */
const BETTER_EVERY_MS = 30_000;

type Answer = { readonly kind: 'taken'; readonly index: number; readonly fed: FedPods } | Failure | undefined;

/**
 * The best of several sources that answers. The one that was taken is kept while it is away for a short time: a kubelet that
 * is restarted is back in seconds, and what the runtime knows of the same pods is less (no requests, no priorities), so
 * that to change over and back would change every value twice. A better one is taken as soon as it answers.
 */
export function autoPods(parts: AutoParts): PodFeed {
  return {
    name: 'auto',
    list: async (signal) => {
      const answer = await best(parts, parts.sources.length, signal);
      if (answer instanceof Failure) throw answer;
      return answer?.fed;
    },
    follow: async (told, signal) => {
      await follow(parts, told, signal);
    },
  };
}

async function follow(parts: AutoParts, told: (news: FeedNews) => void, signal: AbortSignal): Promise<void> {
  const { clock, everyMs } = parts;
  const inUse = new SourceInUse(parts);
  let last: string | PodsRead | undefined;
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    const askedAtMs = clock.nowMs();
    const news = await inUse.ask(signal);
    if (isOver()) return;
    const mark = markOf(news);
    if (mark !== last) told(news);
    last = mark;
    await clock.sleep(Math.max(0, everyMs - (clock.nowMs() - askedAtMs)), signal);
  }
}

/** What has to differ for somebody to be told again: the very list, or the sentence. */
function markOf(news: FeedNews): string | PodsRead {
  switch (news.kind) {
    case 'pods':
      return news.read;
    case 'lack':
      return news.failure.message;
    case 'none':
      return '';
  }
}

/** Which source is in use, and since when it has not answered. */
class SourceInUse {
  readonly #parts: AutoParts;
  #index: number | undefined;
  #goodAtMs = Number.NEGATIVE_INFINITY;
  #soughtAtMs = Number.NEGATIVE_INFINITY;
  /** The reading as its source gave it, and as it is told, which is with a word on those who were passed over. */
  #told: { readonly read: PodsRead; readonly fed: FedPods } | undefined;

  constructor(parts: AutoParts) {
    this.#parts = parts;
  }

  async ask(signal: AbortSignal): Promise<FeedNews> {
    const nowMs = this.#parts.clock.nowMs();
    const { patienceMs, sources } = this.#parts;
    const current = this.#index === undefined ? undefined : sources[this.#index];
    if (this.#index === undefined || current === undefined) return this.#takeBest(sources.length, signal);
    if (nowMs - this.#soughtAtMs >= BETTER_EVERY_MS && this.#index > 0) {
      this.#soughtAtMs = nowMs;
      const better = await this.#betterThan(this.#index, signal);
      if (better !== undefined) return better;
    }
    const answer = await askOne(current, this.#parts, signal);
    if (answer !== undefined && !(answer instanceof Failure)) return this.#keep(answer, current.name);
    if (nowMs - this.#goodAtMs > patienceMs) return this.#takeBest(sources.length, signal);
    return { kind: 'lack', failure: answer ?? gone(current.name) };
  }

  async #takeBest(count: number, signal: AbortSignal): Promise<FeedNews> {
    const answer = await best(this.#parts, count, signal);
    if (answer === undefined) {
      this.#index = undefined;
      return { kind: 'none' };
    }
    if (answer instanceof Failure) return { kind: 'lack', failure: answer };
    return this.#take(answer);
  }

  async #betterThan(index: number, signal: AbortSignal): Promise<FeedNews | undefined> {
    const answer = await best(this.#parts, index, signal);
    return answer === undefined || answer instanceof Failure ? undefined : this.#take(answer);
  }

  #take({ index, fed }: Extract<Answer, { kind: 'taken' }>): FeedNews {
    const nowMs = this.#parts.clock.nowMs();
    this.#index = index;
    this.#goodAtMs = nowMs;
    this.#soughtAtMs = nowMs;
    this.#told = { read: fed.read, fed };
    return { kind: 'pods', ...fed };
  }

  #keep(read: PodsRead, from: string): FeedNews {
    this.#goodAtMs = this.#parts.clock.nowMs();
    // The same pods stay the same value, so that nobody works through them again.
    const isSame = this.#told?.read.pods === read.pods;
    if (!isSame || this.#told === undefined) this.#told = { read, fed: { read, from } };
    return { kind: 'pods', ...this.#told.fed };
  }
}

/** The first of the best `count` sources that answers; else why the best that is there does not; else undefined. */
async function best(parts: AutoParts, count: number, signal: AbortSignal): Promise<Answer> {
  const failures: Failure[] = [];
  for (const [index, source] of parts.sources.slice(0, count).entries()) {
    const answer = await askOne(source, parts, signal);
    if (answer instanceof Failure) failures.push(answer);
    else if (answer !== undefined) {
      const passedOver = failures.map(({ message }) =>
        warning('pods-source', `${message}; the pods are taken from ${source.name}`),
      );
      const read = { pods: answer.pods, warnings: [...passedOver, ...answer.warnings] };
      return { kind: 'taken', index, fed: { read, from: source.name } };
    }
  }
  return failures[0];
}

async function askOne(
  source: AutoSource,
  { deadlineMs, clock }: AutoParts,
  signal: AbortSignal,
): Promise<PodsRead | undefined | Failure> {
  const list = (within: AbortSignal): Promise<PodsRead | undefined> => source.list(within);
  return await askInTime({ name: source.name, list, deadlineMs, clock }, signal);
}

function gone(name: string): Failure {
  return new Failure(EXIT.unavailable, `${name}, which the pods came from, is not there any more`);
}
