import { describe, expect, it } from 'vitest';
import {
  adoptPending,
  evictionEnded,
  evictionStarted,
  passOver,
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
  it('gone and not pending any more: counts from what was known when it was ordered', () => {
    const { pending } = evictionEnded(NO_HISTORY, order, { outcome: { kind: 'gone' }, atMs: 1000 }, POLICY);
    expect(pending).toEqual([{ ...RELEASE, evictedAtMs: 1000, goneAtMs: 1000 }]);
  });
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
    const state = adoptPending(begun, [RELEASE, late], 10);
    expect(state.pending).toEqual([RELEASE, { ...late, evictedAtMs: 10 }, ...begun.pending]);
  });
  it('that are known already are not taken over', () => {
    const begun = evictionStarted(NO_HISTORY, orderFor(memoryPod('a', 500)), 9);
    expect(adoptPending(begun, [RELEASE], 10)).toEqual(begun);
  });
  it('keep this one from taking a second pod for the same shortage', () => {
    const pods = [memoryPod('a', 500), memoryPod('b', 400)];
    const story = new Story(POLICY);
    story.state = adoptPending(story.state, [RELEASE], 1000);
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

describe('pods that are still being ended', () => {
  const { pod } = memoryPod('a', 500);

  it('are passed over for the back-off once their time is over, as others are already', () => {
    const state = { ...NO_HISTORY, backOffUntilMs: new Map([['uid-b', 5]]) };
    expect(passOver(state, [pod], 1000, POLICY)).toEqual({
      ...NO_HISTORY,
      backOffUntilMs: new Map([
        ['uid-b', 5],
        ['uid-a', 61_000],
      ]),
    });
  });
  it('are pending and no more than that while they have time', () => {
    const state = { ...NO_HISTORY, pending: [RELEASE] };
    expect(passOver(state, [pod], 1000, POLICY)).toBe(state);
    expect(passOver(NO_HISTORY, [], 1000, POLICY)).toBe(NO_HISTORY);
  });
});
