import { beforeEach, describe, expect, it } from 'vitest';
import { createCriEvictor } from '../../../../agent/act/evict/evict-cri.ts';
import type { EvictionOutcome } from '../../../../agent/model/eviction.ts';
import type { Pod } from '../../../../agent/model/pod.ts';
import type { PodPlace } from '../../../../agent/ports.ts';
import { FakeRuntime } from '../../../fakes/fake-runtime.ts';
import { podOf } from '../../../fakes/pods.ts';

const UID = '6a4f2e3b-1c9d-4a5e-8f7b-2d3e4f5a6b7c';
const PLACE: PodPlace = { cgroup: `kubepods/burstable/pod${UID}`, inode: 7n };
const LISTS = ['0 sandboxes', '0 containers'];

let runtime: FakeRuntime;

beforeEach(() => {
  runtime = new FakeRuntime();
  runtime.sandbox('s1', UID);
  runtime.container('app', 's1', 1500);
  runtime.container('proxy', 's1');
});

function cart(metadata: object = {}): Pod {
  return podOf({ name: 'cart', metadata: { namespace: 'shop', uid: UID, ...metadata } });
}

interface Wish {
  readonly pod?: Pod;
  readonly place?: PodPlace | undefined;
  readonly graceS?: number;
  readonly removes?: boolean;
  /** What happens at which time, in order. */
  readonly at?: readonly (readonly [number, () => void])[];
  readonly signal?: AbortSignal;
}

async function evicted(wish: Wish = {}): Promise<{ outcome: EvictionOutcome; tookMs: number }> {
  const { pod = cart(), graceS = 3, removes = false, at = [], signal = new AbortController().signal } = wish;
  const place = 'place' in wish ? wish.place : PLACE;
  const { client, control, clock, ownPid } = runtime;
  const evictor = createCriEvictor({ client, control, clock, ownPid, removes });
  let endedAtMs: number | undefined;
  const going = evictor.evict({ pod, place, gracePeriodSeconds: graceS }, signal).finally(() => {
    endedAtMs = clock.nowMs();
  });
  for (const [ms, happen] of at) {
    await clock.advance(ms - clock.nowMs());
    happen();
  }
  for (let step = 0; step < 1000 && endedAtMs === undefined; step += 1) await clock.advance(50);
  const outcome = await going;
  expect(runtime.held).toBe(0);
  return { outcome, tookMs: endedAtMs ?? Number.NaN };
}

describe('an eviction through the runtime', () => {
  it('keeps the grace: every container is stopped at the same time with it, and then the sandbox', async () => {
    const { outcome, tookMs } = await evicted();
    expect(outcome).toEqual({ kind: 'gone' });
    expect(runtime.log).toEqual([...LISTS, '0 stop app 3', '0 stop proxy 3', '3000 stopSandbox s1']);
    expect(tookMs).toBeGreaterThanOrEqual(3000);
    expect(runtime.sandboxIds).toEqual(['s1']);
  });

  it('goes on as soon as all have ended', async () => {
    runtime = new FakeRuntime();
    runtime.sandbox('s1', UID);
    runtime.container('app', 's1', 1500);
    expect((await evicted({ graceS: 30 })).outcome).toEqual({ kind: 'gone' });
    expect(runtime.log.at(-1)).toBe('1500 stopSandbox s1');
  });

  it('removes the sandbox where nobody else does', async () => {
    expect((await evicted({ removes: true })).outcome).toEqual({ kind: 'gone' });
    expect(runtime.sandboxIds).toEqual([]);
  });

  it('is gone all the same where the sandbox cannot be removed', async () => {
    runtime.fails.add('removeSandbox s1');
    expect((await evicted({ removes: true })).outcome).toEqual({ kind: 'gone' });
  });

  it('stops what is in all sandboxes of the pod, and leaves alone what has ended', async () => {
    runtime.sandbox('s0', UID, 'cart', false);
    runtime.container('old', 's0', 10);
    runtime.container('init', 's1', 10, 'exited');
    runtime.container('soon', 's1', 10, 'created');
    expect((await evicted()).outcome).toEqual({ kind: 'gone' });
    const stops = runtime.log.filter((line) => line.includes('stop ')).map((line) => line.split(' ')[2]);
    expect(stops).toEqual(['app', 'proxy', 'old', 'soon']);
    expect(runtime.log.slice(-2)).toEqual(['3000 stopSandbox s1', '3000 stopSandbox s0']);
  });

  it('takes a pod with a controller and one without alike: the runtime knows of none', async () => {
    const owned = cart({ ownerReferences: [{ kind: 'DaemonSet', controller: true }] });
    expect((await evicted({ pod: owned })).outcome).toEqual({ kind: 'gone' });
  });

  it('goes by the hash of a mirror pod, which is what the runtime was told', async () => {
    const annotations = { 'kubernetes.io/config.mirror': UID, 'kubernetes.io/config.hash': UID };
    const mirror = cart({ uid: 'of-the-api', annotations });
    expect((await evicted({ pod: mirror })).outcome).toEqual({ kind: 'gone' });
  });

  it('needs no cgroup: the runtime says when it is gone', async () => {
    expect((await evicted({ place: undefined })).outcome).toEqual({ kind: 'gone' });
  });

  it('a pod that is gone from runtime and tree is gone', async () => {
    runtime = new FakeRuntime();
    runtime.cgroup.isThere = false;
    expect((await evicted()).outcome).toEqual({ kind: 'gone' });
    expect(runtime.log).toEqual(LISTS);
  });
});

