import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiEvictorParts, createApiEvictor } from '../../../agent/act/evict/evict-api.ts';
import type { EvictionOutcome } from '../../../agent/model/eviction.ts';
import type { ApiClient } from '../../../agent/peers/api/api-client.ts';
import { ApiServer } from '../../fakes/api-server/api-server.ts';
import { AGENT, clientOf, SECRET_TOKEN } from '../../fakes/api-server/client-of.ts';
import { Evictions } from '../../fakes/api-server/eviction.ts';
import { FastClock } from '../../fakes/fast-clock.ts';
import { podOf } from '../../fakes/pods.ts';

const CACHE = { namespace: 'shop', name: 'cache', uid: 'u1' };
const POD = '/api/v1/namespaces/shop/pods/cache';
/** A second of the evictor's takes 20 ms. */
const clock = new FastClock(50);
let server: ApiServer;
let client: ApiClient;
let forget: () => void;
let evictions: Evictions;

beforeEach(async () => {
  server = new ApiServer();
  await server.start();
  evictions = new Evictions(server);
  // Its deadline is no part of these cases: it would pass fifty times too fast.
  ({ client, forget } = await clientOf(server, new FastClock(1)));
  server.store.put('pods', { metadata: CACHE });
});

afterEach(async () => {
  forget();
  await server.stop();
});

async function evicted(
  more: Partial<ApiEvictorParts> = {},
  gracePeriodSeconds = 1,
): Promise<EvictionOutcome> {
  const evictor = createApiEvictor({ client, clock, budgetRefused: 'pass-over', ...more });
  const target = { pod: podOf({ metadata: CACHE }), place: undefined, gracePeriodSeconds };
  return await evictor.evict(target, new AbortController().signal);
}

