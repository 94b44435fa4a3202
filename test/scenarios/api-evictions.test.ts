import { describe, expect, it } from 'vitest';
import { createApiEvictor } from '../../agent/act/evict/evict-api.ts';
import type { PendingRelease } from '../../agent/model/eviction.ts';
import type { Pod } from '../../agent/model/pod.ts';
import type { Evictor } from '../../agent/ports.ts';
import { hard } from '../fakes/eviction.ts';
import type { FakeClock } from '../fakes/fake-clock.ts';
import { BUDGET, NEEDED } from '../fakes/played-eviction.ts';
import { podOf } from '../fakes/pods.ts';
import { answered, podNotFound, type ScriptedAnswer, ScriptedApi } from '../fakes/scripted-api.ts';
import { ShortNode } from '../fakes/short-node.ts';

const MI = 1024n * 1024n;
const THRESHOLD = hard('memory.available', '100Mi');

function pod(name: string, more: Partial<Pod> = {}): Pod {
  return { ...podOf({ metadata: { namespace: 'shop', name, uid: `uid-${name}` } }), ...more };
}

/** A node whose API server answers so, and everything that it was asked. */
function nodeWith(answer: (request: string) => ScriptedAnswer): { node: ShortNode; asked: string[] } {
  const asked: string[] = [];
  const evictor = (clock: FakeClock): Evictor => {
    const client = new ScriptedApi(clock, ({ method, path }) => {
      const request = `${method} ${path.slice('/api/v1/namespaces/shop/pods/'.length)}`;
      asked.push(request);
      return answer(request);
    });
    return createApiEvictor({ client, clock, budgetRefused: 'pass-over' });
  };
  return { node: new ShortNode(evictor), asked };
}

describe('a budget that refuses the first to go', () => {
  it('makes the next one go in the next look, and the first is passed over for the back-off', async () => {
    const { node } = nodeWith((request) => {
      if (request === 'POST web/eviction') return BUDGET;
      return request.startsWith('POST') ? answered({}, 201) : podNotFound('x');
    });
    node.pods = [pod('web'), pod('db'), pod('job')];
    node.used = new Map([
      ['uid-web', 300n * MI],
      ['uid-db', 200n * MI],
      ['uid-job', 100n * MI],
    ]);
    await node.look(0);
    await node.look(1);
    node.pods = [pod('web'), pod('job')];
    // What db has used is back, and it was not enough.
    node.available = '99Mi';
    await node.look(15);
    node.pods = [pod('web')];
    await node.look(30);
    await node.look(59);
    expect(node.told).toEqual([
      'evicting web',
      `refused web: a PodDisruptionBudget refuses it: ${NEEDED}`,
      'evicting db',
      'gone db',
      'evicting job',
      'gone job',
    ]);
    await node.look(62);
    expect(node.told.slice(6)).toEqual(['evicting web']);
    const second = node.events.find((event) => event.kind === 'evicting' && event.order.pod.name === 'db');
    expect(second?.kind === 'evicting' ? second.order.candidates : []).toMatchObject([
      {
        name: 'web',
        evictable: false,
        why: 'passed over: an eviction of it has just ended (eviction.backOff); uses 300Mi, all of it over, since it requests none; priority 0',
      },
      { name: 'db', evictable: true },
      { name: 'job', evictable: true },
    ]);
  });
});

describe('an eviction that a former run had begun through the API server', () => {
  const left: PendingRelease = {
    ...{ namespace: 'shop', name: 'web', uid: 'uid-web', evictedAtMs: 1000, gracePeriodSeconds: 20 },
    usage: { memoryWorkingSetBytes: 300n * MI },
    unfinished: {
      cause: { kind: 'threshold', threshold: THRESHOLD, available: 50n * MI, capacity: 1024n * MI },
    },
  };

  it('is waited for and not told again, although the tree knows no cgroup of it', async () => {
    let isThere = true;
    const { node, asked } = nodeWith(() =>
      isThere
        ? answered({ metadata: { uid: 'uid-web', deletionTimestamp: '2026-03-04T05:06:08Z' } })
        : podNotFound('web'),
    );
    node.inode = undefined;
    node.pods = [pod('web', { terminating: true }), pod('db')];
    node.turn.adopt([left]);
    await node.look(5);
    isThere = false;
    await node.look(7);
    await node.look(8);
    expect(node.told).toEqual(['gone web']);
    expect(new Set(asked)).toEqual(new Set(['GET web']));
  });

  it('that had not reached the server is told with all of its grace', async () => {
    const graces: unknown[] = [];
    const node = new ShortNode(() => ({
      name: 'api',
      evict: ({ gracePeriodSeconds }) => {
        graces.push(gracePeriodSeconds);
        return Promise.resolve({ kind: 'gone' });
      },
    }));
    node.pods = [pod('web')];
    node.turn.adopt([left]);
    await node.look(5);
    expect(graces).toEqual([20]);
  });

  it('is waited for also where its pod is protected by now, since nobody can take that back', async () => {
    const { node, asked } = nodeWith(() => podNotFound('web'));
    node.pods = [pod('web', { terminating: true, priority: 2_000_000_000 })];
    node.turn.adopt([left]);
    await node.look(5);
    await node.look(6);
    expect(node.told).toEqual(['gone web']);
    expect(asked).toEqual(['GET web']);
  });

  it('of a pod in another cgroup of the name is the same pod to the server, and another to cgroups', async () => {
    const placed = {
      ...left,
      unfinished: { ...left.unfinished, place: { cgroup: 'kubepods/poduid-web', inode: 6n } },
    };
    const { node, asked } = nodeWith(() => podNotFound('web'));
    node.pods = [pod('web', { terminating: true })];
    node.turn.adopt([placed as PendingRelease]);
    await node.look(5);
    expect(asked).toEqual(['GET web']);
    const called: string[] = [];
    const other = new ShortNode(() => ({
      name: 'cgroup',
      evict: ({ pod: { name } }) => {
        called.push(name);
        return Promise.resolve({ kind: 'gone' });
      },
    }));
    other.pods = [pod('web')];
    other.turn.adopt([placed as PendingRelease]);
    await other.look(5);
    await other.look(6);
    expect(called).toEqual([]);
    expect(other.told).toEqual(['gone web']);
  });

  it('is left to whoever began it by an evictor that knows pods by their cgroups only', async () => {
    const called: string[] = [];
    const node = new ShortNode(() => ({
      name: 'cgroup',
      evict: ({ pod: { name } }) => {
        called.push(name);
        return Promise.resolve({ kind: 'gone' });
      },
    }));
    node.pods = [pod('web', { terminating: true })];
    node.used = new Map([['uid-web', 300n * MI]]);
    node.turn.adopt([left]);
    await node.look(5);
    await node.look(6);
    expect(called).toEqual([]);
    expect(node.turn.pending.map(({ name }) => name)).toEqual(['web']);
  });
});

describe('an eviction that begins', () => {
  it('is on disk with its cause also where the tree knows no cgroup of the pod', async () => {
    const { node } = nodeWith((request) =>
      request.startsWith('POST') ? answered({}, 201) : answered({ metadata: { uid: 'uid-web' } }),
    );
    node.inode = undefined;
    node.pods = [pod('web')];
    node.used = new Map([['uid-web', 300n * MI]]);
    await node.look(0);
    expect(node.saved).toMatchObject([{ name: 'web', unfinished: { cause: { kind: 'threshold' } } }]);
    expect(node.saved[0]?.unfinished).not.toHaveProperty('place');
  });
});
