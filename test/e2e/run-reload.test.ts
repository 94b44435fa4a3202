import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RunningNodeqos } from '../fakes/running-nodeqos.ts';
import { type AgentOnNode, beside, FLOUR, ORDERS, onCalmNode } from './agent-on-node.ts';

const head = 'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\n';
const CONFIG = 'etc/nodeqos/nodeqos.yaml';
const NO_SOFT = 'eviction: {pressureTransitionPeriod: 0s, thresholds: {hard: {memory.available: 200Mi}}}';

/** The figures of the agent about its configuration, from wherever somebody may look. */
async function everywhere(on: AgentOnNode) {
  const { agent } = JSON.parse((await on.ask('/state')).text) as { agent: Record<string, unknown> };
  const metrics = (await on.ask('/metrics')).text;
  // It has to find the agent without the configuration that is refused.
  const fine = on.node.write('fine.yaml', `${head}listen: unix:${on.socket}\n`);
  const args = ['status', '--root', on.node.root, '--config', fine, '-o', 'json'];
  const status = JSON.parse((await beside(args)).stdout) as { agent: Record<string, unknown> };
  const metric = (name: string) => new RegExp(`^${name} (.*)$`, 'm').exec(metrics)?.[1];
  return {
    state: agent['configurationValid'],
    error: agent['configurationError'],
    status: status.agent['configurationValid'],
    metric: metric('nodeqos_config_last_reload_successful'),
    successes: metric('nodeqos_config_reloads_total\\{outcome="success"\\}'),
    failures: metric('nodeqos_config_reloads_total\\{outcome="failure"\\}'),
    mode: agent['mode'],
  };
}

async function reloaded(on: AgentOnNode, agent: RunningNodeqos, count: number) {
  return (await on.recorded(agent, 'reload', count))[count - 1];
}

describe.concurrent('run whose nodeqos.yaml changes', () => {
  it(
    'takes a good one, and says what is different',
    onCalmNode(async (on) => {
      on.configure(NO_SOFT);
      const agent = await on.started([]);
      on.configure(NO_SOFT.replace('200Mi', '300Mi'), 'mode: enforce');
      const reload = await reloaded(on, agent, 1);
      expect(reload).toMatchObject({ ok: true, mode: 'enforce' });
      expect(reload?.['changes']).toEqual([
        expect.stringMatching(/^eviction\.thresholds: .*hard 200Mi.* -> .*hard 300Mi/),
        'mode: "dry-run" -> "enforce"',
      ]);
      await agent.says('info: the configuration changed: ');
      // It acts by it: another threshold, and no dry-run any more.
      on.kernel.use(FLOUR.leaf, 200);
      const [eviction] = await on.recorded(agent, 'eviction');
      expect(eviction).toMatchObject({
        outcome: 'gone',
        threshold: { value: { quantity: 300 * 2 ** 20 } },
      });
      expect(on.kernel.killedPods).toEqual([FLOUR.pod]);
    }),
  );

  it(
    'keeps the last good one where it is refused, shows that everywhere, and takes the mended one',
    onCalmNode(async (on) => {
      on.configure(NO_SOFT, 'mode: enforce');
      const agent = await on.started([]);
      on.configure('eviction: {thresholds: {hard: {memory.available: 1}}}');
      const refused = await reloaded(on, agent, 1);
      expect(refused).toMatchObject({ ok: false, mode: 'enforce', changes: [] });
      expect(refused?.['error']).toContain(`${on.node.path(CONFIG)}:3:`);
      await agent.says('error: the new configuration is refused and the last good one stays: ');
      await on.state(agent, (state) => state.agent['configurationValid'] === false, 'the refusal');
      expect(await everywhere(on)).toEqual({
        state: false,
        error: refused?.['error'],
        status: false,
        metric: '0',
        successes: '0',
        failures: '1',
        mode: 'enforce',
      });
      // A command that reads the same file names the same line.
      const status = await beside(['status', '--root', on.node.root]);
      expect([status.status, status.stderr]).toEqual([65, `nodeqos: ${String(refused?.['error'])}\n`]);
      // What was in force still is.
      on.kernel.use(FLOUR.leaf, 290);
      expect((await on.recorded(agent, 'eviction'))[0]).toMatchObject({ outcome: 'gone' });

      on.configure(NO_SOFT, 'mode: enforce', 'eviction: {}');
      const doubled = await reloaded(on, agent, 2);
      expect(doubled).toMatchObject({ ok: false });
      on.configure(NO_SOFT.replace('200Mi', '150Mi'), 'mode: enforce');
      expect(await reloaded(on, agent, 3)).toMatchObject({ ok: true });
      await on.state(agent, (state) => state.agent['configurationValid'] === true, 'the mended one');
      expect(await everywhere(on)).toMatchObject({
        state: true,
        status: true,
        metric: '1',
        successes: '1',
        failures: '2',
      });
    }),
  );

  it(
    'goes on as it was where the file vanishes, also when it had come while it ran',
    onCalmNode(async (on) => {
      rmSync(on.node.path(CONFIG));
      const agent = await on.started([]);
      on.configure(NO_SOFT, 'mode: enforce');
      expect(await reloaded(on, agent, 1)).toMatchObject({ ok: true, mode: 'enforce' });
      rmSync(on.node.path(CONFIG));
      const refused = await reloaded(on, agent, 2);
      expect(refused).toMatchObject({ ok: false, mode: 'enforce' });
      expect(refused?.['error']).toContain(`${on.node.path(CONFIG)} is gone; the settings in force stay`);
      on.configure(NO_SOFT, 'mode: enforce');
      expect(await reloaded(on, agent, 3)).toMatchObject({ ok: true, mode: 'enforce', changes: [] });
      await agent.says('info: the configuration was read again; nothing changed');
    }),
  );

  it(
    'sees a file that is replaced by rename, and its drop-ins',
    onCalmNode(async (on) => {
      on.configure(NO_SOFT);
      const agent = await on.started([]);
      const fresh = on.node.write('etc/nodeqos/fresh', `${head}${NO_SOFT}\nmode: enforce\n`);
      renameSync(fresh, on.node.path(CONFIG));
      expect(await reloaded(on, agent, 1)).toMatchObject({ ok: true, mode: 'enforce' });
      on.node.write('etc/nodeqos/nodeqos.yaml.d/10-calm.yaml', 'mode: dry-run\n');
      expect(await reloaded(on, agent, 2)).toMatchObject({ ok: true, mode: 'dry-run' });
      rmSync(on.node.path('etc/nodeqos/nodeqos.yaml.d/10-calm.yaml'));
      expect(await reloaded(on, agent, 3)).toMatchObject({ ok: true, mode: 'enforce' });
    }),
  );
});

