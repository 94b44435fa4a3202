import { describe, expect, it } from 'vitest';
import { createApiEvictor } from '../../../agent/act/evict/evict-api.ts';
import type { ApiAnswer } from '../../../agent/peers/api/api-client.ts';
import type { PlainRecord } from '../../../config/text/plain-value.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { BUSY, DYING, GONE, POD, play, TOLD, there } from '../../fakes/played-eviction.ts';
import { answered, noAnswer, refusal, type ScriptedAnswer, ScriptedApi } from '../../fakes/scripted-api.ts';

describe('the API evictor', () => {
  it('names itself', () => {
    const clock = new FakeClock();
    const client = new ScriptedApi(clock, () => TOLD);
    expect(createApiEvictor({ client, clock, budgetRefused: 'retry' }).name).toBe('api');
  });

  it('tells the API server with grace and UID, and looks until the pod is gone', async () => {
    const { outcome, api, asked } = await play({ grace: 30, look: [there(), DYING, DYING, GONE] });
    expect(outcome).toEqual({ kind: 'gone' });
    expect(asked).toEqual(['POST/eviction 0', 'GET 0', 'GET 0.2', 'GET 0.6', 'GET 1.4']);
    expect(api.requests[0]).toEqual({
      atMs: 0,
      method: 'POST',
      path: `${POD}/eviction`,
      body: {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'cache', namespace: 'shop' },
        deleteOptions: { gracePeriodSeconds: 30, preconditions: { uid: 'u1' } },
      },
    });
    expect(api.requests[1]).toEqual({ atMs: 0, method: 'GET', path: POD });
  });

  it('never sends a grace of 0, which would have the API forget a pod that still runs', async () => {
    const { api } = await play({ grace: 0 });
    expect(api.requests[0]?.body).toMatchObject({ deleteOptions: { gracePeriodSeconds: 1 } });
  });

  it.each<[string, ApiAnswer]>([
    ['the API has it no more', GONE],
    [
      'its namespace is gone',
      refusal(404, { reason: 'NotFound', details: { name: 'shop', kind: 'namespaces' } }),
    ],
    ['another pod has its name', there({ uid: 'u2' })],
    [
      'all its containers have ended, and a finalizer holds the object',
      there({ finalizers: ['a/b'] }, 'Failed'),
    ],
    ['it has ended well', there({}, 'Succeeded')],
  ])('takes it for gone when %s', async (_, look) => {
    expect((await play({ look: [look] })).outcome).toEqual({ kind: 'gone' });
  });

  it('takes it for gone at once when the API does not have it', async () => {
    const { outcome, asked } = await play({ tell: [GONE] });
    expect(outcome).toEqual({ kind: 'gone' });
    expect(asked).toEqual(['POST/eviction 0']);
  });

  it('never touches a pod of the same name with another UID', async () => {
    const { outcome, asked } = await play({
      tell: [refusal(409, { message: 'uid' })],
      look: [there({ uid: 'u2' })],
    });
    expect(outcome).toEqual({ kind: 'gone' });
    expect(asked).toEqual(['POST/eviction 0', 'GET 0']);
  });

  it('asks again after a conflict about the very pod', async () => {
    const { outcome, asked } = await play({
      tell: [refusal(409, { message: 'busy' }), TOLD],
      look: [there(), GONE],
    });
    expect(outcome).toEqual({ kind: 'gone' });
    expect(asked).toEqual(['POST/eviction 0', 'GET 0', 'POST/eviction 0.5', 'GET 0.5']);
  });

  it('only waits for one that is terminating, as after a restart of the agent', async () => {
    const metadata = { deletionTimestamp: '2026-03-04T05:06:08Z' };
    const { outcome, asked } = await play({ metadata, look: [DYING, GONE] });
    expect(outcome).toEqual({ kind: 'gone' });
    expect(asked).toEqual(['GET 0', 'GET 0.2']);
  });

  it('leaves one to the deletion of its namespace', async () => {
    const details = {
      causes: [{ reason: 'NamespaceTerminating', message: 'namespace shop is being terminated' }],
    };
    const { outcome, asked } = await play({ tell: [refusal(403, { details })], look: [DYING, GONE] });
    expect(outcome).toEqual({ kind: 'gone' });
    expect(asked).toEqual(['POST/eviction 0', 'GET 0', 'GET 0.2']);
  });

  it.each<[string, PlainRecord, string]>([
    ['has no UID', { uid: null }, 'it has no UID, so the API server cannot be told which pod is meant'],
    [
      'is static',
      { annotations: { 'kubernetes.io/config.source': 'file' } },
      'it is a static pod: only its manifest on the node makes it go',
    ],
    [
      'is the mirror of a static pod',
      { annotations: { 'kubernetes.io/config.mirror': 'abc' } },
      'it is a static pod: only its manifest on the node makes it go',
    ],
  ])('refuses a pod that %s, and asks nobody', async (_, metadata, why) => {
    const { outcome, asked } = await play({ metadata });
    expect(outcome).toEqual({ kind: 'refused', why });
    expect(asked).toEqual([]);
  });

  it.each<[string, ApiAnswer, string]>([
    [
      'its role may not',
      refusal(403, {
        message: 'pods "cache" is forbidden: User "n" cannot create resource "pods/eviction" in API group ""',
      }),
      'the API server at https://10.0.0.1:443 does not let nodeqos (as n) create pods/eviction; allow it the verb "create" on pods/eviction in a ClusterRole',
    ],
    [
      'nobody says why it may not',
      { status: 403, body: undefined },
      'the API server at https://10.0.0.1:443 does not let nodeqos create pods/eviction; allow it the verb "create" on pods/eviction in a ClusterRole',
    ],
    [
      'admission forbids it',
      refusal(403, { message: 'admission webhook "keep.example" denied the request: no.' }),
      'the API server at https://10.0.0.1:443 forbids it: admission webhook "keep.example" denied the request: no',
    ],
    [
      'it is not known',
      refusal(401),
      'the API server at https://10.0.0.1:443 does not accept a token; give nodeqos a service account, or one that its cluster has issued as api.kubeconfig',
    ],
    [
      'the server does not understand',
      refusal(422, { message: 'x'.repeat(301) }),
      `the API server does not take it: ${'x'.repeat(300)}…`,
    ],
    [
      'it gets another answer',
      { status: 400, body: 'no' },
      'the API server does not take it: it answers with status 400',
    ],
  ])('is refused at once where %s', async (_, answer, why) => {
    const { outcome, asked } = await play({ tell: [answer] });
    expect(outcome).toEqual({ kind: 'refused', why });
    expect(asked).toEqual(['POST/eviction 0']);
  });
});

