import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type AgentOnNode, answerOf, beside, FLOUR, onCalmNode, type State } from './agent-on-node.ts';

const mustBeThere = process.env['CI'] === 'true';
const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;
if (!hasPromtool && !mustBeThere) console.warn('skipped: what promtool says (install prometheus)');

/** Everything that a line, a label or a terminal could trip over, as the name of a pod; the last is as long as a name may be. */
const HOSTILE_NAMES = [
  'line\nnodeqos_evictions_total{signal="title"} 1',
  'quote"\\back\\\\slash"} 1',
  'esc\u001b[2J\u001b]0;title\u0007',
  'bidi\u202etxt.exe\u2066',
  `long-${'x'.repeat(248)}`,
] as const;

function hostilePod(name: string, index: number): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: `ns\n"${index}"`, name, uid: `6a000000-0000-4000-8000-00000000000${index}` },
    spec: { nodeName: 'mill-1', priority: -100, containers: [{ name: 'c' }] },
    status: { phase: 'Running' },
  };
}

/** Puts pods before those of the node. */
function addPods(on: AgentOnNode, pods: readonly object[]): void {
  const path = on.node.path('pods.json');
  const list = JSON.parse(readFileSync(path, 'utf8')) as { items: object[] };
  writeFileSync(`${path}.fresh`, JSON.stringify({ ...list, items: [...pods, ...list.items] }));
  renameSync(`${path}.fresh`, path);
}

