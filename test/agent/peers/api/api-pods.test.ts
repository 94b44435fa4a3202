import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../../../agent/exit.ts';
import { apiPods } from '../../../../agent/peers/api/api-pods.ts';
import type { PodNews, RemotePods } from '../../../../agent/ports.ts';
import { ApiServer } from '../../../fakes/api-server/api-server.ts';
import { PodOfAgent } from '../../../fakes/api-server/pod-of-agent.ts';
import { hurriedClock } from '../../../fakes/hurried-clock.ts';

let server: ApiServer;
let pod: PodOfAgent;
let told: string[];
let end: AbortController;
let following: Promise<void>;

beforeEach(async () => {
  server = new ApiServer();
  await server.start();
  pod = new PodOfAgent(server);
  told = [];
  end = new AbortController();
  following = Promise.resolve();
});

afterEach(async () => {
  end.abort();
  await following;
  await server.stop();
  pod.remove();
});

/** Pauses of half a minute are over soon. */
function source(times = 20): RemotePods {
  const clock = hurriedClock(times);
  return apiPods({ client: () => pod.client(), nodeName: 'node-1', clock });
}

function follow(times?: number): void {
  following = source(times).follow((news) => told.push(shown(news)), end.signal);
}

/** The names of the pods, or the status and sentence of a lack. */
function shown(news: PodNews): string {
  if (news.kind === 'lack') {
    return `${news.failure.status} ${news.failure.message.replaceAll(server.url, 'URL')}`;
  }
  return news.read.pods
    .map(({ name, phase }) => `${name}${phase === undefined ? '' : `:${phase}`}`)
    .join(' ');
}

function put(name: string, phase?: string, nodeName = 'node-1'): void {
  const spec = { nodeName, containers: [{ name: 'c' }] };
  const status = phase === undefined ? {} : { phase };
  server.store.put('pods', { metadata: { namespace: 'a', name }, spec, status });
}

function remove(name: string): void {
  server.store.remove('pods', name, 'a');
}

async function until(expected: string): Promise<void> {
  await expect.poll(() => told.at(-1), { timeout: 30_000 }).toBe(expected);
}

/** Until a watch is open, the next one if one was. */
async function watched(count = 1): Promise<void> {
  const begun = (): number => server.requests.filter(({ query }) => query['watch'] === 'true').length;
  await expect.poll(() => begun() >= count && server.watches.length > 0, { timeout: 30_000 }).toBe(true);
}

const SELECTOR = { fieldSelector: 'spec.nodeName=node-1' };

describe('as it should be', () => {
  it('a list, then a watch from its version: pods appear, change and go at once', async () => {
    put('x', 'Running');
    put('elsewhere', 'Running', 'node-2');
    const listed = String(server.store.revision);
    follow(1);
    await watched();
    put('w', 'Pending');
    await until('w:Pending x:Running');
    put('w', 'Running');
    put('other', 'Running', 'node-2');
    await until('w:Running x:Running');
    remove('x');
    await until('w:Running');
    remove('w');
    await until('');
    expect(told).toEqual(['x:Running', 'w:Pending x:Running', 'w:Running x:Running', 'w:Running', '']);
    expect(server.requests.map(({ method, path, query }) => ({ method, path, query }))).toEqual([
      { method: 'GET', path: '/api/v1/pods', query: { ...SELECTOR, resourceVersion: '0' } },
      {
        method: 'GET',
        path: '/api/v1/pods',
        query: {
          ...SELECTOR,
          resourceVersion: listed,
          allowWatchBookmarks: 'true',
          timeoutSeconds: '300',
          watch: 'true',
        },
      },
    ]);
  });

  it('a pod that is made anew under its name is another one', async () => {
    put('x');
    const uids: (string | undefined)[] = [];
    following = source().follow((news) => {
      if (news.kind === 'pods') uids.push(...news.read.pods.map(({ uid }) => uid));
      told.push(shown(news));
    }, end.signal);
    await watched();
    remove('x');
    put('x');
    await expect.poll(() => told).toEqual(['x', '', 'x']);
    expect(new Set(uids).size).toBe(2);
  });

  it('a watch that has come to its end goes on where it was', async () => {
    put('x');
    follow();
    await watched();
    server.watches[0]?.end();
    put('y');
    await until('x y');
    expect(server.requests.filter(({ query }) => query['watch'] === undefined)).toHaveLength(1);
    expect(told).toEqual(['x', 'x y']);
  });

  it('a bookmark says from where', async () => {
    put('x');
    follow();
    await watched();
    for (let change = 0; change < 5; change += 1) server.store.advance();
    server.watches[0]?.bookmark();
    server.watches[0]?.end();
    await watched(2);
    expect(server.requests.at(-1)?.query['resourceVersion']).toBe(String(server.store.revision));
  });

  it('a single list has pages of one moment', async () => {
    for (let index = 0; index < 1100; index += 1) put(`p${String(index).padStart(4, '0')}`);
    server.seen = ({ query }) => {
      if (query['continue'] !== undefined) put('late');
    };
    const read = await source().list(end.signal);
    expect(read.pods).toHaveLength(1100);
    expect(read.warnings).toEqual([]);
    expect(server.requests.map(({ query }) => query)).toEqual([
      { ...SELECTOR, limit: '500' },
      { ...SELECTOR, limit: '500', continue: 'page-1' },
      { ...SELECTOR, limit: '500', continue: 'page-2' },
    ]);
  });

  it('a node without pods may have another name', async () => {
    expect(await source().list(end.signal)).toEqual({
      pods: [],
      warnings: [
        {
          code: 'no-pods-of-node',
          message:
            'the API server knows no pod of a node "node-1"; if this node has another name in its cluster, say it with --node-name or NODE_NAME',
          cgroup: null,
          pod: null,
        },
      ],
    });
  });

  it('fields that a client library may not know are read', async () => {
    const spec = {
      nodeName: 'node-1',
      containers: [{ name: 'c', resources: { requests: { memory: '1Gi' } } }],
      resources: { limits: { memory: '3Gi' } },
      schedulingGroup: { podGroupName: 'g' },
    };
    server.store.put('pods', { metadata: { namespace: 'a', name: 'x' }, spec });
    const [read] = (await source().list(end.signal)).pods;
    expect(read?.podGroupName).toBe('g');
    expect([...(read?.podLevel?.limits.keys() ?? [])]).toEqual(['memory']);
  });
});