describe.concurrent('run that is told to read its configuration again', () => {
  it(
    'by SIGHUP says so even when nothing changed',
    onCalmNode(async (on) => {
      const agent = await on.started(['--enforce']);
      agent.child.kill('SIGHUP');
      expect(await reloaded(on, agent, 1)).toMatchObject({ ok: true, changes: [], mode: 'enforce' });
      agent.child.kill('SIGHUP');
      await reloaded(on, agent, 2);
      expect(agent.isRunning).toBe(true);
    }),
  );

  it(
    'takes another KubeletConfiguration, and what the command line says stays',
    onCalmNode(async (on) => {
      const agent = await on.started(['--dry-run', '--throttling-factor', '0.5']);
      await on.recorded(agent, 'plan-applied');
      const kubelet = on.node.path('var/lib/kubelet/config.yaml');
      writeFileSync(
        kubelet,
        'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncgroupDriver: systemd\nfeatureGates: {MemoryQoS: false}\nevictionHard: {memory.available: 600Mi}\n',
      );
      on.configure('mode: enforce');
      const reload = await reloaded(on, agent, 1);
      await on.recorded(agent, 'eviction');
      expect(reload).toMatchObject({ ok: true, mode: 'dry-run' });
      expect(
        on
          .records('write')
          .filter(({ cgroup }) => cgroup === ORDERS.leaf)
          .map(({ file, to }) => [file, to]),
      ).toContainEqual(['memory.high', '671088640']);
      expect(on.kernel.killed).toEqual([]);
      // Half an edit is no configuration: the kubelet's is as closely looked at as nodeqos' own.
      writeFileSync(
        kubelet,
        'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nevictionHard: {memory.avai',
      );
      const refused = await on.recorded(agent, 'reload', on.records('reload').length + 1);
      expect(refused.at(-1)).toMatchObject({ ok: false });
      expect(String(refused.at(-1)?.['error'])).toContain(`${kubelet}:3:`);
    }),
  );

  it(
    'writes and evicts nothing any more once the mode is dry-run',
    onCalmNode(async (on) => {
      on.configure(NO_SOFT, 'mode: enforce', 'memoryQos: {throttlingFactor: 0.9}');
      const agent = await on.started([]);
      await on.state(agent, ({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
      on.configure(NO_SOFT, 'mode: dry-run', 'memoryQos: {throttlingFactor: 0.5}');
      await reloaded(on, agent, 1);
      const cgroups = on.node.cgroups();
      on.kernel.use(FLOUR.leaf, 290);
      expect((await on.recorded(agent, 'eviction'))[0]).toMatchObject({
        outcome: 'dry-run',
        mode: 'dry-run',
      });
      const limits = (files: Record<string, string>) =>
        Object.entries(files).filter(([path]) => /memory\.(min|low|high)$|cgroup\.kill$/.test(path));
      expect(limits(on.node.cgroups())).toEqual(limits(cgroups));
      expect(on.kernel.killed).toEqual([]);
    }),
  );

  it(
    'keeps the pods that it knows where their list cannot be read at that moment',
    onCalmNode(async (on) => {
      on.configure(NO_SOFT, 'mode: enforce');
      const agent = await on.started([]);
      writeFileSync(on.node.path('pods.json'), '{"kind": "List", "items": [');
      await agent.says(/crit: pods: /);
      agent.child.kill('SIGHUP');
      await reloaded(on, agent, 1);
      on.kernel.use(FLOUR.leaf, 290);
      expect((await on.recorded(agent, 'eviction'))[0]).toMatchObject({ outcome: 'gone' });
    }),
  );
});
