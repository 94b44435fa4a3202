import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../agent/model/pod.ts';
import { apiPods } from '../../../../agent/peers/api/api-pods.ts';
import type { PodNews } from '../../../../agent/ports.ts';
import { ObjectStore } from '../../../fakes/api-server/object-store.ts';
import { StoreClient } from '../../../fakes/api-server/store-client.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { SimRandom } from '../../../fakes/sim-random.ts';

const MINUTE_MS = 60_000;
const MINUTES_OF_A_DAY = 24 * 60;

/** A node whose pods come, change, go and come again under their names. */
class BusyNode {
  readonly store = new ObjectStore();
  readonly #random: SimRandom;

  constructor(random: SimRandom) {
    this.#random = random;
  }

  change(): void {
    const name = `p${this.#random.whole(0, 19)}`;
    const known = this.store.get('pods', name, 'a');
    if (known === undefined) {
      this.#put(name, 'Pending');
    } else if (this.#random.chance(0.3)) {
      this.store.remove('pods', name, 'a');
      if (this.#random.chance(0.3)) this.#put(name, 'Pending');
    } else {
      this.#put(name, this.#random.pick(['Pending', 'Running', 'Succeeded']) ?? '');
    }
  }

  get truth(): readonly string[] {
    const pods = this.store.all('pods').map(({ metadata, ...object }) => {
      const { phase } = object['status'] as { readonly phase: string };
      return `${metadata.name} ${metadata.uid ?? ''} ${phase}`;
    });
    return pods.sort();
  }

  #put(name: string, phase: string): void {
    const spec = { nodeName: 'node-1', containers: [] };
    this.store.put('pods', { metadata: { namespace: 'a', name }, spec, status: { phase } });
  }
}

/** One who is told, and who notices what must never be. */
class Listener {
  shown: readonly string[] | undefined;
  lacks = 0;
  isLacking = false;
  /** The UIDs of the last list, and of those that had gone by then. */
  #here: ReadonlySet<string> = new Set();
  readonly #gone = new Set<string>();

  told(news: PodNews): void {
    if (news.kind === 'lack') {
      this.lacks += 1;
      this.isLacking = true;
      return;
    }
    this.isLacking = false;
    const { pods } = news.read;
    expect(new Set(pods.map(({ name }) => name)).size).toBe(pods.length);
    const uids = new Set(pods.map(({ uid }) => uid ?? ''));
    expect(uids.size).toBe(pods.length);
    for (const uid of this.#here) {
      if (!uids.has(uid)) this.#gone.add(uid);
    }
    this.#here = uids;
    // Neither was one lost for a while, nor does one that has ended come back.
    expect([...uids].filter((uid) => this.#gone.has(uid))).toEqual([]);
    this.shown = pods.map(shownPod);
    expect(this.shown).toEqual([...this.shown].sort());
  }
}

function shownPod({ name, uid, phase }: Pod): string {
  return `${name} ${uid ?? ''} ${phase ?? ''}`;
}

describe('a day of disconnects', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('never loses or doubles a pod (seed %i)', async (seed) => {
    const random = new SimRandom(seed);
    const node = new BusyNode(random);
    const clock = new FakeClock();
    const client = new StoreClient(node.store, clock, random);
    const listener = new Listener();
    const end = new AbortController();
    const pods = apiPods({ client: () => Promise.resolve(client), nodeName: 'node-1', clock });
    const following = pods.follow((news) => {
      listener.told(news);
    }, end.signal);
    for (let minute = 0; minute < MINUTES_OF_A_DAY; minute += 1) {
      // Bad weather for forty minutes, fair for twenty.
      client.faults = minute % 60 < 40 ? 0.6 : 0;
      for (let left = MINUTE_MS; left > 0; ) {
        const ms = Math.min(left, random.whole(1, 30_000));
        await clock.advance(ms);
        left -= ms;
        if (minute % 60 < 55) node.change();
      }
      if (random.chance(0.1)) node.store.compact();
      // A silence of a minute and a half and a pause are over, and a watch that was begun in bad weather has ended.
      if (minute % 60 >= 50) {
        expect(listener.shown).toEqual(node.truth);
        expect(listener.isLacking).toBe(false);
      }
    }
    end.abort();
    await following;
    // The day was a bad one.
    expect(client.asked.failed).toBeGreaterThan(100);
    expect(listener.lacks).toBeGreaterThan(50);
    expect(client.asked.watch).toBeGreaterThan(300);
  });
});
