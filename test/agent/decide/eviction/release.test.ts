import { describe, expect, it } from 'vitest';
import {
  adoptPending,
  evictionEnded,
  evictionStarted,
  evictionsGoOn,
} from '../../../../agent/decide/eviction/release.ts';
import { NO_HISTORY, podKey } from '../../../../agent/decide/eviction/state.ts';
import type { EvictionOrder, PendingRelease } from '../../../../agent/model/eviction.ts';
import { hard, policyOf, Story } from '../../../fakes/eviction.ts';
import { MI, memoryPod, type UsedPod, used } from '../../../fakes/ranking.ts';

const POLICY = policyOf([hard('memory.available', '1000Mi')], { backOffMs: 60_000, unmeasured: 'evict' });

function orderFor(one: UsedPod): EvictionOrder {
  const story = new Story(POLICY);
  story.look(0, { 'memory.available': '600Mi' }, { pods: [one] });
  const [order] = story.orders;
  if (order === undefined) throw new Error('nothing was decided');
  return order;
}

const RELEASE: PendingRelease = {
  namespace: 'default',
  name: 'a',
  uid: 'uid-a',
  cgroupUid: 'uid-a',
  evictedAtMs: 7,
  gracePeriodSeconds: 1,
  usage: { memoryWorkingSetBytes: 500n * MI },
  shortage: { signal: 'memory.available', available: 600n * MI, back: 0n },
};

describe('an eviction that was begun', () => {
  it('is pending with what the pod used', () => {
    const state = evictionStarted(NO_HISTORY, orderFor(memoryPod('a', 500)), 7);
    expect(state).toEqual({ ...NO_HISTORY, pending: [RELEASE] });
  });
  it('has no UID where the pod has none', () => {
    const state = evictionStarted(NO_HISTORY, orderFor(used('a', { uid: '' })), 7);
    expect(state.pending).toEqual([
      {
        namespace: 'default',
        name: 'a',
        evictedAtMs: 7,
        gracePeriodSeconds: 1,
        usage: undefined,
        shortage: RELEASE.shortage,
      },
    ]);
  });
  it('is pending once, last of all, from its last beginning', () => {
    const first = evictionStarted(NO_HISTORY, orderFor(memoryPod('a', 500)), 1);
    const second = evictionStarted(first, orderFor(memoryPod('b', 500)), 2);
    const again = evictionStarted(second, orderFor(memoryPod('a', 500)), 7);
    expect(again.pending.map(({ name, evictedAtMs }) => [name, evictedAtMs])).toEqual([
      ['b', 2],
      ['a', 7],
    ]);
  });
});

describe('an eviction that has ended', () => {
  const order = orderFor(memoryPod('a', 500));
  const begun = evictionStarted(evictionStarted(NO_HISTORY, orderFor(memoryPod('b', 1)), 1), order, 7);

  it('gone: counts on until what it used is back, and the pod is passed over for the back-off', () => {
    const state = evictionEnded(begun, order, { outcome: { kind: 'gone' }, atMs: 1000 }, POLICY);
    expect(state).toEqual({
      ...NO_HISTORY,
      pending: [...begun.pending.slice(0, 1), { ...RELEASE, goneAtMs: 1000 }],
      backOffUntilMs: new Map([['uid-a', 61_000]]),
    });
  });
  it('gone after its time was over: counts from what was known when it was ordered', () => {
    const late = { ...NO_HISTORY, backOffUntilMs: new Map([['uid-a', 900]]) };
    const { pending } = evictionEnded(late, order, { outcome: { kind: 'gone' }, atMs: 1000 }, POLICY);
    expect(pending).toEqual([{ ...RELEASE, evictedAtMs: 1000, goneAtMs: 1000 }]);
  });
  it('gone after it had left the list and all was back: nothing counts any more', () => {
    const { pending } = evictionEnded(NO_HISTORY, order, { outcome: { kind: 'gone' }, atMs: 1000 }, POLICY);
    expect(pending).toEqual([]);
  });
  it.each([{ kind: 'gone' }, { kind: 'still-there', why: 'x' }, { kind: 'refused', why: 'x' }] as const)(
    '$kind after it had left the list: counts as from then, no longer and no shorter',
    (outcome) => {
      const settling = { ...RELEASE, goneAtMs: 500 };
      const left = { ...NO_HISTORY, pending: [settling] };
      expect(evictionEnded(left, order, { outcome, atMs: 1000 }, POLICY)).toEqual({
        ...left,
        backOffUntilMs: new Map([['uid-a', 61_000]]),
      });
    },
  );
  it('gone for a limit of its own: no shortage waits for it', () => {
    const cause = { kind: 'storage-limit', limit: 'emptydirfs.limit', message: 'm' } as const;
    const own = { ...order, cause };
    const started = evictionStarted(NO_HISTORY, own, 7);
    const { pending } = evictionEnded(started, own, { outcome: { kind: 'gone' }, atMs: 1000 }, POLICY);
    expect([started.pending[0]?.shortage, pending]).toEqual([undefined, []]);
  });

  it.each([
    { kind: 'still-there', why: 'x' },
    { kind: 'refused', why: 'x' },
  ] as const)('$kind: is not pending, and the pod is passed over for the back-off', (outcome) => {
    const state = evictionEnded(begun, order, { outcome, atMs: 1000 }, POLICY);
    expect(state).toEqual({
      ...NO_HISTORY,
      pending: begun.pending.slice(0, 1),
      backOffUntilMs: new Map([['uid-a', 61_000]]),
    });
  });
  it('dry-run: changes nothing', () => {
    expect(evictionEnded(begun, order, { outcome: { kind: 'dry-run' }, atMs: 1000 }, POLICY)).toBe(begun);
  });
});

