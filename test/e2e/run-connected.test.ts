import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ApiServer } from '../fakes/api-server/api-server.ts';
import { EventWrites } from '../fakes/api-server/events.ts';
import { Evictions } from '../fakes/api-server/eviction.ts';
import { FakeCriServer } from '../fakes/cri-server.ts';
import { BURSTABLE, RECIPES_POD } from '../fakes/fixture-node.ts';
import { KubeletScene, TOKEN } from '../fakes/kubelet-scene.ts';
import { KubeletServer } from '../fakes/kubelet-server.ts';
import { type AgentOnNode, beside, FLOUR, onCalmNode } from './agent-on-node.ts';
import { Manager } from './manager.ts';

/** What flour-report uses when the node has less than 200 MiB left. */
const SHORT_MIB = 290;
const MIB = 2 ** 20;
const HARD_ONLY = 'eviction: {pressureTransitionPeriod: 0s, thresholds: {hard: {memory.available: 200Mi}}}';
const QOS = 'memoryQos: {throttlingFactor: 0.9, reservationPolicy: TieredReservation}';

interface PodDocument {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly [field: string]: unknown;
}

/** The pods of the fixture, as documents. */
const PODS = (
  parse(readFileSync('test/fixtures/node/pods.yaml', 'utf8')) as { readonly items: readonly PodDocument[] }
).items;

function without(name: string): readonly PodDocument[] {
  return PODS.filter(({ metadata }) => metadata.name !== name);
}

const list = (items: readonly PodDocument[]) => ({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items });

/** What a cgroup file of the node reads. */
function reads(on: AgentOnNode, file: string): string {
  return readFileSync(join(on.node.mount, file), 'utf8').trim();
}

const lowOfBurstable = `${BURSTABLE}/memory.low`;
/** Requests of orders and recipes, and of orders alone. */
const BOTH = String(800 * MIB);
const ORDERS_ALONE = String(288 * MIB);

/** A test with a node, and a kubelet that knows the fixture's pods. */
function besideKubelet(
  test: (on: AgentOnNode, kubelet: KubeletServer, scene: KubeletScene) => Promise<void>,
) {
  return onCalmNode(async (on) => {
    const scene = new KubeletScene();
    const kubelet = await KubeletServer.start({ serving: scene.serving });
    try {
      kubelet.tokens.add(TOKEN);
      kubelet.pods = list(PODS);
      for (const file of ['token', 'ca.crt'])
        on.node.write(`etc/nodeqos/${file}`, readFileSync(scene.path(file)));
      await test(on, kubelet, scene);
    } finally {
      await kubelet.stop();
      scene.remove();
    }
  });
}

/** Settings for the kubelet of a test. */
function askingKubelet(on: AgentOnNode, kubelet: KubeletServer, ...more: readonly string[]): void {
  const access = 'kubelet: {tokenFile: /etc/nodeqos/token, caFile: /etc/nodeqos/ca.crt, deadline: 20s}';
  on.configure(`pods: {source: "kubelet:https://127.0.0.1:${kubelet.port}"}`, access, QOS, ...more);
}

