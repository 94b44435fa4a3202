import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../agent/model/pod.ts';
import { criPods } from '../../../../agent/peers/cri/cri-pods.ts';
import type { PodNews } from '../../../../agent/ports.ts';
import { FakeRuntime } from '../../../fakes/fake-runtime.ts';
import { SimRandom } from '../../../fakes/sim-random.ts';

const EVERY_MS = 30_000;
const DAY_MS = 86_400_000;
/** One may still hang, and the next one sees it. */
const LOOKS_TO_SEE = 2;
const MOST_PODS = 30;
/** What fails or hangs during an outage. */
const CALLS = ['sandboxes', 'containers', 'sandboxDetail', 'containerDetail'] as const;

/** A runtime whose pods come, go and restart, and that is away now and then: what is told has to be what is there. */
class Day {
  readonly runtime = new FakeRuntime();
  lacks = 0;
  #last: PodNews | undefined;
  #told: readonly string[] = [];
  readonly #random: SimRandom;
  /** UID to the ID of the sandbox and that of the container in it. */
  readonly #pods = new Map<string, { readonly sandbox: string; container: string }>();
  #made = 0;
  #outageLooks = 0;
  looksSinceOutage = 0;
  lookedAway = 0;

  constructor(seed: number) {
    this.#random = new SimRandom(seed);
  }

  async live(): Promise<void> {
    const { client, clock } = this.runtime;
    const end = new AbortController();
    const source = criPods({ client, everyMs: EVERY_MS, clock });
    const following = source.follow((one) => {
      this.#last = one;
      if (one.kind === 'pods') this.#told = one.read.pods.map(shown);
      else this.lacks += 1;
    }, end.signal);
    for (let look = 0; look < DAY_MS / EVERY_MS; look += 1) {
      this.#happen();
      await clock.advance(EVERY_MS);
      this.#compare();
    }
    end.abort();
    await following;
  }

  #happen(): void {
    const random = this.#random;
    if (this.#pods.size < MOST_PODS && random.chance(0.1)) this.#make();
    const uid = random.pick([...this.#pods.keys()]);
    const pod = uid === undefined ? undefined : this.#pods.get(uid);
    if (uid !== undefined && pod !== undefined) {
      if (random.chance(0.04)) {
        this.runtime.forget(pod.sandbox);
        this.#pods.delete(uid);
      } else if (random.chance(0.1)) {
        this.runtime.exit(pod.sandbox);
        pod.container = this.#container(pod.sandbox);
      }
    }
    this.#outage();
  }

  #make(): void {
    this.#made += 1;
    const uid = `u-${this.#made}`;
    const sandbox = `s-${this.#made}`;
    // Few names, so that one comes again with another UID.
    this.runtime.sandbox(sandbox, uid, `pod-${this.#made % 7}`);
    this.#pods.set(uid, { sandbox, container: this.#container(sandbox) });
  }

  #container(sandbox: string): string {
    this.#made += 1;
    this.runtime.container(`c-${this.#made}`, sandbox);
    return `c-${this.#made}`;
  }

  #outage(): void {
    const { fails, hangs } = this.runtime;
    if (this.#outageLooks > 0) {
      this.#outageLooks -= 1;
      this.lookedAway += 1;
      if (this.#outageLooks > 0) return;
      fails.clear();
      hangs.clear();
    }
    if (this.#random.chance(0.02)) {
      this.#outageLooks = this.#random.whole(1, 20);
      this.looksSinceOutage = 0;
      (this.#random.chance(0.3) ? hangs : fails).add(this.#random.pick(CALLS) ?? '');
    }
  }

  /** Once there was time to see it, what was told last is what is there; and never is a pod there twice. */
  #compare(): void {
    const told = this.#told;
    expect(new Set(told).size).toBe(told.length);
    if (this.#outageLooks > 0) return;
    this.looksSinceOutage += 1;
    if (this.looksSinceOutage < LOOKS_TO_SEE) return;
    const there = [...this.#pods].map(([uid, { container }]) => `${uid} ${container}`);
    expect(told.toSorted()).toEqual(there.toSorted());
    expect(this.#last?.kind).toBe('pods');
  }
}

function shown({ uid, containers }: Pod): string {
  return `${String(uid)} ${containers.map(({ containerId }) => containerId?.id).join()}`;
}

describe('a day with a runtime that is away now and then', () => {
  it.each([1, 2])(
    'loses no pod and doubles none (seed %i)',
    async (seed) => {
      const day = new Day(seed);
      await day.live();
      expect(day.lookedAway).toBeGreaterThan(100);
      expect(day.lacks).toBeGreaterThan(20);
    },
    120_000,
  );
});