function writes(): readonly string[] {
  return server.requests
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`);
}

describe('over the wire, the API evictor', () => {
  it('makes a pod go with its grace, and only asks what it needs', async () => {
    expect(await evicted({}, 30)).toEqual({ kind: 'gone' });
    expect(evictions.told).toEqual([
      { pod: 'shop/cache', uid: 'u1', way: 'evicted', gracePeriodSeconds: 30 },
    ]);
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      path: `${POD}/eviction`,
      query: {},
      user: AGENT,
      body: {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'cache', namespace: 'shop' },
        deleteOptions: { gracePeriodSeconds: 30, preconditions: { uid: 'u1' } },
      },
    });
    expect(server.requests[0]?.headers['content-type']).toBe('application/json');
    expect(new Set(server.requests.slice(1).map(({ method, path }) => `${method} ${path}`))).toEqual(
      new Set([`GET ${POD}`]),
    );
    expect(server.store.get('pods', 'cache', 'shop')).toBeUndefined();
  });

  it('leaves a pod alone that was made again under the name', async () => {
    server.store.remove('pods', 'cache', 'shop');
    server.store.put('pods', { metadata: { ...CACHE, uid: 'u2' } });
    expect(await evicted()).toEqual({ kind: 'gone' });
    expect(evictions.told).toEqual([]);
    expect(server.store.get('pods', 'cache', 'shop')?.metadata).toMatchObject({ uid: 'u2' });
    expect(server.store.get('pods', 'cache', 'shop')?.metadata).not.toHaveProperty('deletionTimestamp');
  });

  it('takes a pod for gone that comes again while it is waited for', async () => {
    evictions.kubeletMs = undefined;
    const outcome = evicted({}, 30);
    await expect.poll(() => evictions.told.length).toBe(1);
    server.store.remove('pods', 'cache', 'shop');
    server.store.put('pods', { metadata: { ...CACHE, uid: 'u2' } });
    expect(await outcome).toEqual({ kind: 'gone' });
    expect(evictions.told).toHaveLength(1);
  });

  it('says what a budget says, and touches nothing', async () => {
    evictions.budgets.push({ name: 'cache-budget', needed: 2, healthy: 2, pods: ['shop/cache'] });
    expect(await evicted()).toEqual({
      kind: 'refused',
      why: 'a PodDisruptionBudget refuses it: The disruption budget cache-budget needs 2 healthy pods and has 2 currently',
    });
    expect(evictions.told).toEqual([]);
    expect(server.store.get('pods', 'cache', 'shop')?.metadata).not.toHaveProperty('deletionTimestamp');
  });

  it('asks a budget again until it allows it, where the operator says so', async () => {
    const budget = { name: 'cache-budget', needed: 2, healthy: 2, pods: ['shop/cache'] };
    evictions.budgets.push(budget);
    const outcome = evicted({ budgetRefused: 'retry' });
    await expect.poll(() => writes().length).toBeGreaterThan(0);
    budget.healthy = 3;
    expect(await outcome).toEqual({ kind: 'gone' });
    expect(new Set(writes())).toEqual(new Set([`POST ${POD}/eviction`]));
    expect(evictions.told).toHaveLength(1);
  });

  it('deletes with the same grace and the same UID, where the operator says so', async () => {
    evictions.budgets.push({ name: 'b', needed: 2, healthy: 2, pods: ['shop/cache'] });
    expect(await evicted({ budgetRefused: 'delete' }, 20)).toEqual({ kind: 'gone' });
    expect(writes()).toEqual([`POST ${POD}/eviction`, `DELETE ${POD}`]);
    expect(evictions.told).toEqual([
      { pod: 'shop/cache', uid: 'u1', way: 'deleted', gracePeriodSeconds: 20 },
    ]);
  });

  it('takes two budgets on one pod for a refusal', async () => {
    for (const name of ['a', 'b'])
      evictions.budgets.push({ name, needed: 0, healthy: 9, pods: ['shop/cache'] });
    expect(await evicted()).toEqual({
      kind: 'refused',
      why: 'a PodDisruptionBudget refuses it: This pod has more than one PodDisruptionBudget, which the eviction subresource does not support',
    });
  });

  it('names the permission that lacks, and never the token', async () => {
    server.forbidden.add('create pods/eviction');
    const outcome = await evicted();
    expect(outcome).toEqual({
      kind: 'refused',
      why: `${client.name} does not let nodeqos (as ${AGENT}) create pods/eviction; allow it the verb "create" on pods/eviction in a ClusterRole`,
    });
    server.tokens.clear();
    const unknown = await evicted();
    expect(unknown).toMatchObject({ kind: 'refused' });
    expect(JSON.stringify([outcome, unknown])).not.toContain(SECRET_TOKEN);
  });

  it('gets over a server that is away for a moment, and one that is busy', async () => {
    server.misbehave({ kind: 'drop' }, { verb: 'create' });
    server.misbehave(
      { kind: 'status', code: 429, reason: 'TooManyRequests', message: 'busy' },
      { verb: 'create' },
    );
    server.misbehave(
      { kind: 'status', code: 500, reason: 'InternalError', message: 'no leader' },
      { verb: 'get' },
    );
    expect(await evicted()).toEqual({ kind: 'gone' });
    expect(writes()).toHaveLength(3);
    expect(evictions.told).toHaveLength(1);
  });

  it('gives up on a server that stays away', async () => {
    await server.stop();
    expect(await evicted()).toEqual({
      kind: 'still-there',
      why: `the API server did not take it, asked 5 times: ${client.name} does not listen there; check the address, and whether it runs`,
    });
  });

  it('says that finalizers hold a pod, and that a kubelet does not answer', async () => {
    server.store.put('pods', { metadata: { ...CACHE, finalizers: ['shop.example/drain'] } });
    expect(await evicted({ longestDyingMs: 4000 })).toMatchObject({
      kind: 'still-there',
      why: expect.stringContaining('it waits for its finalizers shop.example/drain') as string,
    });
    evictions.kubeletMs = undefined;
    server.store.put('pods', { metadata: CACHE });
    expect(await evicted({ longestDyingMs: 4000 })).toMatchObject({
      kind: 'still-there',
      why: expect.stringContaining('its kubelet has not said that it did') as string,
    });
    expect(evictions.told.map(({ gracePeriodSeconds }) => gracePeriodSeconds)).toEqual([1, 1]);
  });
});
