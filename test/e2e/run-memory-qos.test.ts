import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cgroupFiles } from '../../agent/fake/cgroup-files.ts';
import { NO_USAGE } from '../../agent/fake/memory-usage.ts';
import { type AgentOnNode, type AuditRecord, beside, ORDERS, onCalmNode } from './agent-on-node.ts';

/** The values of the fixture's pods. */
const VALUES = 40;
const HIGH = `${ORDERS.leaf}/memory.high`;
const PLANNED_HIGH = '993210368';
const UID = '5f0c1a10-0000-4000-8000-0000000000ee';
const NEW_POD = `kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID.replaceAll('-', '_')}.slice`;
const NEW_LEAF = `${NEW_POD}/cri-containerd-${'e'.repeat(64)}.scope`;

interface PodObject {
  readonly metadata: { readonly name: string };
}

function podsFile(on: AgentOnNode): { items: PodObject[] } {
  return JSON.parse(readFileSync(on.node.path('pods.json'), 'utf8')) as { items: PodObject[] };
}

/** Replaces the list of pods in one step. */
function setPods(on: AgentOnNode, items: readonly object[]): void {
  writeFileSync(on.node.path('pods.fresh'), JSON.stringify({ ...podsFile(on), items }));
  renameSync(on.node.path('pods.fresh'), on.node.path('pods.json'));
}

const NEWCOMER = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'bakery', name: 'cakes-0', uid: UID },
  spec: {
    nodeName: 'mill-1',
    containers: [{ name: 'main', resources: { requests: { memory: '64Mi' }, limits: { memory: '128Mi' } } }],
  },
  status: {
    phase: 'Running',
    containerStatuses: [{ name: 'main', containerID: `containerd://${'e'.repeat(64)}` }],
  },
};

/** As a runtime makes the cgroups of a pod: the pod's, then its container's. */
function makeCgroups(on: AgentOnNode): void {
  for (const cgroup of [NEW_POD, NEW_LEAF]) {
    const isContainer = cgroup === NEW_LEAF;
    mkdirSync(join(on.node.mount, cgroup));
    const processIds = isContainer ? [4711] : [];
    const files = cgroupFiles({
      cgroup,
      usage: NO_USAGE,
      maxBytes: null,
      isContainer,
      processIds,
      tasks: 1,
    });
    for (const [name, text] of files) on.node.writeCgroup(`${cgroup}/${name}`, text);
  }
  on.kernel.look();
}

const read = (on: AgentOnNode, path: string): string =>
  readFileSync(join(on.node.mount, path), 'latin1').trim();

/** In one step, so that nobody reads half a value: all of them have nine digits. */
function somebodyWrites(on: AgentOnNode, value: string): void {
  writeFileSync(join(on.node.mount, HIGH), `${value}\n`, { flag: 'r+' });
}

function isOfHigh({ cgroup, file }: AuditRecord): boolean {
  return `${String(cgroup)}/${String(file)}` === HIGH;
}

