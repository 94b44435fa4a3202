import { Failure } from '../../exit.ts';
import type { Pod } from '../../model/pod.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import type { Clock, FeedNews, LastGoodPods, PodFeed, PodLook, SeenPods } from '../../ports.ts';
import { present } from '../present.ts';

/** What the pods of a feed are followed with. */
export interface FollowedParts {
  readonly feed: PodFeed;
  readonly clock: Clock;
  /** The pods that count on this node. Throws Failure 65 where they contradict each other. */
  count(read: PodsRead): readonly Pod[];
  /** What a person should know of the list that was counted last. */
  remark?(): string | undefined;
  /** Something has changed that the next look will show. */
  wake(): void;
}

/**
 * The pods of a feed, as it told them last. It is followed in the background: a look takes what is known and waits for nobody.
 * While the source is away, or tells what cannot be right, the last good list is kept and grows old.
 */
export class FollowedPods implements SeenPods {
  readonly #parts: FollowedParts;
  readonly #stop = new AbortController();
  readonly #heard: (() => void)[] = [];
  #pods: readonly Pod[] | undefined;
  #from: string | undefined;
  #goodAtMs: number | undefined;
  #failure: Failure | undefined;
  #hasHeard = false;

  constructor(parts: FollowedParts) {
    this.#parts = parts;
  }

  /** Begins to follow, until `stop`. */
  start(): void {
    const told = (news: FeedNews): void => {
      this.#hear(news);
    };
    // What a peer can cause is told; what is thrown is a fault of this program, and ends it.
    void this.#parts.feed.follow(told, this.#stop.signal);
  }

  /** Follows no more; what is known stays. */
  stop(): void {
    this.#stop.abort();
  }

  look(nowMs: number): PodLook {
    if (this.#pods !== undefined && this.#failure === undefined && this.#hasHeard) this.#goodAtMs = nowMs;
    const remark = this.#hasHeard ? this.#parts.remark?.() : undefined;
    return {
      pods: this.#pods,
      ageMs: this.#goodAtMs === undefined ? 0 : nowMs - this.#goodAtMs,
      ...present('remark', remark),
      ...(this.#failure === undefined ? {} : { lack: this.#failure.message }),
      ...(this.#from === undefined ? {} : { from: this.#from }),
    };
  }

  get lastGood(): LastGoodPods | undefined {
    return this.#pods === undefined || this.#goodAtMs === undefined
      ? undefined
      : { pods: this.#pods, atMs: this.#goodAtMs };
  }

  adopt({ pods, atMs }: LastGoodPods): void {
    if (this.#hasHeard) return;
    this.#pods = pods;
    this.#goodAtMs = atMs;
  }

  /** Why the source does not answer; undefined while it does, and before it was heard. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Resolves when the feed has told anything, or after `longestMs`. */
  async heard(longestMs: number): Promise<void> {
    if (this.#hasHeard) return;
    const waited = new AbortController();
    const first = new Promise<void>((resolve) => this.#heard.push(resolve));
    await Promise.race([first, this.#parts.clock.sleep(longestMs, waited.signal)]);
    waited.abort();
  }

  #hear(news: FeedNews): void {
    if (this.#stop.signal.aborted) return;
    this.#take(news);
    this.#hasHeard = true;
    for (const resolve of this.#heard.splice(0)) resolve();
    this.#parts.wake();
  }

  #take(news: FeedNews): void {
    const nowMs = this.#parts.clock.nowMs();
    // Until now the list before was right, as far as its source said.
    if (this.#hasHeard) this.look(nowMs);
    switch (news.kind) {
      case 'lack':
        this.#failure = news.failure;
        return;
      case 'none':
        this.#pods = undefined;
        this.#goodAtMs = undefined;
        this.#from = undefined;
        this.#failure = undefined;
        return;
      case 'pods':
        this.#takeList(news.read, news.from);
    }
  }

  #takeList(read: PodsRead, from: string): void {
    try {
      this.#pods = this.#parts.count(read);
      this.#goodAtMs = this.#parts.clock.nowMs();
      this.#from = from;
      this.#failure = undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#failure = error;
    }
  }
}
