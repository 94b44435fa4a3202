import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EvictionOrder, EvictionOutcome } from '../../../../agent/model/eviction.ts';
import type { ApiClient } from '../../../../agent/peers/api/api-client.ts';
import { type ClosableSink, clusterEvents } from '../../../../agent/report/cluster/cluster-events.ts';
import { ApiServer } from '../../../fakes/api-server/api-server.ts';
import { AGENT, clientOf, SECRET_TOKEN } from '../../../fakes/api-server/client-of.ts';
import { EventWrites } from '../../../fakes/api-server/events.ts';
import { FastClock } from '../../../fakes/fast-clock.ts';
import { podOf } from '../../../fakes/pods.ts';
import { evictionOrder, tickRecord, WALL_MS } from '../../../fakes/tick-records.ts';

const ORDER = evictionOrder();
const MINUTE_MS = 60_000;
let server: ApiServer;
let client: ApiClient;
let forget: () => void;
let troubles: (string | undefined)[];
let sink: ClosableSink;

beforeEach(async () => {
  server = new ApiServer();
  await server.start();
  new EventWrites(server);
  ({ client, forget } = await clientOf(server, new FastClock(1)));
  troubles = [];
  sink = clusterEvents({
    ...{ client, nodeName: 'node-1', clock: new FastClock(50) },
    trouble: (sentence) => void troubles.push(sentence),
  });
});

afterEach(async () => {
  forget();
  await server.stop();
});

interface Told {
  readonly order?: EvictionOrder;
  readonly outcome?: EvictionOutcome;
  readonly mode?: 'dry-run' | 'enforce';
  readonly wallMs?: number;
}

function tell({ order = ORDER, outcome = { kind: 'gone' }, mode = 'enforce', wallMs = WALL_MS }: Told): void {
  const times = { reactionMs: 5, tookMs: 1500 };
  void sink.event({ event: { kind: 'eviction', order, evictor: 'api', outcome, ...times }, mode, wallMs });
}

/** So many Events are told, or given up, when this resolves. */
async function requests(events = 1): Promise<readonly object[]> {
  await expect.poll(() => troubles.length, { timeout: 20_000 }).toBe(events);
  await sink.close();
  return server.requests.map(({ method, path, body, headers }) => ({
    method,
    path,
    type: headers['content-type'],
    body,
  }));
}

