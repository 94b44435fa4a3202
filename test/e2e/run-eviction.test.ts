import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KUBEPODS } from '../fakes/fixture-node.ts';
import { type AgentOnNode, CALM_MIB, FLOUR, ORDERS, onCalmNode, RECIPES } from './agent-on-node.ts';

/** What it uses when the node has less than 200 MiB left, while the pods together stay within what is allocatable. */
const SHORT_MIB = 290;
/** What it uses when little is left above 200 MiB: less than a fiftieth of the node's memory. */
const NEAR_MIB = 245;
/** What orders uses when the end of flour-report alone is not enough. */
const VERY_SHORT_MIB = 1200;
const HARD = 'memory.available';

/** As the kernel counts in memory.events that a limit below kubepods was hit. */
function tellOfLimits(on: AgentOnNode): void {
  on.node.writeCgroup(`${KUBEPODS}/memory.events`, 'low 0\nhigh 1\nmax 0\noom 0\noom_kill 0\n');
}

const sleep = async (ms: number): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve, ms));
};

/** No soft thresholds, no minimum reclaim, and conditions that pass at once. */
const HARD_ONLY = 'eviction: {pressureTransitionPeriod: 0s, thresholds: {hard: {memory.available: 200Mi}}}';

describe.concurrent('run --enforce when memory runs short', () => {
  it(
    'evicts the pod that is first to go, once, and nobody after it',
    onCalmNode(async (on) => {
      on.configure(HARD_ONLY);
      const agent = await on.started(['--enforce']);
      await sleep(300);
      expect(on.records('eviction')).toEqual([]);
      on.kernel.use(FLOUR.leaf, SHORT_MIB);
      const [eviction] = await on.recorded(agent, 'eviction');
      expect(eviction).toMatchObject({
        mode: 'enforce',
        namespace: 'bakery',
        name: 'flour-report-28841760-kk8dp',
        uid: '5f0c1a10-0000-4000-8000-000000000004',
        signal: HARD,
        threshold: { signal: HARD, type: 'hard', value: { quantity: 200 * 2 ** 20 } },
        gracePeriodSeconds: 1,
        evictor: 'cgroup',
        outcome: 'gone',
      });
      expect(eviction?.['available']).toBeLessThan(200 * 2 ** 20);
      await sleep(500);
      expect(on.kernel.killedPods).toEqual([FLOUR.pod]);
      // The container is killed first, then what is left of the pod.
      expect(on.kernel.killed).toEqual([FLOUR.leaf, FLOUR.pod]);
      expect(on.records('evicting')).toHaveLength(1);
      expect(on.records('eviction')).toHaveLength(1);
      const [begins, ends] = await on.recorded(agent, 'condition', 2);
      expect(begins).toMatchObject({ type: 'MemoryPressure', status: true, signal: HARD });
      expect(ends).toMatchObject({ type: 'MemoryPressure', status: false, signal: null });
      expect(agent.stdout.match(/ evicted bakery/g)).toHaveLength(1);
    }),
  );

  it(
    'reacts long before its interval is over when cgroups tell of their limits, and looks more often near a threshold',
    onCalmNode(async (on) => {
      on.configure(HARD_ONLY);
      const agent = await on.started(['--enforce', '--interval', '60s']);
      await on.state(agent, ({ tick }) => tick.nextInMs === 60_000, 'a whole interval');
      on.kernel.use(FLOUR.leaf, NEAR_MIB);
      tellOfLimits(on);
      await on.state(agent, ({ tick }) => tick.nextInMs <= 15_000, 'a shorter interval');
      expect(on.records('evicting')).toEqual([]);
      on.kernel.use(FLOUR.leaf, SHORT_MIB);
      tellOfLimits(on);
      const [eviction] = await on.recorded(agent, 'eviction');
      expect(eviction).toMatchObject({ outcome: 'gone', name: 'flour-report-28841760-kk8dp' });
    }),
  );

  it(
    'waits for a pod that takes its time, and evicts nobody else meanwhile',
    onCalmNode(async (on) => {
      on.configure(HARD_ONLY);
      on.kernel.dies(FLOUR.pod, 2000);
      const agent = await on.started(['--enforce']);
      on.kernel.use(FLOUR.leaf, SHORT_MIB);
      const pending = await on.state(
        agent,
        (state) => state.pending.length > 0 && state.conditions.length > 0,
        'a pending release',
      );
      expect(pending.pending).toMatchObject([{ namespace: 'bakery', name: 'flour-report-28841760-kk8dp' }]);
      expect(pending.conditions).toEqual(['MemoryPressure']);
      const [eviction] = await on.recorded(agent, 'eviction');
      expect(eviction).toMatchObject({ outcome: 'gone' });
      expect(eviction?.['tookMs']).toBeGreaterThanOrEqual(1900);
      await sleep(300);
      expect(on.kernel.killedPods).toEqual([FLOUR.pod]);
    }),
  );

  it(
    'evicts two, one after the other, where the end of one is not enough',
    onCalmNode(async (on) => {
      on.configure(HARD_ONLY);
      const agent = await on.started(['--enforce']);
      on.kernel.use(ORDERS.leaf, VERY_SHORT_MIB);
      const evictions = await on.recorded(agent, 'eviction', 2);
      await sleep(300);
      expect(evictions.map(({ outcome }) => outcome)).toEqual(['gone', 'gone']);
      expect(on.records('evicting').map(({ name }) => name)).toEqual([
        'flour-report-28841760-kk8dp',
        'orders-7c5b8d9f6-9wz7l',
      ]);
      expect(on.kernel.killedPods).toEqual([FLOUR.pod, ORDERS.pod]);
      expect(on.records('eviction')).toHaveLength(2);
    }),
  );

  it(
    'passes over a pod that cannot be killed, says so, and takes the next',
    onCalmNode(async (on) => {
      on.configure(HARD_ONLY);
      for (const one of [FLOUR.pod, FLOUR.leaf]) rmSync(join(on.node.mount, one, 'cgroup.kill'));
      const agent = await on.started(['--enforce']);
      on.kernel.use(FLOUR.leaf, SHORT_MIB);
      const evictions = (await on.recorded(agent, 'eviction', 2)).slice(0, 2);
      expect(evictions.map(({ name, outcome }) => [name, outcome])).toEqual([
        ['flour-report-28841760-kk8dp', 'still-there'],
        ['orders-7c5b8d9f6-9wz7l', 'gone'],
      ]);
      expect(evictions[0]?.['why']).toBe(`${FLOUR.pod} has no cgroup.kill, so nothing was killed`);
      const why = (evictions[1]?.['rank'] as { name: string; evictable: boolean }[]).find(({ name }) =>
        name.startsWith('flour'),
      );
      expect(why?.evictable).toBe(false);
      await agent.says(/error: bakery\/flour-report-28841760-kk8dp is still there: .* has no cgroup\.kill/);
    }),
  );
});