describe.concurrent('run --enforce and the limits of cgroups', () => {
  it(
    'writes as many a tick as it may, and is through after some ticks',
    onCalmNode(async (on) => {
      on.configure(
        'memoryQos: {throttlingFactor: 0.9, reservationPolicy: TieredReservation, maxWritesPerTick: 2}',
      );
      const agent = await on.started(['--enforce']);
      await on.state(agent, ({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
      const steps = on.records('plan-applied').map(({ written }) => Number(written));
      // What two ticks have begun may end together; a single tick would have begun all of it.
      expect(steps.length).toBeGreaterThan(1);
      expect(steps.reduce((sum, step) => sum + step, 0)).toBe(18);
      expect((await beside(['plan', '--root', on.node.root, '--check'])).status).toBe(0);
      expect(read(on, HIGH)).toBe(PLANNED_HIGH);
    }),
  );

  it(
    'plans a new pod at once when its cgroups come, and forgets one that goes',
    onCalmNode(async (on) => {
      const agent = await on.started(['--enforce', '--interval', '1s']);
      await on.state(agent, ({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
      const { items } = podsFile(on);
      // The API tells of a pod before its cgroups are there.
      setPods(on, [...items, NEWCOMER]);
      const missing = await on.state(agent, ({ pods }) => pods.count === items.length + 1, 'the new pod');
      expect(missing.memoryQos).toMatchObject({ missing: 6 });
      const madeMs = performance.now();
      makeCgroups(on);
      await agent.until(
        () => read(on, `${NEW_LEAF}/memory.high`) !== 'max' && read(on, `${NEW_POD}/memory.low`) !== '0',
        'values of the new pod',
      );
      expect(performance.now() - madeMs).toBeLessThan(2500);
      expect(read(on, `${NEW_LEAF}/memory.high`)).toBe(String(127_504_384));
      expect(read(on, `${NEW_LEAF}/memory.low`)).toBe(String(64 * 2 ** 20));
      const lowWithIt = read(on, 'kubepods.slice/memory.low');
      expect(lowWithIt).toBe(String(838_860_800 + 64 * 2 ** 20));

      setPods(on, items);
      rmSync(join(on.node.mount, NEW_POD), { recursive: true });
      await on.state(
        agent,
        ({ pods, memoryQos }) => pods.count === items.length && memoryQos?.write === 0,
        'the pod gone',
      );
      await agent.until(() => read(on, 'kubepods.slice/memory.low') === '838860800', 'the sum without it');
      expect(existsSync(join(on.node.mount, NEW_POD))).toBe(false);
      expect(agent.stderr).not.toContain('error');
      await agent.kill('SIGTERM');
      // Nothing of the pod that is gone is in the way of a reset.
      const reset = await beside(['reset', '--root', on.node.root, '-o', 'json']);
      expect(reset.status).toBe(0);
      expect(read(on, 'kubepods.slice/memory.low')).toBe('0');
    }),
  );

  it(
    'repairs what somebody else changed, and counts it',
    onCalmNode(async (on) => {
      const agent = await on.started(['--enforce']);
      await on.state(agent, ({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
      expect(read(on, HIGH)).toBe(PLANNED_HIGH);
      somebodyWrites(on, '104857600');
      const [drift] = await on.recorded(agent, 'drift');
      expect(drift).toMatchObject({
        cgroup: ORDERS.leaf,
        file: 'memory.high',
        wrote: PLANNED_HIGH,
        found: '104857600',
      });
      await agent.until(() => read(on, HIGH) === PLANNED_HIGH, 'the value is back');
      const { text } = await on.ask('/metrics');
      expect(text).toContain('\nnodeqos_memory_qos_drifts_total{file="memory.high"} 1\n');
      expect(text).toContain('\nnodeqos_memory_qos_drifts_total{file="memory.low"} 0\n');
      await agent.says(
        /warning: somebody changed memory\.high of .*: 993210368 was written, 104857600 is there/,
      );
    }),
  );

  it(
    'leaves alone for a while what somebody keeps changing, and says who it may be',
    onCalmNode(async (on) => {
      const agent = await on.started(['--enforce']);
      await on.state(agent, ({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
      const repaired = (): number => on.records('write').filter(isOfHigh).length;
      for (let round = 1; round <= 4; round += 1) {
        const before = repaired();
        somebodyWrites(on, `${100_000_000 + round}`);
        const drifts = await on.recorded(agent, 'drift', round);
        if (drifts.at(-1)?.['leftAlone'] !== undefined) break;
        // What is changed while the agent still writes there is nobody's.
        await agent.until(() => repaired() > before, 'the value is back');
      }
      const last = on.records('drift').at(-1);
      expect(last?.['leftAlone']).toMatchObject({ forMs: 600_000 });
      expect(last?.['leftAlone']).toHaveProperty('likelyWriter');
      expect(on.records('drift').length).toBeGreaterThanOrEqual(3);
      const found = read(on, HIGH);
      await new Promise((resolve) => setTimeout(resolve, 400));
      expect(read(on, HIGH)).toBe(found);
      expect(found).not.toBe(PLANNED_HIGH);
      expect((await on.state(agent, () => true, 'a state')).memoryQos).toMatchObject({
        write: 1,
        keep: VALUES - 1,
        leftAlone: 1,
      });
    }),
  );
});
