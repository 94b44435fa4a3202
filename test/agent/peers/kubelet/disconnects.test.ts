import { expect, it } from 'vitest';
import { EXIT, Failure } from '../../../../agent/exit.ts';
import { kubeletAddress } from '../../../../agent/peers/kubelet/address.ts';
import type { KubeletClient } from '../../../../agent/peers/kubelet/kubelet-client.ts';
import { kubeletPods } from '../../../../agent/peers/kubelet/kubelet-pods.ts';
import type { PodNews } from '../../../../agent/ports.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { SimRandom } from '../../../fakes/sim-random.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const EVERY_MS = 5000;
const DEADLINE_MS = 5000;
/** The longest pause after refusals, and a poll. */
const PATIENCE_MS = 30_000 + EVERY_MS;

const OUTAGES = ['refuses', 'hangs', 'cut', 'forbidden', 'garbage', 'starts'] as const;

const STATIC = { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.hash': 'static' };

/** A kubelet with pods that come and go, and a connection to it that fails in every way. */
class UnsteadyKubelet implements KubeletClient {
  readonly address = kubeletAddress('https://127.0.0.1:10250');
  readonly name = 'the kubelet';
  readonly deadlineMs = DEADLINE_MS;
  /** UIDs by name. */
  readonly pods = new Map<string, string>();
  outage: (typeof OUTAGES)[number] | undefined;
  /** The pods of the last good answer, and when it was given. */
  good: { readonly pods: readonly string[]; readonly atMs: number } | undefined;
  questions = 0;
  outages = 0;
  #startedAtMs: number | undefined;
  #made = 0;
  #changesAtMs = 0;
  readonly #random: SimRandom;
  readonly #clock: FakeClock;

  constructor(random: SimRandom, clock: FakeClock) {
    this.#random = random;
    this.#clock = clock;
  }

  async get(_path: string, signal: AbortSignal): Promise<Buffer> {
    this.questions += 1;
    await Promise.resolve();
    switch (this.outage) {
      case 'refuses':
        throw new Failure(EXIT.unavailable, `${this.name} does not listen there`);
      case 'hangs':
        return await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Failure(EXIT.unavailable, `${this.name} did not answer`));
          });
        });
      case 'cut':
        throw new Failure(EXIT.unavailable, `${this.name} broke off`);
      case 'forbidden':
        throw new Failure(EXIT.notPermitted, `${this.name} does not accept the token`);
      case 'garbage':
        return Buffer.from('{"kind":"PodList","items":[{"metadata":{}}]}');
      case 'starts':
        // It has answered nothing for a moment, and has not heard of its pods yet.
        this.#startedAtMs ??= this.#clock.nowMs();
        if (this.#startedAtMs === this.#clock.nowMs())
          throw new Failure(EXIT.unavailable, `${this.name} is away`);
        return listOf([PROXY]);
      default:
        return this.#answer();
    }
  }

  close(): void {
    // Nothing is open.
  }

  get truth(): readonly string[] {
    return ['proxy static', ...[...this.pods].map(([name, uid]) => `${name} ${uid}`)].sort();
  }

  /** What happens to the node, and to the connection, in one step. */
  live(): void {
    const { pods } = this;
    if (this.#random.chance(0.15)) {
      const name = `pod-${this.#random.whole(0, 40)}`;
      this.#made += 1;
      // A pod of a StatefulSet comes back under its name with another UID.
      if (pods.has(name) && this.#random.chance(0.6)) pods.delete(name);
      else pods.set(name, `uid-${this.#made}`);
    }
    const nowMs = this.#clock.nowMs();
    if (nowMs < this.#changesAtMs) return;
    this.outage = this.outage === undefined ? this.#random.pick(OUTAGES) : undefined;
    this.#startedAtMs = undefined;
    if (this.outage !== undefined) this.outages += 1;
    // Who is started anew knows its pods within minutes, or is believed that they are gone.
    const longestS = this.#random.chance(0.1) && this.outage !== 'starts' ? 1200 : 90;
    this.#changesAtMs = nowMs + this.#random.whole(1, longestS) * 1000;
  }

  #answer(): Buffer {
    this.good = { pods: this.truth, atMs: this.#clock.nowMs() };
    const items = [...this.pods]
      .map(([name, uid]) => ({ metadata: { namespace: 'shop', name, uid }, spec: { nodeName: 'shelf-1' } }))
      .concat(PROXY)
      .map((item) => ({ order: this.#random.share(), item }))
      .sort((one, other) => one.order - other.order);
    return listOf(items.map(({ item }) => item));
  }
}

const PROXY = {
  metadata: { namespace: 'shop', name: 'proxy', uid: 'static', annotations: STATIC },
  spec: { nodeName: 'shelf-1' },
};

function listOf(items: readonly unknown[]): Buffer {
  return Buffer.from(JSON.stringify({ kind: 'PodList', apiVersion: 'v1', items }));
}

/** What was told, as the agent keeps it. */
class Listener {
  pods: readonly string[] | undefined;
  lack: string | undefined;
  lists = 0;
  lacks = 0;

  hear(news: PodNews): void {
    if (news.kind === 'lack') {
      expect(news.failure.message).not.toBe(this.lack);
      this.lack = news.failure.message;
      this.lacks += 1;
      return;
    }
    const told = news.read.pods.map(({ name, uid }) => `${name} ${uid ?? ''}`);
    expect(new Set(told).size).toBe(told.length);
    // The same list is told again only where a lack was told in between.
    if (this.lack === undefined) expect(told).not.toEqual(this.pods);
    this.pods = told.toSorted();
    this.lack = undefined;
    this.lists += 1;
  }
}

it.each([1, 2])(
  'seed %i: a day of disconnects loses no pod and doubles none',
  { timeout: 240_000 },
  async (seed) => {
    const clock = new FakeClock();
    const kubelet = new UnsteadyKubelet(new SimRandom(seed), clock);
    const listener = new Listener();
    const stop = new AbortController();
    const pods = kubeletPods(kubelet, { everyMs: EVERY_MS, clock });
    const over = pods.follow((news) => {
      listener.hear(news);
    }, stop.signal);
    let upSinceMs = 0;
    while (clock.nowMs() < DAY_MS) {
      kubelet.live();
      if (kubelet.outage !== undefined) upSinceMs = clock.nowMs() + EVERY_MS;
      await clock.advance(EVERY_MS);
      const { good, outage } = kubelet;
      // Whatever was told last is what the kubelet last said, whole.
      expect(listener.pods).toEqual(good?.pods);
      const isBack = outage === undefined && clock.nowMs() - upSinceMs > PATIENCE_MS + DEADLINE_MS;
      if (isBack) {
        expect(listener.lack).toBeUndefined();
        expect(clock.nowMs() - (good?.atMs ?? 0)).toBeLessThanOrEqual(EVERY_MS);
      }
    }
    stop.abort();
    await over;
    expect(kubelet.outages).toBeGreaterThan(200);
    expect(listener.lacks).toBeGreaterThan(200);
    expect(listener.lists).toBeGreaterThan(800);
    expect(kubelet.questions).toBeLessThanOrEqual(DAY_MS / EVERY_MS + 1);
  },
);