describe('evictions of a former run', () => {
  it('are pending, before those of this one, and never from the future', () => {
    const begun = evictionStarted(NO_HISTORY, orderFor(memoryPod('b', 1)), 9);
    const late = { ...RELEASE, name: 'c', uid: 'uid-c', evictedAtMs: 11 };
    const listed = { atMs: 10, pods: [memoryPod('a', 500).pod, memoryPod('c', 500).pod] };
    const state = adoptPending(begun, [RELEASE, late], listed, POLICY);
    expect(state.pending).toEqual([RELEASE, { ...late, evictedAtMs: 10 }, ...begun.pending]);
  });
  it('that are known already are not taken over', () => {
    const begun = evictionStarted(NO_HISTORY, orderFor(memoryPod('a', 500)), 9);
    expect(adoptPending(begun, [RELEASE], { atMs: 10, pods: [] }, POLICY)).toEqual(begun);
  });
  it('keep this one from taking a second pod for the same shortage', () => {
    const pods = [memoryPod('a', 500), memoryPod('b', 400)];
    const story = new Story(POLICY);
    const listed = { atMs: 1000, pods: pods.map(({ pod }) => pod) };
    story.state = adoptPending(story.state, [RELEASE], listed, POLICY);
    expect(story.look(1, { 'memory.available': '600Mi' }, { pods }).evict).toEqual([]);
    expect(story.look(32, { 'memory.available': '600Mi' }, { pods }).evict).toEqual([
      'b memory.available hard 1',
    ]);
    expect(story.failed).toEqual([RELEASE]);
  });
});

it('a pod is remembered by its UID, without one by its name', () => {
  expect(podKey({ namespace: 'n', name: 'a', uid: 'u' })).toBe('u');
  expect(podKey({ namespace: 'n', name: 'a' })).toBe('n/a');
});

describe('evictions that go on', () => {
  const order = orderFor(memoryPod('a', 500));
  const place = { cgroup: 'kubepods/poduid-a', inode: 7n };
  const running = [{ order, place, startedAtMs: 7 }];
  const listed = { atMs: 1000, pods: [order.pod] };
  const unlisted = { atMs: 1000, pods: [] };
  const unfinished = { cause: order.cause, place };
  const passedOver = { ...NO_HISTORY, backOffUntilMs: new Map([['uid-a', 61_000]]) };

  it('are pending and no more than that while they have time', () => {
    const state = { ...NO_HISTORY, pending: [RELEASE] };
    expect(evictionsGoOn(state, running, listed, POLICY)).toBe(state);
    expect(evictionsGoOn(state, running, unlisted, POLICY)).toBe(state);
    expect(evictionsGoOn(NO_HISTORY, [], listed, POLICY)).toBe(NO_HISTORY);
  });
  it('are passed over for the back-off once their time is over, as others are already', () => {
    const state = { ...NO_HISTORY, backOffUntilMs: new Map([['uid-b', 5]]) };
    const late = { atMs: 31_007, pods: [order.pod] };
    expect(evictionsGoOn(state, running, late, POLICY)).toEqual({
      ...NO_HISTORY,
      backOffUntilMs: new Map([
        ['uid-b', 5],
        ['uid-a', 91_007],
      ]),
    });
    expect(evictionsGoOn(NO_HISTORY, running, { ...late, atMs: 31_006 }, POLICY).pending).toHaveLength(1);
  });
  it('are pending as before where the pod had left the list and is on it again, with what it used last', () => {
    const usage = { memoryWorkingSetBytes: 700n * MI };
    const state = { ...NO_HISTORY, pending: [{ ...RELEASE, usage, evictedAtMs: 5, goneAtMs: 900 }] };
    const again = { ...RELEASE, usage, evictedAtMs: 5, unfinished };
    expect(evictionsGoOn(state, running, listed, POLICY)).toEqual({ ...NO_HISTORY, pending: [again] });
  });
  it('are pending again also where all that the pod used had counted as back meanwhile', () => {
    expect(evictionsGoOn(NO_HISTORY, running, listed, POLICY)).toEqual({
      ...NO_HISTORY,
      pending: [{ ...RELEASE, unfinished }],
    });
  });
  it('settle where the pod is not listed, has finished, or is on an old list only', () => {
    const state = { ...NO_HISTORY, pending: [{ ...RELEASE, goneAtMs: 900 }] };
    const finished = { atMs: 1000, pods: [{ ...order.pod, phase: 'Failed' } as const] };
    for (const list of [unlisted, finished, { ...listed, podsAgeMs: 60_001 }]) {
      expect(evictionsGoOn(state, running, list, POLICY)).toBe(state);
      expect(evictionsGoOn(NO_HISTORY, running, list, POLICY)).toEqual(passedOver);
    }
  });
});