describe.concurrent('run with the pods of a kubelet', () => {
  it(
    'plans for a pod that appears, and takes back what was for one that went',
    besideKubelet(async (on, kubelet) => {
      askingKubelet(on, kubelet);
      kubelet.pods = list(without('recipes-0'));
      const agent = await on.started(['--enforce']);
      await agent.until(() => reads(on, lowOfBurstable) === ORDERS_ALONE, 'the sum without recipes');
      kubelet.pods = list(PODS);
      await agent.until(() => reads(on, lowOfBurstable) === BOTH, 'the sum with recipes');
      await agent.until(() => reads(on, `${RECIPES_POD}/memory.low`) === String(512 * MIB), 'its own value');
      kubelet.pods = list(without('recipes-0'));
      rmSync(join(on.node.mount, RECIPES_POD), { recursive: true });
      await agent.until(() => reads(on, lowOfBurstable) === ORDERS_ALONE, 'the sum without recipes again');
    }),
    60_000,
  );

  it(
    'keeps Memory QoS going with the last good list while the kubelet takes no token of it, and says so',
    besideKubelet(async (on, kubelet) => {
      askingKubelet(on, kubelet);
      const agent = await on.started(['--enforce']);
      await agent.until(() => reads(on, lowOfBurstable) === BOTH, 'the first values');
      kubelet.tokens.clear();
      const state = await on.state(agent, ({ troubles }) => troubles.length > 0, 'a trouble');
      expect(state.troubles.join()).toContain('etc/nodeqos/token');
      on.node.writeCgroup(lowOfBurstable, '0\n');
      await agent.until(() => reads(on, lowOfBurstable) === BOTH, 'what somebody changed, again');
      kubelet.tokens.add('another');
      on.node.write('etc/nodeqos/token', 'another\n');
      await on.state(agent, ({ troubles }) => troubles.length === 0, 'no trouble with the new token');
      expect(`${agent.stdout}${agent.stderr}${JSON.stringify(on.records())}`).not.toContain(TOKEN);
    }),
    60_000,
  );

  it(
    'starts without an answer, and goes on when there is one',
    besideKubelet(async (on, kubelet) => {
      askingKubelet(on, kubelet);
      kubelet.tokens.clear();
      const agent = on.start(['--enforce']);
      await agent.says('etc/nodeqos/token', 30_000);
      expect(reads(on, lowOfBurstable)).toBe('0');
      kubelet.tokens.add(TOKEN);
      await agent.until(() => reads(on, lowOfBurstable) === BOTH, 'values', 60_000);
    }),
    120_000,
  );

  it(
    'ends a single tick with 77 for a wrong token, and other commands too',
    besideKubelet(async (on, kubelet) => {
      askingKubelet(on, kubelet);
      kubelet.tokens.clear();
      for (const command of [['run', '--once', '--enforce'], ['plan'], ['qos'], ['rank']]) {
        const run = await beside([...command, '--root', on.node.root]);
        expect([command[0], run.status, run.stdout]).toEqual([command[0], 77, '']);
        const sentences = run.stderr
          .split('\n')
          .filter((line) => line !== '' && !line.startsWith('warning: '));
        expect(sentences).toHaveLength(1);
        expect(sentences[0]).toContain('etc/nodeqos/token');
        expect(run.stderr).not.toContain(TOKEN);
      }
    }),
    60_000,
  );

  it(
    'takes statistics of the kubelet, and evicts by them',
    besideKubelet(async (on, kubelet) => {
      askingKubelet(
        on,
        kubelet,
        `stats: {source: "kubelet:https://127.0.0.1:${kubelet.port}"}`,
        HARD_ONLY.replace('{pressure', '{evictor: cgroup, pressure'),
      );
      kubelet.summary = summaryOf(1500);
      const agent = await on.started(['--enforce']);
      await on.state(
        agent,
        ({ signals }) => signals.some(({ signal }) => signal === 'memory.available'),
        'a signal',
      );
      kubelet.summary = summaryOf(100);
      const [eviction] = await on.recorded(agent, 'eviction');
      expect(eviction).toMatchObject({
        name: 'flour-report-28841760-kk8dp',
        available: 100 * MIB,
        evictor: 'cgroup',
      });
    }),
    60_000,
  );
});

/** A kubelet's statistics with so much available, of which flour-report uses most. */
function summaryOf(availableMib: number): object {
  const time = new Date().toISOString();
  const memory = { time, availableBytes: availableMib * MIB, workingSetBytes: (2048 - availableMib) * MIB };
  return {
    node: { nodeName: 'mill-1', memory },
    pods: PODS.map(({ metadata }) => ({
      podRef: metadata,
      memory: { time, workingSetBytes: (metadata.name.startsWith('flour') ? 300 : 10) * MIB },
    })),
  };
}

/** A test with a node, and an API server that knows the fixture's pods. */
function besideApi(test: (on: AgentOnNode, server: ApiServer, evictions: Evictions) => Promise<void>) {
  return onCalmNode(async (on) => {
    const server = new ApiServer();
    await server.start();
    try {
      const evictions = new Evictions(server);
      new EventWrites(server);
      for (const pod of PODS) server.store.put('pods', pod);
      server.tokens.set('secret-of-the-agent', 'system:serviceaccount:nodeqos:nodeqos');
      on.node.write('etc/nodeqos/kubeconfig', JSON.stringify(kubeconfigOf(server)));
      await test(on, server, evictions);
    } finally {
      await server.stop();
    }
  });
}

function kubeconfigOf(server: ApiServer): object {
  const authority = Buffer.from(server.authority.certificate).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster: { server: server.url, 'certificate-authority-data': authority } }],
    users: [{ name: 'a', user: { token: 'secret-of-the-agent' } }],
  };
}

const FROM_API = ['pods: {source: api}', 'api: {kubeconfig: /etc/nodeqos/kubeconfig, deadline: 3s}'];