describe('whom an eviction through the runtime never touches', () => {
  const untouched = (): void => {
    expect(runtime.log.filter((line) => /stop|remove/.test(line))).toEqual([]);
  };

  it('a pod of the same name with another UID', async () => {
    runtime = new FakeRuntime();
    runtime.sandbox('s2', 'another');
    runtime.container('app', 's2', 10);
    expect((await evicted()).outcome).toEqual({
      kind: 'refused',
      why: 'the container runtime at /cri.sock has no pod with its UID, and its cgroup is not empty',
    });
    untouched();
  });

  it('one that is made under its name while it goes', async () => {
    const { outcome } = await evicted({
      at: [
        [
          1000,
          () => {
            runtime.sandbox('s2', 'another', 'cart', false);
            runtime.container('new', 's2', 10, 'created');
          },
        ],
      ],
      removes: true,
    });
    expect(outcome).toEqual({ kind: 'gone' });
    expect(runtime.sandboxIds).toEqual(['s2']);
    expect(runtime.log.join()).not.toMatch(/s2|new/);
  });

  it('a pod of another name that has its UID by now', async () => {
    runtime = new FakeRuntime();
    runtime.sandbox('s2', UID, 'other');
    expect((await evicted()).outcome).toEqual({
      kind: 'refused',
      why: 'the container runtime at /cri.sock has its UID as that of shop/other; it is left alone',
    });
    untouched();
  });

  it('one whose cgroup was made anew', async () => {
    runtime.cgroup.inode = 8n;
    expect((await evicted()).outcome).toEqual({ kind: 'refused', why: `${PLACE.cgroup} was made anew` });
    expect(runtime.log).toEqual([]);
  });

  it('one whose cgroup carries another UID', async () => {
    const place = { cgroup: 'kubepods/burstable/podother', inode: 7n };
    expect((await evicted({ place })).outcome).toEqual({
      kind: 'refused',
      why: 'kubepods/burstable/podother does not carry the UID of the pod; it is left alone',
    });
    expect(runtime.log).toEqual([]);
  });

  it('one without a UID', async () => {
    const pod = cart({ uid: null });
    expect((await evicted({ pod, place: undefined })).outcome).toEqual({
      kind: 'refused',
      why: 'it has no UID by which the container runtime could know it',
    });
    untouched();
  });

  it('its own pod', async () => {
    runtime.ownPid = 4711;
    expect((await evicted()).outcome).toEqual({ kind: 'refused', why: 'nodeqos itself runs in this pod' });
    expect(runtime.log).toEqual([]);
  });
});

describe('a runtime that does not do it', () => {
  it('and does not answer is a refusal, in which nothing was done', async () => {
    runtime.fails.add('containers');
    expect((await evicted()).outcome).toEqual({ kind: 'refused', why: 'containers failed' });
  });

  it('for one container takes no grace from the others, and the sandbox ends what is left', async () => {
    runtime.fails.add('stop app');
    expect((await evicted()).outcome).toEqual({ kind: 'gone' });
    expect(runtime.log).toEqual([...LISTS, '0 stop app 3', '0 stop proxy 3', '3000 stopSandbox s1']);
  });

  it('for any container leaves them their grace all the same', async () => {
    runtime.fails.add('stop app').add('stop proxy');
    expect((await evicted()).outcome).toEqual({ kind: 'gone' });
    expect(Number(runtime.log.at(-1)?.split(' ')[0])).toBeGreaterThanOrEqual(3000);
  });

  it('for the sandbox has not ended the pod', async () => {
    runtime.fails.add('stopSandbox s1');
    expect((await evicted()).outcome).toEqual({ kind: 'still-there', why: 'stopSandbox s1 failed' });
  });

  it('for the sandbox, of a pod without cgroup, neither', async () => {
    runtime.fails.add('stopSandbox s1');
    expect((await evicted({ place: undefined })).outcome).toEqual({
      kind: 'still-there',
      why: 'stopSandbox s1 failed',
    });
  });

  it('and hangs is given up 29 s after the grace', async () => {
    runtime.hangs.add('stop proxy');
    const { outcome, tookMs } = await evicted();
    expect(outcome).toEqual({
      kind: 'still-there',
      why: 'it is still there 32 s after it was told to go: stopSandbox s1 failed',
    });
    expect(tookMs).toBe(32_000);
  });

  it('and says that it did, while something runs on, is not believed', async () => {
    runtime.isStuck = true;
    expect((await evicted()).outcome).toEqual({
      kind: 'still-there',
      why: 'it is still there 32 s after it was told to go',
    });
  });
});

describe('when the agent ends', () => {
  it('before it begins, nothing is done', async () => {
    expect((await evicted({ signal: AbortSignal.abort() })).outcome).toEqual({
      kind: 'still-there',
      why: 'the agent ended before anything was done',
    });
    expect(runtime.log).toEqual([]);
  });

  it('during the grace, the sandbox is left', async () => {
    const end = new AbortController();
    const at = [
      [
        2000,
        () => {
          end.abort();
        },
      ],
    ] as const;
    const { outcome } = await evicted({ signal: end.signal, at });
    expect(outcome).toEqual({
      kind: 'still-there',
      why: 'the agent ended before the grace was over; its sandbox was left',
    });
    expect(runtime.log.join()).not.toContain('stopSandbox');
  });

  it('after it was stopped, that is told', async () => {
    runtime.isStuck = true;
    const end = new AbortController();
    const at = [
      [
        9000,
        () => {
          end.abort();
        },
      ],
    ] as const;
    expect((await evicted({ signal: end.signal, at })).outcome).toEqual({
      kind: 'still-there',
      why: 'it was stopped, and the agent ended before it was gone',
    });
  });
});
