import { CoreV1Api, KubeConfig, Watch } from '@kubernetes/client-node';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ApiServer } from '../../../fakes/api-server/api-server.ts';

/** The client library itself, against the server that the other tests go by: what it sends, and what it takes for an answer. */
const ON_NODE = 'spec.nodeName=node-1';
let server: ApiServer;

beforeEach(async () => {
  server = new ApiServer();
  server.tokens.set('good', 'system:serviceaccount:nodeqos:nodeqos');
  await server.start();
});

afterEach(async () => {
  await server.stop();
});

function library(token = 'good'): KubeConfig {
  const config = new KubeConfig();
  const caData = Buffer.from(server.authority.certificate).toString('base64');
  config.loadFromClusterAndUser(
    { name: 'test', server: server.url, caData, skipTLSVerify: false },
    { name: 'agent', token },
  );
  return config;
}

function put(name: string, nodeName = 'node-1'): void {
  server.store.put('pods', { metadata: { namespace: 'a', name }, spec: { nodeName, containers: [] } });
}

it('the library lists this node’s pods page by page', async () => {
  for (const name of ['x', 'y', 'z']) put(name);
  put('elsewhere', 'node-2');
  const api = library().makeApiClient(CoreV1Api);
  const first = await api.listPodForAllNamespaces({ fieldSelector: ON_NODE, limit: 2 });
  const token = first.metadata?._continue ?? '';
  const second = await api.listPodForAllNamespaces({ fieldSelector: ON_NODE, limit: 2, _continue: token });
  const names = [first, second].map(({ items }) => items.map(({ metadata }) => metadata?.name));
  expect(names).toEqual([['x', 'y'], ['z']]);
  expect(first.metadata?.resourceVersion).toBe(second.metadata?.resourceVersion);
  expect(server.requests.at(-1)).toMatchObject({
    method: 'GET',
    path: '/api/v1/pods',
    query: { fieldSelector: ON_NODE, limit: '2', continue: token },
    user: 'system:serviceaccount:nodeqos:nodeqos',
  });
});

it('the library’s list drops fields that it does not know, so that ours are read from the answer itself', async () => {
  const spec = { nodeName: 'node-1', containers: [], schedulingGroup: { podGroupName: 'g' }, newField: 1 };
  server.store.put('pods', { metadata: { namespace: 'a', name: 'x' }, spec });
  const list = await library().makeApiClient(CoreV1Api).listPodForAllNamespaces({ fieldSelector: ON_NODE });
  expect(JSON.stringify(list)).not.toContain('newField');
  expect(JSON.stringify(list)).not.toContain('podGroupName');
});

it('the library watches, with bookmarks and an expired version', async () => {
  put('x');
  const seen: string[] = [];
  const from = String(server.store.revision);
  const query = { fieldSelector: ON_NODE, resourceVersion: from, allowWatchBookmarks: true };
  const ended = new Promise((resolve) => {
    const told = (type: string): void => {
      seen.push(type);
    };
    void new Watch(library()).watch('/api/v1/pods', query, told, resolve);
  });
  await expect.poll(() => server.watches.length).toBe(1);
  put('y');
  server.store.remove('pods', 'x', 'a');
  const [watch] = server.watches;
  watch?.bookmark();
  await expect.poll(() => seen.length).toBe(3);
  watch?.fail(410, 'Expired', 'too old resource version: 2 (100)');
  await ended;
  expect(seen).toEqual(['ADDED', 'DELETED', 'BOOKMARK', 'ERROR']);
  expect(server.requests.at(-1)?.query).toEqual({
    watch: 'true',
    fieldSelector: ON_NODE,
    resourceVersion: from,
    allowWatchBookmarks: 'true',
  });
});

it('the library is refused a token that nobody has', async () => {
  const api = library('bad').makeApiClient(CoreV1Api);
  await expect(api.listPodForAllNamespaces()).rejects.toMatchObject({ code: 401 });
});