describe('connections that end', () => {
  it('in the middle of an object: nothing is lost', async () => {
    put('x');
    follow();
    await watched();
    server.watches[0]?.cutInsideNext();
    put('y');
    put('z');
    await until('x y z');
    expect(told.every((names) => names.startsWith('x'))).toBe(true);
  });

  it('without an end: after a silence the watch is begun anew', async () => {
    put('x');
    follow(100);
    await watched();
    server.watches[0]?.mute();
    put('y');
    await until('x y');
    const watches = server.requests.filter(({ query }) => query['watch'] === 'true');
    expect(watches.length).toBeGreaterThan(1);
    expect(new Set(watches.map(({ query }) => query['resourceVersion'])).size).toBe(1);
  });

  it('since the server is away: a lack, and the list again when it is back', async () => {
    put('x');
    follow();
    await watched();
    await server.stop();
    await until('69 the API server at URL does not listen there; check the address, and whether it runs');
    await server.start();
    await until('x');
    expect(told).toHaveLength(3);
    expect(server.requests.filter(({ query }) => query['watch'] === undefined)).toHaveLength(1);
  });
});

describe('a version that is forgotten', () => {
  it.each(['event', 'status'] as const)('told by the %s: a list of what is true now', async (how) => {
    put('x');
    server.expiredAs = how;
    follow();
    await watched();
    server.misbehave({ kind: 'drop' }, { verb: 'watch', times: 2 });
    server.watches[0]?.cut();
    remove('x');
    put('y');
    server.compact();
    await until('y');
    await watched(2);
    expect(server.requests.filter(({ query }) => query['watch'] === undefined).at(-1)?.query).toEqual({
      ...SELECTOR,
      limit: '500',
    });
    put('z');
    await until('y z');
  });

  it('in the middle of a list: the list in one piece', async () => {
    for (let index = 0; index < 600; index += 1) put(`p${index}`);
    server.seen = ({ query }) => {
      if (query['continue'] !== undefined) server.compact();
    };
    expect((await source().list(end.signal)).pods).toHaveLength(600);
    expect(server.requests.map(({ query }) => query)).toEqual([
      { ...SELECTOR, limit: '500' },
      { ...SELECTOR, limit: '500', continue: 'page-1' },
      SELECTOR,
    ]);
  });

  it('a server that has not got so far is asked for what is true now', async () => {
    put('x');
    follow();
    await watched();
    const ahead = { metadata: { resourceVersion: '100000' } };
    server.watches[0]?.send(`${JSON.stringify({ type: 'BOOKMARK', object: ahead })}\n`);
    server.watches[0]?.fail(500, 'InternalError', 'etcd is gone');
    put('y');
    await until('x y');
    const lists = server.requests.filter(({ query }) => query['watch'] === undefined);
    expect(lists.map(({ query }) => query)).toEqual([
      { ...SELECTOR, resourceVersion: '0' },
      { ...SELECTOR, resourceVersion: '100000' },
      { ...SELECTOR, limit: '500' },
    ]);
  });
});

describe('a list without pods', () => {
  it.each([
    ['has none', '"items":[],'],
    ['has null, as Go writes a slice that was never made', '"items":null,'],
    ['leaves them out', ''],
  ])('%s', async (_sentence, items) => {
    const text = `{"kind":"PodList",${items}"metadata":{"resourceVersion":"7"}}`;
    server.misbehave({ kind: 'text', text });
    expect((await source().list(end.signal)).pods).toEqual([]);
  });
});

