import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EvictionOutcome, PendingRelease } from '../../agent/model/eviction.ts';
import type { Pod } from '../../agent/model/pod.ts';
import type { Evictor } from '../../agent/ports.ts';
import { hard, policyOf, Story } from '../fakes/eviction.ts';
import { podOf } from '../fakes/pods.ts';
import { MI, memoryPod } from '../fakes/ranking.ts';
import { ShortNode } from '../fakes/short-node.ts';

const WEB = pod('web');
const DB = pod('db');

function pod(name: string): Pod {
  return podOf({ metadata: { namespace: 'shop', name, uid: `uid-${name}` } });
}

/** A node whose first eviction comes to its end when a test says so; the others go on for ever. */
function waitingNode(): { readonly node: ShortNode; readonly end: (outcome: EvictionOutcome) => void } {
  let end: (outcome: EvictionOutcome) => void = () => undefined;
  const first = new Promise<EvictionOutcome>((resolve) => {
    end = resolve;
  });
  let calls = 0;
  const evictor: Evictor = {
    name: 'api',
    evict: () => {
      calls += 1;
      return calls === 1 ? first : new Promise<never>(() => undefined);
    },
  };
  const node = new ShortNode(() => evictor);
  node.pods = [WEB, DB];
  node.used = new Map([
    ['uid-web', 300n * MI],
    ['uid-db', 200n * MI],
  ]);
  return { node, end };
}

describe('an evicted pod that leaves the list before its evictor says that it is gone', () => {
  it('takes no second one in that gap, nor while what it used is on its way back', async () => {
    const { node, end } = waitingNode();
    await node.look(0);
    node.pods = [DB];
    await node.look(1);
    await node.look(2);
    end({ kind: 'gone' });
    await node.look(3);
    await node.look(5);
    node.available = '350Mi';
    await node.look(6);
    expect(node.told).toEqual(['evicting web', 'gone web']);
    expect(node.turn.pending).toEqual([]);
  });

  it.each<EvictionOutcome>([
    { kind: 'gone' },
    { kind: 'still-there', why: 'nobody answers' },
    { kind: 'refused', why: 'nobody answers' },
  ])(
    'is waited for ten seconds from when it left the list, although its evictor says $kind later',
    async (outcome) => {
      const { node, end } = waitingNode();
      await node.look(0);
      node.pods = [DB];
      await node.look(1);
      end(outcome);
      await node.look(8);
      await node.look(10.9);
      expect(node.told.filter((line) => line.startsWith('evicting'))).toEqual(['evicting web']);
      await node.look(11);
      expect(node.told.at(-1)).toBe('evicting db');
    },
  );

  it('is not counted anew when its evictor says so after all of it was back', async () => {
    const { node, end } = waitingNode();
    await node.look(0);
    node.pods = [DB];
    node.available = '350Mi';
    await node.look(1);
    expect(node.turn.pending).toEqual([]);
    end({ kind: 'gone' });
    node.available = '50Mi';
    await node.look(2);
    expect(node.told).toEqual(['evicting web', 'gone web', 'evicting db']);
  });
});

describe('a list that has less for a while', () => {
  it.each([
    ['a moment', [1]],
    ['longer than what it used is waited for', [1, 5, 12]],
  ])('%s: whoever is being ended counts for all of its time once it is listed again', async (_, blanks) => {
    const { node, end } = waitingNode();
    await node.look(0);
    node.pods = [];
    for (const atSeconds of blanks) await node.look(atSeconds);
    node.pods = [WEB, DB];
    for (const atSeconds of [13, 20, 30.9]) await node.look(atSeconds);
    expect(node.told).toEqual(['evicting web']);
    expect(node.turn.pending).toMatchObject([{ name: 'web', evictedAtMs: 1000 }]);
    end({ kind: 'still-there', why: 'it hangs' });
    await node.look(31);
    expect(node.told).toEqual(['evicting web', 'still-there web: it hangs', 'evicting db']);
  });
});

describe('an eviction of a former run whose pod is on no list', () => {
  const left: PendingRelease = {
    ...{ namespace: 'shop', name: 'web', uid: 'uid-web', evictedAtMs: 1000, gracePeriodSeconds: 1 },
    usage: { memoryWorkingSetBytes: 300n * MI },
    shortage: { signal: 'memory.available', available: 50n * MI, back: 0n },
  };

  it('counts no more: nobody knows when the pod went', async () => {
    const { node } = waitingNode();
    node.pods = [DB];
    node.turn.adopt([left]);
    await node.look(5);
    expect(node.told).toEqual(['evicting db']);
  });
  it('counts ten seconds from when the former run saw it go', async () => {
    const { node } = waitingNode();
    node.pods = [DB];
    node.turn.adopt([{ ...left, goneAtMs: 2000 }]);
    await node.look(10.9);
    expect(node.told).toEqual([]);
    await node.look(11);
    expect(node.told).toEqual(['evicting db']);
  });
});

it('whenever list and evictor tell of it, nobody else goes until it is back or ten seconds have passed', () => {
  const step = fc.record({
    afterMs: fc.integer({ min: 1, max: 4000 }),
    isListed: fc.boolean(),
    comesBackMi: fc.integer({ min: 0, max: 40 }),
    outcome: fc.constantFrom<(EvictionOutcome | undefined)[]>(
      { kind: 'gone' },
      { kind: 'still-there', why: 'x' },
      undefined,
    ),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const [a, b] = [memoryPod('a', 500), memoryPod('b', 400)];
      const story = new Story(policyOf([hard('memory.available', '1000Mi')]));
      story.look(0, { 'memory.available': '600Mi' }, { pods: [a, b] });
      const { orders } = story;
      let [atMs, endedAtMs, availableMi] = [0, Number.POSITIVE_INFINITY, 600];
      let hasLeft = false;
      for (const { afterMs, isListed, comesBackMi, outcome } of steps) {
        atMs += afterMs;
        availableMi += comesBackMi;
        hasLeft ||= !isListed;
        if (hasLeft) endedAtMs = Math.min(endedAtMs, atMs);
        const pods = hasLeft ? [b] : [a, b];
        const told = story.look(atMs / 1000, { 'memory.available': `${availableMi}Mi` }, { pods });
        if (atMs - endedAtMs >= 10_000 || atMs >= 31_000) break;
        expect(told.evict).toEqual([]);
        if (outcome === undefined || (outcome.kind !== 'gone' && !hasLeft)) continue;
        story.orders = orders;
        story.end(atMs / 1000, outcome);
        endedAtMs = Math.min(endedAtMs, atMs);
      }
    }),
  );
});