describe.concurrent('run --enforce with a soft threshold', () => {
  const soft = (grace: string): string =>
    `eviction: {pressureTransitionPeriod: 0s, thresholds: {soft: {memory.available: 300Mi}, softGracePeriod: {memory.available: ${grace}}}}`;

  it(
    'evicts when the grace is over, and not before',
    onCalmNode(async (on) => {
      on.configure(soft('5s'));
      const agent = await on.started(['--enforce']);
      const crossedMs = performance.now();
      on.kernel.use(FLOUR.leaf, 230);
      const state = await on.state(agent, ({ conditions }) => conditions.length > 0, 'a condition');
      expect(state.thresholds.find(({ type }) => type === 'soft')).toMatchObject({
        signal: HARD,
        met: true,
        inGrace: true,
      });
      const [eviction] = await on.recorded(agent, 'eviction');
      expect(performance.now() - crossedMs).toBeGreaterThanOrEqual(5000);
      expect(eviction).toMatchObject({ name: 'flour-report-28841760-kk8dp', outcome: 'gone' });
      expect((eviction?.['threshold'] as { type: string }).type).toBe('soft');
      expect(on.kernel.killedPods).toEqual([FLOUR.pod]);
    }),
  );

  it(
    'evicts nobody where memory comes back within the grace, however often',
    onCalmNode(async (on) => {
      on.configure(soft('30s'));
      const agent = await on.started(['--enforce']);
      for (let round = 0; round < 3; round += 1) {
        on.kernel.use(FLOUR.leaf, 230);
        await on.state(agent, ({ conditions }) => conditions.length > 0, 'a condition');
        await sleep(150);
        on.kernel.use(FLOUR.leaf, CALM_MIB);
        await on.state(agent, ({ conditions }) => conditions.length === 0, 'no condition');
      }
      expect(on.records('condition').map(({ status }) => status)).toEqual([
        true,
        false,
        true,
        false,
        true,
        false,
      ]);
      expect(on.records('evicting')).toEqual([]);
      expect(on.kernel.killed).toEqual([]);
    }),
  );
});

describe.concurrent('run --enforce that must not evict', () => {
  it(
    'withholds where nobody may go, and says so once',
    onCalmNode(async (on) => {
      on.configure(
        'eviction: {protected: {namespaces: [bakery, kube-system]}, thresholds: {hard: {memory.available: 200Mi}}}',
      );
      const agent = await on.started(['--enforce']);
      on.kernel.use(FLOUR.leaf, SHORT_MIB);
      const [withheld] = await on.recorded(agent, 'no-eviction');
      await sleep(500);
      expect(withheld).toMatchObject({ signal: HARD });
      expect(on.records('no-eviction')).toHaveLength(1);
      expect(on.kernel.killed).toEqual([]);
      expect(agent.stdout.match(/nobody is evicted for memory\.available/g)).toHaveLength(1);
    }),
  );

  it(
    'keeps evictions off where they are not enabled, and writes limits all the same',
    onCalmNode(async (on) => {
      on.configure('eviction: {enabled: false}', 'memoryQos: {throttlingFactor: 0.9}');
      const agent = await on.started(['--enforce']);
      on.kernel.use(RECIPES.leaf, 900);
      const state = await on.state(agent, ({ conditions }) => conditions.length > 0, 'a condition');
      await sleep(300);
      expect(state.agent).toMatchObject({
        mode: 'enforce',
        evictions: 'off',
        evictionsBecause: 'eviction.enabled is false',
      });
      expect(on.records('evicting')).toEqual([]);
      expect(on.kernel.killed).toEqual([]);
      expect(on.records('write').length).toBeGreaterThan(0);
    }),
  );
});