/** A port that nobody listens at for the moment, and the server that holds it meanwhile. */
async function heldPort(): Promise<{ readonly port: number; readonly free: () => Promise<void> }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    free: async () => {
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

describe.concurrent('an agent that is asked', () => {
  it(
    'answers at a Unix socket that its owner and group may use, and takes it away at its end',
    onCalmNode(async (on) => {
      const agent = await on.started(['--enforce']);
      expect(statSync(on.socket).mode & 0o777).toBe(0o660);
      expect(await on.ask('/healthz')).toEqual({
        status: 200,
        type: 'text/plain; charset=utf-8',
        text: 'ok\n',
      });
      expect(await on.ask('/readyz')).toMatchObject({ status: 200, text: 'ok\n' });
      expect(await on.ask('/metrics')).toMatchObject({
        status: 200,
        type: expect.stringMatching(/^text\/plain; version=0\.0\.4/) as string,
      });
      expect(await on.ask('/state')).toMatchObject({ status: 200, type: 'application/json' });
      expect(await on.ask('/', 'HEAD')).toMatchObject({ status: 200, text: '' });
      expect(await on.ask('/nodeqos.yaml')).toMatchObject({ status: 404 });
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        expect((await on.ask('/state', method)).status).toBe(405);
      }
      expect(await agent.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      expect(existsSync(on.socket)).toBe(false);
    }),
  );

  it(
    'tells its state with the fields of the contract, and who it is',
    onCalmNode(async (on) => {
      const agent = await on.started(['--enforce']);
      await on.state(agent, ({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
      const state = JSON.parse((await on.ask('/state')).text) as State & Record<string, unknown>;
      expect(state).toMatchObject({
        apiVersion: 'nodeqos.dev/v1alpha1',
        kind: 'AgentState',
        conditions: [],
        taints: [],
        pods: { count: 5, ageMs: 0 },
        pending: [],
        troubles: [],
        memoryQos: { write: 0, keep: 40, missing: 0, leftAlone: 0, inFlight: 0 },
        agent: {
          pid: agent.child.pid,
          mode: 'enforce',
          evictions: 'on',
          configurationValid: true,
          psiTrigger: false,
          blindTicks: 0,
          stateDir: on.node.state,
        },
      });
      expect(Number(new Date(String(state.agent['startedAt'])))).toBeGreaterThan(Date.now() - 60_000);
      expect(state.signals.map(({ signal }) => signal)).toEqual(
        state.signals.map(({ signal }) => signal).toSorted(),
      );
    }),
  );

  it(
    'is found by status and by top, which then know since when',
    onCalmNode(async (on) => {
      on.configure(
        `listen: unix:${on.socket}`,
        'eviction: {thresholds: {soft: {memory.available: 300Mi}, softGracePeriod: {memory.available: 10m}}}',
      );
      const agent = await on.started([]);
      on.kernel.use(FLOUR.leaf, 230);
      const seen = await on.state(agent, ({ conditions }) => conditions.length > 0, 'a condition');
      const since = seen.thresholds.find(({ met, type }) => met && type === 'soft')?.metSinceMs;
      const status = await beside(['status', '--root', on.node.root, '-o', 'json']);
      const top = await beside(['top', '--root', on.node.root, '--count', '1']);
      for (const { stdout, status: code } of [status, top]) {
        const document = JSON.parse(stdout) as State;
        expect(code).toBe(0);
        expect(document.agent).toMatchObject({
          pid: agent.child.pid,
          mode: 'dry-run',
          configurationValid: true,
          psiTrigger: false,
        });
        expect(document.conditions).toEqual(['MemoryPressure']);
        const told = document.thresholds.find(({ met, type }) => met && type === 'soft')?.metSinceMs;
        // The clocks are read one after the other, and rounded.
        expect(Math.abs((told ?? 0) - (since ?? 0))).toBeLessThanOrEqual(2);
      }
      await agent.kill('SIGTERM');
      const after = await beside(['status', '--root', on.node.root, '-o', 'json']);
      expect((JSON.parse(after.stdout) as State).agent).toBeNull();
    }),
  );

  it(
    'answers at an address, to nobody who calls it by another name',
    onCalmNode(async (on) => {
      const { port, free } = await heldPort();
      await free();
      const agent = on.start(['--listen', `127.0.0.1:${port}`]);
      const where = { host: '127.0.0.1', port };
      await on.recorded(agent, 'plan-applied');
      expect(await answerOf(where, '/readyz')).toMatchObject({ status: 200 });
      expect(await answerOf(where, '/state', 'GET', 'evil.example')).toMatchObject({ status: 403 });
    }),
  );

  it(
    'says that its port is taken, and works on',
    onCalmNode(async (on) => {
      const { port, free } = await heldPort();
      const agent = on.start(['--enforce', '--listen', `127.0.0.1:${port}`]);
      await agent.says(
        `error: listen: 127.0.0.1:${port} is in use by another program; give another address as listen or --listen`,
      );
      on.kernel.use(FLOUR.leaf, 290);
      expect((await on.recorded(agent, 'eviction'))[0]).toMatchObject({ outcome: 'gone' });
      expect(on.records('trouble')).toMatchObject([{ part: 'listen', over: false }]);
      await free();
    }),
  );

  it(
    'answers nobody with --listen none, and status says so much as the lock tells',
    onCalmNode(async (on) => {
      const agent = on.start(['--listen', 'none']);
      await on.recorded(agent, 'plan-applied');
      expect(existsSync(on.socket)).toBe(false);
      const { stdout, stderr } = await beside([
        'status',
        '--root',
        on.node.root,
        '-o',
        'json',
        '--listen',
        'none',
      ]);
      expect((JSON.parse(stdout) as State).agent).toMatchObject({ pid: agent.child.pid });
      expect(stderr).toContain(`the agent (PID ${agent.child.pid}) does not answer`);
    }),
  );
});

describe.concurrent('metrics of a running agent', () => {
  it.skipIf(!hasPromtool && !mustBeThere)(
    'are as promtool wants them, also with hostile names and after an eviction',
    onCalmNode(async (on) => {
      addPods(on, HOSTILE_NAMES.map(hostilePod));
      const agent = await on.started(['--enforce']);
      on.kernel.use(FLOUR.leaf, 290);
      await on.recorded(agent, 'eviction');
      const { text } = await on.ask('/metrics');
      const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
      expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, '', '']);
      expect(text).toContain('nodeqos_evictions_total{signal="memory.available",outcome="gone"} 1\n');
      expect(text).not.toMatch(/xxxx|ns-|long-|title|\u001b|\u202e/);
    }),
  );

  it(
    'have as many series with 500 pods as with 5',
    onCalmNode(async (on) => {
      const seriesOf = (text: string): readonly string[] =>
        text
          .split('\n')
          .filter((line) => line !== '' && !line.startsWith('#'))
          .map((line) => line.replace(/ \S+$/, ''));
      const agent = await on.started([]);
      await on.recorded(agent, 'plan-applied');
      const few = seriesOf((await on.ask('/metrics')).text);
      addPods(
        on,
        Array.from({ length: 495 }, (_, index) => ({
          ...hostilePod(`many-${index}`, 0),
          metadata: { namespace: `ns-${index}`, name: `many-${index}`, uid: `many-${index}` },
        })),
      );
      await on.state(agent, ({ pods }) => pods.count === 500, '500 pods');
      const many = seriesOf((await on.ask('/metrics')).text);
      expect(many.length).toBeLessThan(300);
      expect(many.filter((series) => !few.includes(series))).toEqual([]);
    }),
  );
});

describe.concurrent('names that are made to deceive', () => {
  it(
    'stay text in the log, the audit log and the state',
    onCalmNode(async (on) => {
      addPods(on, HOSTILE_NAMES.map(hostilePod));
      on.configure('eviction: {unmeasured: evict, thresholds: {hard: {memory.available: 200Mi}}}');
      const agent = await on.started(['--dry-run']);
      on.kernel.use(FLOUR.leaf, 290);
      const [eviction] = await on.recorded(agent, 'eviction');
      // All as they are, since JSON can say anything.
      const names = (eviction?.['rank'] as { name: string }[]).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining([...HOSTILE_NAMES]));
      expect(HOSTILE_NAMES).toContain(eviction?.['name']);
      const audit = readFileSync(`${on.node.state}/audit.jsonl`, 'latin1');
      expect(audit).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
      await agent.says('would evict');
      const log = agent.stdout + agent.stderr;
      expect(log).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      for (const line of agent.stdout.trimEnd().split('\n')) {
        expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z (info|notice|warning|error|crit): /);
      }
      expect(agent.stdout).toContain('\\u000a');
      const state = await on.ask('/state');
      expect(state.text.trimEnd().split('\n')).toHaveLength(1);
      expect((JSON.parse(state.text) as State).pods.count).toBe(10);
    }),
  );
});