describe('a node name', () => {
  it.each(['node-1', 'ip-10-0-0-7.ec2.internal', '1', 'a'.repeat(253)])(
    'that a node can have: %s',
    (name) => {
      expect(apiPods({ client: () => pod.client(), nodeName: name, clock: hurriedClock(1) }).name).toBe(
        'api',
      );
    },
  );

  it.each([
    'node-1,metadata.name=a',
    'node-1\\,x=y',
    'a=b',
    'Node-1',
    'my_host',
    '-a',
    'a..b',
    'a/b',
    'a b',
    '',
    'a'.repeat(254),
  ])('that no node can have is refused with 64, before anybody is asked: %s', (nodeName) => {
    const message = `${JSON.stringify(nodeName)} is no name that a node can have (small letters, digits, "-" and "."); say how this one is called in its cluster, with --node-name or NODE_NAME`;
    expect(() => apiPods({ client: () => pod.client(), nodeName, clock: hurriedClock(1) })).toThrow(
      new Failure(64, message),
    );
    expect(server.requests).toEqual([]);
  });
});

describe('refusals', () => {
  it.each([
    [
      'no permission to list',
      { verb: 'list' },
      { code: 403, reason: 'Forbidden', message: 'User "me" cannot' },
      '77 the API server at URL does not let nodeqos (as me) list pods; allow it the verb "list" on pods in a ClusterRole',
    ],
    [
      'no permission to watch',
      { verb: 'watch' },
      { code: 403, reason: 'Forbidden', message: '' },
      '77 the API server at URL does not let nodeqos watch pods; allow it the verb "watch" on pods in a ClusterRole',
    ],
    [
      'too much to do',
      { verb: 'watch' },
      { code: 429, reason: 'TooManyRequests', message: '', retryAfterSeconds: 5 },
      '69 the API server at URL has too much to do to watch pods; it is to be asked again later',
    ],
    [
      'a failure of its own',
      { verb: 'list' },
      { code: 500, reason: 'InternalError', message: '' },
      '69 the API server at URL failed to list pods (status 500); its log says why',
    ],
  ])('%s: a lack once, and the list when it is over', async (_sentence, on, status, lack) => {
    put('x');
    server.misbehave({ kind: 'status', ...status }, { ...on, times: 2 });
    follow();
    await until(lack);
    await until('x');
    expect(told.filter((text) => text === lack)).toHaveLength(1);
  });

  it('is left alone for as long as it wants', async () => {
    put('x');
    const status = { code: 429, reason: 'TooManyRequests', message: '', retryAfterSeconds: 50 };
    server.misbehave({ kind: 'status', ...status }, { verb: 'list' });
    const begun = Date.now();
    follow(100);
    await until('x');
    expect(Date.now() - begun).toBeGreaterThan(490);
  });

  it('a token that nobody knows, and one that is', async () => {
    put('x');
    server.tokens.clear();
    follow();
    await expect.poll(() => told.at(-1)).toMatch(/^77 the API server at URL does not accept the token of /);
    expect(told.join()).not.toContain('first-token');
    pod.token = 'better-token';
    await until('x');
  });

  it('credentials that are not there, and are', async () => {
    put('x');
    const held = { available: false };
    const client = async (): ReturnType<PodOfAgent['client']> => {
      if (!held.available) throw new Failure(66, 'no credentials yet');
      return await pod.client();
    };
    const pods = apiPods({ client, nodeName: 'node-1', clock: hurriedClock(100) });
    following = pods.follow((news) => told.push(shown(news)), end.signal);
    await until('66 no credentials yet');
    held.available = true;
    await until('x');
    expect(told).toHaveLength(2);
  });

  it.each([
    [
      'no list',
      '{"kind":"Status"}',
      '65 the API server at URL answers with no list of pods; check that it is an API server',
    ],
    [
      'a list of something that is no pods',
      '{"kind":"PodList","items":"none"}',
      '65 the API server at URL answers with no list of pods; check that it is an API server',
    ],
    [
      'no JSON',
      '<html>',
      '65 the API server at URL answers with no list of pods; check that it is an API server',
    ],
    [
      'a pod that cannot be read',
      '{"kind":"PodList","items":[{"metadata":{"name":"a"}},{"metadata":{"name":7}}]}',
      '65 the API server at URL tells of a pod that cannot be read: items[1].metadata.name: expected a string, found a number; the pods that were known before count',
    ],
  ])('%s', async (_sentence, text, lack) => {
    server.misbehave({ kind: 'text', text });
    await expect(source().list(end.signal)).rejects.toThrow(lack.slice(3).replaceAll('URL', server.url));
  });

  it('an event that cannot be read leads to a list, which shows what is true', async () => {
    put('x');
    follow();
    await watched();
    server.watches[0]?.send('{"type":"MODIFIED","object":{"metadata":{"name":7}}}\n');
    put('y');
    await until('x y');
    expect(told).toEqual(['x', 'x y']);
  });

  it('a line that is no event ends the watch, with a sentence', async () => {
    put('x');
    follow();
    await watched();
    server.watches[0]?.send('<html>\n');
    put('y');
    await until('x y');
    expect(told[1]).toBe(
      '69 the API server at URL sends something else than events; check that an API server listens there, and not something in front of it',
    );
  });
});