describe('an eviction', () => {
  it('is an Event about its pod, in the kubelet’s words and with nodeqos’ reasons', async () => {
    const evidence = { memAvailableBytes: 300n * 1024n * 1024n };
    tell({ order: { ...ORDER, evidence } });
    expect(await requests()).toEqual([
      {
        method: 'POST',
        path: '/api/v1/namespaces/shop/events',
        type: 'application/json',
        body: {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: {
            namespace: 'shop',
            name: expect.stringMatching(/^cache\.[0-9a-f]{16}$/) as string,
            annotations: {
              'nodeqos.dev/controller': 'ReplicaSet',
              'nodeqos.dev/evictor': 'api',
              'nodeqos.dev/why':
                'the pod uses 70Mi, all of it over, since it requests none; priority -5; first to go',
              'nodeqos.dev/mem-available': '300Mi',
              'nodeqos.dev/signal': 'memory.available',
              'nodeqos.dev/threshold': 'hard 100Mi',
              'nodeqos.dev/available': '48Mi',
              starved_resource: 'memory',
            },
          },
          involvedObject: {
            ...{ apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'cache', uid: 'uid-cache' },
          },
          reason: 'Evicted',
          message: 'The node was low on resource: memory.',
          type: 'Warning',
          count: 1,
          firstTimestamp: '2026-03-04T05:06:07Z',
          lastTimestamp: '2026-03-04T05:06:07Z',
          source: { component: 'nodeqos', host: 'node-1' },
          reportingComponent: 'nodeqos',
          reportingInstance: 'node-1',
        },
      },
    ]);
    expect(troubles).toEqual([undefined]);
  });

  it.each<[string, EvictionOutcome, string, string]>([
    [
      'was refused',
      { kind: 'refused', why: 'a budget' },
      'EvictionRefused',
      'nodeqos wants to evict this pod, and may not: a budget. The node was low on resource: memory.',
    ],
    [
      'was refused in a whole sentence',
      { kind: 'refused', why: 'It would violate a budget.' },
      'EvictionRefused',
      'nodeqos wants to evict this pod, and may not: It would violate a budget. The node was low on resource: memory.',
    ],
    [
      'failed',
      { kind: 'still-there', why: 'a finalizer' },
      'EvictionFailed',
      'nodeqos evicts this pod, and it is still there: a finalizer. The node was low on resource: memory.',
    ],
  ])('that %s says so', async (_, outcome, reason, message) => {
    tell({ outcome });
    expect(await requests()).toMatchObject([{ body: { reason, message } }]);
  });

  it('of a pod that nothing controls says none, and a limit of the pod’s own its name', async () => {
    const pod = podOf({ metadata: { namespace: 'shop', name: 'cache' } });
    const cause = { kind: 'storage-limit', limit: 'emptydirfs.limit', message: 'x' } as const;
    tell({ order: { ...ORDER, pod, cause, candidates: [] } });
    const annotations = {
      'nodeqos.dev/controller': 'none',
      'nodeqos.dev/evictor': 'api',
      'nodeqos.dev/limit': 'emptydirfs.limit',
    };
    const involvedObject = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'cache' };
    expect(await requests()).toMatchObject([{ body: { involvedObject } }]);
    expect(server.requests[0]?.body).toHaveProperty('metadata.annotations', annotations);
  });

  it('that did not happen is none: in dry-run, and where evictions are dry', async () => {
    tell({ mode: 'dry-run' });
    tell({ outcome: { kind: 'dry-run' } });
    void sink.event({
      event: { kind: 'evicting', order: ORDER, evictor: 'api' },
      mode: 'enforce',
      wallMs: WALL_MS,
    });
    expect(await requests(0)).toEqual([]);
  });

  it('again within ten minutes is the same Event, counted once more', async () => {
    tell({});
    tell({ wallMs: WALL_MS + 9 * MINUTE_MS, order: { ...ORDER, message: 'again. ' } });
    tell({ wallMs: WALL_MS + 18 * MINUTE_MS });
    tell({ wallMs: WALL_MS + 28 * MINUTE_MS });
    const [made, second, third, anew] = (await requests(4)) as {
      readonly path: string;
      readonly body: object;
    }[];
    const { name } = (made?.body as { metadata: { name: string } }).metadata;
    expect(second).toMatchObject({
      method: 'PATCH',
      path: `/api/v1/namespaces/shop/events/${name}`,
      type: 'application/strategic-merge-patch+json',
      body: { message: 'again. ', count: 2, lastTimestamp: '2026-03-04T05:15:07Z' },
    });
    expect(third).toMatchObject({ method: 'PATCH', body: { count: 3 } });
    expect(anew).toMatchObject({ method: 'POST', body: { count: 1 } });
    expect(server.store.all('events').map(({ count }) => count)).toEqual([3, 1]);
  });

  it('again, after its Event was deleted, is a new one; and so is another reason', async () => {
    tell({});
    await expect.poll(() => troubles.length).toBe(1);
    const [event] = server.store.all('events');
    server.store.remove('events', event?.metadata.name ?? '', 'shop');
    tell({ wallMs: WALL_MS + 1 });
    tell({ wallMs: WALL_MS + 2, outcome: { kind: 'refused', why: 'no' } });
    const methods = (await requests(3)).map((request) => (request as { method: string }).method);
    expect(methods).toEqual(['POST', 'PATCH', 'POST', 'POST']);
    expect(server.store.all('events').map(({ reason, count }) => [reason, count])).toEqual([
      ['Evicted', 1],
      ['EvictionRefused', 1],
    ]);
  });

  it.each([`${'a'.repeat(235)}.b`, 'a'.repeat(253), `${'a'.repeat(235)}-b`, 'x'])(
    'of a pod with the name %s has a name that the API takes',
    async (name) => {
      const pod = podOf({ metadata: { namespace: 'shop', name, uid: 'u' } });
      tell({ order: { ...ORDER, pod } });
      tell({ order: { ...ORDER, pod }, outcome: { kind: 'refused', why: 'no' } });
      await requests(2);
      expect(server.store.all('events')).toHaveLength(2);
      expect(troubles).toEqual([undefined, undefined]);
    },
  );

  it('has at most the length that Events have, and no half characters', async () => {
    tell({ order: { ...ORDER, message: 'ä'.repeat(600) } });
    const [told] = (await requests()) as { readonly body: { readonly message: string } }[];
    expect(told?.body.message).toBe(`${'ä'.repeat(510)}…`);
    expect(Buffer.byteLength(told?.body.message ?? '')).toBe(1023);
  });
});