describe('a server that fails', () => {
  it.each<[string, ScriptedAnswer, string]>([
    ['an error', refusal(503, { message: 'etcdserver: leader changed' }), 'etcdserver: leader changed'],
    ['too many requests', BUSY, 'too many requests, please try again later'],
    ['a page of something else', { status: 404, body: undefined }, 'it answers with status 404'],
    [
      'nothing',
      noAnswer('the API server at https://10.0.0.1:443 did not answer within 10 s'),
      'the API server at https://10.0.0.1:443 did not answer within 10 s',
    ],
  ])('is asked five times after %s, less and less often', async (_, answer, why) => {
    const { outcome, asked } = await play({ tell: [answer] });
    expect(asked).toEqual([0, 0.5, 1.5, 3.5, 7.5].map((second) => `POST/eviction ${second}`));
    expect(outcome).toEqual({
      kind: 'still-there',
      why: `the API server did not take it, asked 5 times: ${why}`,
    });
  });

  it('is left alone for as long as it says, unless the time is over by then', async () => {
    const { asked } = await play({ tell: [{ ...BUSY, retryAfterMs: 20_000 }] });
    expect(asked).toEqual(['POST/eviction 0', 'POST/eviction 20']);
  });

  it('is told once it answers again', async () => {
    const { outcome, asked } = await play({ tell: [noAnswer('it is away'), BUSY, TOLD] });
    expect(outcome).toEqual({ kind: 'gone' });
    expect(asked).toEqual(['POST/eviction 0', 'POST/eviction 0.5', 'POST/eviction 1.5', 'GET 1.5']);
  });

  it('does not keep a pod from being seen to go', async () => {
    const { outcome } = await play({
      look: [noAnswer('it is away'), refusal(500), answered('no pod'), GONE],
    });
    expect(outcome).toEqual({ kind: 'gone' });
  });
});

describe('a pod that does not go', () => {
  it.each<[string, ScriptedAnswer, number, string]>([
    [
      'its finalizers',
      there({ deletionTimestamp: '2026-03-04T05:06:08Z', finalizers: ['shop.example/drain', 'b/c'] }),
      30_000,
      'it was told to end, and after 30 s it waits for its finalizers shop.example/drain, b/c',
    ],
    [
      'its kubelet',
      DYING,
      30_000,
      'it was told to end by 2026-03-04T05:06:08Z, and after 30 s its kubelet has not said that it did',
    ],
    [
      'an end that nobody ordered',
      there(),
      30_000,
      'the API server took it, and after 30 s nothing says that the pod has to end',
    ],
    [
      'a server that does not answer',
      noAnswer('the API server is away'),
      30_000,
      'it was told to end, and whether it did is not known: the API server is away',
    ],
    [
      'a role that may not look, and not a moment longer',
      refusal(403),
      0,
      'it was told to end, and whether it did is not known: the API server at https://10.0.0.1:443 does not let nodeqos get pods; allow it the verb "get" on pods in a ClusterRole',
    ],
  ])('waits for %s', async (_, look, endedAtMs, why) => {
    const played = await play({ look: [look] });
    expect(played.outcome).toEqual({ kind: 'still-there', why });
    expect(played.endedAtMs).toBe(endedAtMs);
  });

  it('is given its grace, and 29 s', async () => {
    const { endedAtMs } = await play({ look: [DYING], grace: 60 });
    expect(endedAtMs).toBe(89_000);
  });
});

describe('when the agent ends', () => {
  it('nobody is told any more', async () => {
    const { outcome, asked } = await play({ tell: [BUSY], abortAtMs: 300 });
    expect(outcome).toEqual({
      kind: 'still-there',
      why: 'the agent ended before the API server had answered',
    });
    expect(asked).toEqual(['POST/eviction 0']);
  });

  it('a pod that was told goes on ending', async () => {
    const { outcome } = await play({ look: [DYING], abortAtMs: 700 });
    expect(outcome).toEqual({
      kind: 'still-there',
      why: 'it was told to end, and the agent ended before it was gone',
    });
  });

  it('one that is gone at the last look is gone', async () => {
    const { outcome } = await play({ look: [DYING, GONE], abortAtMs: 250 });
    expect(outcome).toEqual({ kind: 'gone' });
  });
});
