import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type AgentOnNode, FLOUR, onCalmNode } from './agent-on-node.ts';

const NODE_FILE = 'etc/nodeqos/node.yaml';
/** Everybody of the fixture but flour-report is protected, so that one pod goes and not all. */
const PROTECTED = 'eviction: {protected: {priorityAtLeast: 0}}';

function writeNode(on: AgentOnNode, taints: string, name = 'mill-1'): void {
  on.node.write(
    NODE_FILE,
    `apiVersion: v1\nkind: Node\nmetadata: {name: ${name}}\nspec: {taints: [${taints}]}\n`,
  );
}

const TAINT = '{key: maintenance, value: now, effect: NoExecute}';

describe.concurrent('run on a node with a NoExecute taint', () => {
  it(
    'evicts the pod that does not tolerate it once the file of the Node says so, and records the taint',
    onCalmNode(async (on) => {
      writeNode(on, '');
      on.configure(PROTECTED, `taints: {evict: true, node: /${NODE_FILE}}`);
      const agent = await on.started(['--enforce']);
      expect(on.records('eviction')).toEqual([]);
      writeNode(on, TAINT);
      const [eviction] = await on.recorded(agent, 'eviction');
      expect(eviction).toMatchObject({
        mode: 'enforce',
        namespace: 'bakery',
        name: 'flour-report-28841760-kk8dp',
        signal: null,
        taint: { key: 'maintenance', value: 'now', effect: 'NoExecute' },
        threshold: null,
        available: null,
        gracePeriodSeconds: 30,
        rank: [],
        message: 'The node has the taint maintenance=now:NoExecute, which the pod does not tolerate.',
        evictor: 'cgroup',
        outcome: 'gone',
      });
      expect(on.records('evicting')).toHaveLength(1);
      expect(on.kernel.killedPods).toEqual([FLOUR.pod]);
      const refused = on.records('no-eviction');
      expect(refused.map(({ name, why }) => [name, why])).toEqual([
        ['orders-7c5b8d9f6-9wz7l', 'the configuration protects priorities of at least 0'],
        ['oven-controller-6d8f9c7b5d-x2k4q', 'the configuration protects priorities of at least 0'],
        ['recipes-0', 'the configuration protects priorities of at least 0'],
      ]);
      await agent.says(/would evict|evicted bakery\/flour-report-28841760-kk8dp: gone/);
      const metrics = (await on.ask('/metrics')).text;
      expect(metrics).toContain('nodeqos_evictions_total{signal="taint",outcome="gone"} 1');
      const state = JSON.parse((await on.ask('/state')).text) as { taintEvictions: object };
      expect(state.taintEvictions).toMatchObject({
        evictions: 'on',
        taints: [{ key: 'maintenance', value: 'now', effect: 'NoExecute' }],
      });
      on.node.write(NODE_FILE, 'kind: Pod\n');
      await on.state(
        agent,
        ({ troubles }) => troubles.some((one) => one.startsWith('taints: ')),
        'a trouble',
      );
    }),
  );

  it(
    'tells every new fault of the file of the Node, and what follows from it',
    onCalmNode(async (on) => {
      const file = on.node.path(NODE_FILE);
      const unknown = 'nobody is evicted for taints until those of this node are known';
      writeNode(on, TAINT, 'other');
      on.configure(PROTECTED, `taints: {evict: true, node: /${NODE_FILE}}`);
      const agent = await on.started(['--enforce']);
      await agent.says(/taints: .*: it is the Node other, and the pods here are on mill-1/);
      on.node.write(NODE_FILE, 'kind: Pod\n');
      await agent.says(/taints: .*: a v1 Node is wanted here, and this is a Pod; nobody is evicted/);
      rmSync(file);
      await agent.says(/taints: .*: there is no such file; check the path; nobody is evicted/);
      writeNode(on, '');
      await agent.says(/taints works again/);
      const gone = `${file}: there is no such file; check the path; ${unknown}`;
      expect(agent.stderr).toContain(`taints works again; it was: ${gone}`);
      rmSync(file);
      await agent.says(
        /check the path; the taints that were read last stay in force for 5m0s \(pods\.maxAge\)/,
      );
      expect(on.kernel.killedPods).toEqual([]);
    }),
  );

  it(
    'in dry-run says whom it would evict, once, and why nobody goes; touches nobody',
    onCalmNode(async (on) => {
      on.configure(PROTECTED, 'taints: {evict: true, extra: ["maintenance=now:NoExecute"]}');
      const agent = await on.started([]);
      const [eviction] = await on.recorded(agent, 'eviction');
      expect(eviction).toMatchObject({
        mode: 'dry-run',
        name: 'flour-report-28841760-kk8dp',
        taint: { key: 'maintenance', value: 'now', effect: 'NoExecute' },
        evictor: 'dry',
        outcome: 'dry-run',
      });
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(on.records('eviction')).toHaveLength(1);
      expect([on.records('evicting'), on.kernel.killed]).toEqual([[], []]);
      expect(agent.stderr).toContain('evictions for taints (taints.evict) stay dry: the mode is dry-run');
      expect(agent.stdout).toContain(
        'would evict bakery/flour-report-28841760-kk8dp, grace 30 s: The node has the taint maintenance=now:NoExecute, which the pod does not tolerate; nothing controls it',
      );
    }),
  );

  it(
    'evicts nobody unless it is asked to, and does not start without the file of the Node where it is',
    onCalmNode(async (on) => {
      writeNode(on, TAINT);
      on.configure(`taints: {node: /${NODE_FILE}, extra: ["a:NoExecute"]}`);
      const agent = await on.started(['--enforce']);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(on.records('eviction')).toEqual([]);
      await agent.kill();
      on.configure('taints: {evict: true, node: /etc/nodeqos/none.yaml}');
      const refused = on.start(['--once']);
      expect((await refused.ended).code).toBe(66);
      expect(refused.stderr).toContain('etc/nodeqos/none.yaml: there is no such file; check the path');
    }),
  );

  it(
    'keeps the time of a toleration over a reload, and grants all of it after a restart',
    onCalmNode(async (on) => {
      const pods = on.node.path('pods-of-mill-1.json');
      on.node.write('pods-of-mill-1.json', tolerant('maintenance', 600));
      on.configure('taints: {evict: true, extra: ["maintenance=now:NoExecute"]}');
      const first = await on.started(['--enforce', '--pods', pods]);
      const before = await evictAtMs(on);
      on.configure(
        'taints: {evict: true, extra: ["maintenance=now:NoExecute"]}',
        'loop: {minInterval: 90ms}',
      );
      await on.recorded(first, 'reload');
      expect(Math.abs((await evictAtMs(on)) - before)).toBeLessThan(50);
      await first.kill('SIGKILL');
      await on.started(['--enforce', '--pods', pods]);
      expect((await evictAtMs(on)) - before).toBeGreaterThan(200);
      expect(on.records('evicting')).toEqual([]);
    }),
  );
});

/** flour-report alone, which tolerates a taint of that key for so many seconds. */
function tolerant(key: string, tolerationSeconds: number): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'bakery',
      name: 'flour-report-28841760-kk8dp',
      uid: '5f0c1a10-0000-4000-8000-000000000004',
    },
    spec: {
      nodeName: 'mill-1',
      tolerations: [{ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }],
      containers: [{ name: 'report' }],
    },
  });
}

/** When the time of the one that waits is over, as the agent tells it. */
async function evictAtMs(on: AgentOnNode): Promise<number> {
  const { taintEvictions } = JSON.parse((await on.ask('/state')).text) as {
    readonly taintEvictions: { readonly waiting: readonly { readonly evictAt: string }[] };
  };
  expect(taintEvictions.waiting).toHaveLength(1);
  return Date.parse(taintEvictions.waiting[0]?.evictAt ?? '');
}