describe.concurrent('run with the pods of an API server', () => {
  it(
    'follows them, over a server that breaks off and forgets',
    besideApi(async (on, server) => {
      on.configure(...FROM_API, QOS);
      server.store.remove('pods', 'recipes-0', 'bakery');
      const agent = await on.started(['--enforce', '--node-name', 'mill-1']);
      await agent.until(() => reads(on, lowOfBurstable) === ORDERS_ALONE, 'the sum without recipes');
      const recipes = PODS.find(({ metadata }) => metadata.name === 'recipes-0');
      if (recipes !== undefined) server.store.put('pods', recipes);
      await agent.until(() => reads(on, lowOfBurstable) === BOTH, 'the sum with recipes');
      await server.stop();
      server.store.remove('pods', 'recipes-0', 'bakery');
      server.compact();
      rmSync(join(on.node.mount, RECIPES_POD), { recursive: true });
      await server.start();
      await agent.until(
        () => reads(on, lowOfBurstable) === ORDERS_ALONE,
        'the sum after it came back',
        60_000,
      );
    }),
    120_000,
  );

  it(
    'stays alive while it is away from the start: not ready, healthy, and a sign of life for the watchdog',
    besideApi(async (on, server) => {
      on.configure(...FROM_API, QOS);
      await server.stop();
      const manager = new Manager(on.node.path('notify.sock'));
      const agent = on.start(['--enforce', '--node-name', 'mill-1'], {
        NOTIFY_SOCKET: manager.socket,
        WATCHDOG_USEC: '60000000',
      });
      await on.state(agent, ({ agent: { blindTicks } }) => Number(blindTicks) >= 8, 'eight blind ticks');
      const [health, ready] = [await on.ask('/healthz'), await on.ask('/readyz')];
      expect([health.status, ready.status]).toEqual([200, 503]);
      expect(ready.text).toContain('the API server');
      await manager.hears(agent, /^WATCHDOG=1$/, manager.listen().length);
      await server.start();
      await agent.until(() => reads(on, lowOfBurstable) === BOTH, 'values', 60_000);
    }),
    120_000,
  );

  it(
    'evicts through it, with an Event, and nobody whose budget refuses',
    besideApi(async (on, server, evictions) => {
      on.configure(...FROM_API, QOS, HARD_ONLY);
      const name = 'bakery/flour-report-28841760-kk8dp';
      evictions.budgets.push({ name: 'reports', needed: 1, healthy: 1, pods: [name] });
      const agent = await on.started(['--enforce', '--node-name', 'mill-1']);
      on.kernel.use(FLOUR.leaf, SHORT_MIB);
      const [refused] = await on.recorded(agent, 'eviction');
      expect(refused).toMatchObject({ evictor: 'api', outcome: 'refused', controller: null });
      expect(evictions.told).toEqual([]);
      await agent.until(() => on.records('evicting').length > 1, 'the next one', 30_000);
      await agent.until(() => evictions.told.length > 0, 'the next one told', 30_000);
      expect(evictions.told[0]?.pod).not.toBe(name);
      const reasons = () => server.store.all('events').map((event) => event['reason']);
      await agent.until(() => reasons().includes('EvictionRefused'), 'an Event of the refusal', 30_000);
      expect(server.requests.every(({ user }) => user === 'system:serviceaccount:nodeqos:nodeqos')).toBe(
        true,
      );
      expect(`${agent.stdout}${agent.stderr}`).not.toContain('secret-of-the-agent');
    }),
    120_000,
  );
});

describe.concurrent('run with the pods of a container runtime', () => {
  it(
    'evicts through the runtime what it made, which no kubelet started',
    onCalmNode(async (on) => {
      const runtime = await FakeCriServer.started();
      try {
        const uid = '5f0c1a10-0000-4000-8000-000000000004';
        const name = 'flour-report-28841760-kk8dp';
        runtime.pod({ namespace: 'bakery', name, uid, qosClass: 'BestEffort' }, { name: 'report' });
        on.configure(`pods: {source: "cri:${runtime.socket}"}`, QOS, HARD_ONLY);
        const agent = await on.started(['--enforce']);
        on.kernel.use(FLOUR.leaf, SHORT_MIB);
        await agent.until(() => runtime.asked.some((call) => call.startsWith('StopPodSandbox')), 'the end');
        const [evicting] = await on.recorded(agent, 'evicting');
        expect(evicting).toMatchObject({ evictor: 'cri', name });
        expect(runtime.asked.filter((call) => call.startsWith('StopContainer'))).toHaveLength(1);
      } finally {
        runtime.remove();
      }
    }),
    60_000,
  );
});
