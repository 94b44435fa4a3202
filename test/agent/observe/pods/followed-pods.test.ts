import { describe, expect, it } from 'vitest';
import { EXIT, Failure } from '../../../../agent/exit.ts';
import type { Pod } from '../../../../agent/model/pod.ts';
import type { PodsRead } from '../../../../agent/model/pods-read.ts';
import { FollowedPods } from '../../../../agent/observe/pods/followed-pods.ts';
import { followByPolling } from '../../../../agent/peers/polled.ts';
import type { FeedNews } from '../../../../agent/ports.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { podOf } from '../../../fakes/pods.ts';

const WEB = [podOf({ name: 'web' })];
const DB = [podOf({ name: 'db' })];
const AWAY = new Failure(EXIT.unavailable, 'the kubelet is away');

/** Followed pods whose feed is spoken for by the test. */
function followed(count: (pods: readonly Pod[]) => readonly Pod[] = (pods) => pods) {
  const clock = new FakeClock(1000);
  let say: ((news: FeedNews) => void) | undefined;
  let isFollowing = false;
  let wakes = 0;
  const pods = new FollowedPods({
    feed: {
      name: 'cri:/x.sock',
      list: () => Promise.resolve(undefined),
      follow: async (told, signal) => {
        say = told;
        isFollowing = true;
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve);
        });
        isFollowing = false;
      },
    },
    clock,
    count: (read) => count(read.pods),
    wake: () => {
      wakes += 1;
    },
  });
  const tell = (news: FeedNews): void => say?.(news);
  const list = (named: readonly Pod[]): void => {
    tell({ kind: 'pods', read: { pods: named, warnings: [] }, from: 'cri:/x.sock' });
  };
  return { pods, clock, tell, list, wakes: () => wakes, isFollowing: () => isFollowing };
}

describe('pods that are followed', () => {
  it('are not known before their source has said anything', () => {
    const { pods } = followed();
    pods.start();
    expect(pods.look(1000)).toEqual({ pods: undefined, ageMs: 0 });
  });

  it('are those that were told last, and of no age while their source is there', () => {
    const { pods, list, wakes } = followed();
    pods.start();
    list(WEB);
    expect(pods.look(5000)).toEqual({ pods: WEB, ageMs: 0, from: 'cri:/x.sock' });
    list(DB);
    expect(pods.look(6000)).toEqual({ pods: DB, ageMs: 0, from: 'cri:/x.sock' });
    expect(wakes()).toBe(2);
  });

  it('grow old from the moment at which their source went away, and are young again when it is back', async () => {
    const { pods, clock, tell, list } = followed();
    pods.start();
    list(WEB);
    await clock.advance(4000);
    tell({ kind: 'lack', failure: AWAY });
    await clock.advance(7000);
    const lack = 'the kubelet is away';
    expect(pods.look(clock.nowMs())).toEqual({ pods: WEB, ageMs: 7000, lack, from: 'cri:/x.sock' });
    expect(pods.failure).toBe(AWAY);
    list(WEB);
    expect(pods.look(clock.nowMs())).toEqual({ pods: WEB, ageMs: 0, from: 'cri:/x.sock' });
    expect(pods.failure).toBeUndefined();
  });

  it('stay as they were where what is told cannot be right', async () => {
    const { pods, clock, list } = followed((named) => {
      if (named === DB) throw new Failure(EXIT.badData, 'two pods have the UID u');
      return named;
    });
    pods.start();
    list(WEB);
    await clock.advance(2000);
    list(DB);
    await clock.advance(3000);
    const lack = 'two pods have the UID u';
    expect(pods.look(clock.nowMs())).toEqual({ pods: WEB, ageMs: 3000, lack, from: 'cri:/x.sock' });
  });

  it('are not known any more where nothing says which pods run', () => {
    const { pods, tell, list } = followed();
    pods.start();
    list(WEB);
    tell({ kind: 'none' });
    expect(pods.look(9000)).toEqual({ pods: undefined, ageMs: 0 });
    expect(pods.lastGood).toBeUndefined();
  });

  it('are those of another list until their source has answered', async () => {
    const { pods, clock, list } = followed();
    pods.adopt({ pods: WEB, atMs: 400 });
    pods.start();
    expect(pods.look(1000)).toEqual({ pods: WEB, ageMs: 600 });
    list(DB);
    pods.adopt({ pods: WEB, atMs: 400 });
    await clock.advance(100);
    expect(pods.look(clock.nowMs())).toEqual({ pods: DB, ageMs: 0, from: 'cri:/x.sock' });
    expect(pods.lastGood).toEqual({ pods: DB, atMs: 1100 });
  });

  it('are waited for until they are told, or until the time is over', async () => {
    const { pods, clock, list } = followed();
    pods.start();
    let heard = 0;
    const waiting = [pods.heard(500), pods.heard(90_000)].map((wait) =>
      wait.then(() => {
        heard += 1;
      }),
    );
    await clock.advance(499);
    expect(heard).toBe(0);
    await clock.advance(1);
    expect(heard).toBe(1);
    list(WEB);
    await Promise.all(waiting);
    await pods.heard(90_000);
  });

  it('are followed no more once they are let go', async () => {
    const { pods, clock, list, wakes, isFollowing } = followed();
    pods.start();
    list(WEB);
    pods.stop();
    await clock.advance(1);
    list(DB);
    expect([isFollowing(), wakes(), pods.look(2000).pods]).toEqual([false, 1, WEB]);
  });

  it('have a pod that appears by the second look, and one that went no longer, at the pace of the loop', async () => {
    const clock = new FakeClock();
    let answer: PodsRead = { pods: WEB, warnings: [] };
    const polled = {
      name: 'the runtime',
      list: () => Promise.resolve(answer),
      everyMs: 1000,
      deadlineMs: 5000,
      clock,
    };
    const pods = new FollowedPods({
      feed: {
        name: 'cri:/x.sock',
        list: () => Promise.resolve(undefined),
        follow: (told, signal) =>
          followByPolling(
            polled,
            (news) => {
              told(news.kind === 'pods' ? { ...news, from: 'cri:/x.sock' } : news);
            },
            signal,
          ),
      },
      clock,
      count: ({ pods: read }) => read,
      wake: () => undefined,
    });
    pods.start();
    await clock.advance(1500);
    answer = { pods: [...WEB, ...DB], warnings: [] };
    await clock.advance(2000);
    expect(pods.look(clock.nowMs()).pods?.map(({ name }) => name)).toEqual(['web', 'db']);
    answer = { pods: DB, warnings: [] };
    await clock.advance(2000);
    expect(pods.look(clock.nowMs()).pods?.map(({ name }) => name)).toEqual(['db']);
    pods.stop();
  });
});