describe('a shortage', () => {
  const agent = { ...tickRecord().agent, evictions: 'on' } as const;

  it('is an Event about the Node when it begins, once', async () => {
    const { decision } = tickRecord();
    const over = { ...decision, thresholdsMet: [] };
    for (const one of [decision, decision, over, decision]) sink.tick?.(tickRecord({ agent, decision: one }));
    const told = await requests(2);
    expect(told).toMatchObject([
      {
        method: 'POST',
        path: '/api/v1/namespaces/default/events',
        body: {
          metadata: { namespace: 'default' },
          involvedObject: { apiVersion: 'v1', kind: 'Node', name: 'node-1', uid: 'node-1' },
          reason: 'EvictionThresholdMet',
          message: 'Attempting to reclaim memory',
          type: 'Warning',
        },
      },
      { method: 'PATCH', body: { count: 2 } },
    ]);
    expect(told[0]).not.toHaveProperty('body.metadata.annotations');
  });

  it('is none where nothing is reclaimed', async () => {
    sink.tick?.(tickRecord());
    sink.tick?.(tickRecord({ agent: { ...agent, mode: 'dry-run' } }));
    expect(await requests(0)).toEqual([]);
  });
});

describe('Events that cannot be told', () => {
  it('for want of a permission are told of once, with the remedy and without the token', async () => {
    server.forbidden.add('create events');
    tell({});
    await expect.poll(() => troubles.length).toBe(1);
    expect(troubles).toEqual([
      `${client.name} does not let nodeqos (as ${AGENT}) create events; allow it the verb "create" on events in a ClusterRole`,
    ]);
    expect(server.requests).toHaveLength(1);
    expect(JSON.stringify(troubles)).not.toContain(SECRET_TOKEN);
    server.forbidden.clear();
    tell({});
    await expect.poll(() => troubles.length).toBe(2);
    expect(troubles[1]).toBeUndefined();
  });

  it('are tried again after a failure, and left out when that goes on', async () => {
    const busy = { kind: 'status', code: 503, reason: 'ServiceUnavailable', message: 'no' } as const;
    server.misbehave({ kind: 'drop' });
    server.misbehave(busy);
    tell({});
    await expect.poll(() => troubles.length, { timeout: 20_000 }).toBe(1);
    server.misbehave(busy, { times: 6 });
    tell({ outcome: { kind: 'refused', why: 'lost' } });
    tell({ outcome: { kind: 'still-there', why: 'told' } });
    await requests(3);
    expect(server.store.all('events').map(({ reason }) => reason)).toEqual(['Evicted', 'EvictionFailed']);
    expect(troubles).toEqual([
      undefined,
      `${client.name} failed to create events (status 503); its log says why`,
      undefined,
    ]);
  });

  it('of a namespace that is being deleted are missed by nobody', async () => {
    const details = { causes: [{ reason: 'NamespaceTerminating', message: 'x' }] };
    server.misbehave({ kind: 'status', code: 403, reason: 'Forbidden', message: 'x', details });
    const gone = { kind: 'namespaces', name: 'shop' };
    server.misbehave({ kind: 'status', code: 404, reason: 'NotFound', message: 'x', details: gone });
    tell({});
    tell({});
    expect(await requests(2)).toHaveLength(2);
    expect(troubles).toEqual([undefined, undefined]);
  });

  it('do not hold up whoever tells, nor the end, and the oldest are left out', async () => {
    server.misbehave({ kind: 'hang' }, { times: 1000 });
    const startedAtMs = performance.now();
    for (let count = 0; count < 500; count += 1) {
      const pod = podOf({ metadata: { namespace: 'shop', name: `p${count}`, uid: `u${count}` } });
      tell({ order: { ...ORDER, pod } });
    }
    await sink.close();
    expect(performance.now() - startedAtMs).toBeLessThan(10_000);
    tell({});
    expect(server.requests).toHaveLength(1);
  });

  it('are the oldest where there are too many', async () => {
    server.misbehave({ kind: 'status', code: 500, reason: 'InternalError', message: 'x' });
    for (let count = 0; count < 150; count += 1) {
      const pod = podOf({ metadata: { namespace: 'shop', name: `p${count}`, uid: `u${count}` } });
      tell({ order: { ...ORDER, pod } });
    }
    await expect.poll(() => server.store.all('events').length, { timeout: 20_000 }).toBe(101);
    const names = server.store
      .all('events')
      .map((event) => (event['involvedObject'] as { name: string }).name);
    expect(names).toContain('p0');
    expect(names).not.toContain('p49');
    expect(names).toContain('p50');
    expect(names).toContain('p149');
  });
});
