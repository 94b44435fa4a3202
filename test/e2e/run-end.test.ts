import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AgentOnNode, beside, FLOUR, onCalmNode } from './agent-on-node.ts';
import { Manager } from './manager.ts';

const HARD_ONLY = 'eviction: {pressureTransitionPeriod: 0s, thresholds: {hard: {memory.available: 200Mi}}}';
const QOS = 'throttlingFactor: 0.9, reservationPolicy: TieredReservation';

/** What can be written of a node's cgroups. */
function limits(on: AgentOnNode): readonly (readonly [string, string])[] {
  return Object.entries(on.node.cgroups()).filter(([path]) => /\/memory\.(min|low|high|max)$/.test(path));
}

function isUnlocked(on: AgentOnNode): boolean {
  return !existsSync(join(on.node.state, 'lock')) && !existsSync(on.socket);
}

describe.concurrent('run that is told to end', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s says so, lets go of the node, and leaves the limits as they are',
    async (signal) => {
      await onCalmNode(async (on) => {
        const agent = await on.started(['--enforce']);
        await on.state(agent, ({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
        const written = limits(on);
        expect(await agent.kill(signal)).toEqual({ code: 0, signal: null });
        expect(limits(on)).toEqual(written);
        expect(on.records().at(-1)).toMatchObject({ kind: 'stop', mode: 'enforce', reason: signal });
        expect(agent.stdout.trimEnd().split('\n').at(-1)).toMatch(
          new RegExp(`^\\S+ info: nodeqos stops: ${signal}$`),
        );
        expect(isUnlocked(on)).toBe(true);
        expect((await beside(['plan', '--root', on.node.root, '--check'])).status).toBe(0);
      })();
    },
  );

  it(
    'puts every byte back where onStop is reset, and puts that on record',
    onCalmNode(async (on) => {
      on.node.writeCgroup(`${FLOUR.leaf}/memory.high`, '1099511627776\n');
      on.node.writeCgroup('kubepods.slice/memory.low', '4096\n');
      const before = limits(on);
      on.configure(`memoryQos: {${QOS}, onStop: reset}`);
      const agent = await on.started(['--enforce']);
      await on.state(agent, ({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
      expect(limits(on)).not.toEqual(before);
      expect(await agent.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      expect(limits(on)).toEqual(before);
      const records = on.records('write');
      const places = new Set(records.map(({ cgroup, file }) => `${String(cgroup)}/${String(file)}`));
      // Each was written once and put back once.
      expect([places.size, records.length]).toEqual([18, 36]);
      expect(records.every(({ outcome }) => outcome === 'written')).toBe(true);
      expect(on.records().at(-1)?.kind).toBe('stop');
      expect(isUnlocked(on)).toBe(true);
      expect((await beside(['reset', '--root', on.node.root])).stdout).toBe(
        '0 written, 0 failed, 0 vanished, 0 unchanged, 0 stale\n',
      );
    }),
  );

  it(
    'goes by the onStop that is in force at its end, not by the one of its start',
    onCalmNode(async (on) => {
      on.configure(`memoryQos: {${QOS}, onStop: keep}`);
      const before = limits(on);
      const agent = await on.started(['--enforce']);
      await on.state(agent, ({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
      expect(limits(on)).not.toEqual(before);
      on.configure(`memoryQos: {${QOS}, onStop: reset}`);
      const [reload] = await on.recorded(agent, 'reload');
      expect(reload).toMatchObject({ ok: true, changes: ['memoryQos.onStop: "keep" -> "reset"'] });
      expect(await agent.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      expect(limits(on)).toEqual(before);
    }),
  );

  it(
    'changes nothing at its end in dry-run, whatever onStop says',
    onCalmNode(async (on) => {
      on.configure(`memoryQos: {${QOS}, onStop: reset}`);
      expect((await on.start(['--once', '--enforce']).ended).code).toBe(0);
      const written = limits(on);
      const agent = await on.started(['--dry-run']);
      expect(await agent.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      expect(limits(on)).toEqual(written);
    }),
  );

  it(
    'while a pod ends does not wait for it, kills nobody, and the next run sees it through',
    onCalmNode(async (on) => {
      on.configure(HARD_ONLY);
      on.kernel.dies(FLOUR.pod, 'never');
      const agent = await on.started(['--enforce']);
      on.kernel.use(FLOUR.leaf, 290);
      await on.recorded(agent, 'evicting');
      await agent.until(() => on.kernel.killedPods.length > 0, 'the pod is killed');
      const endedMs = performance.now();
      expect(await agent.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      expect(performance.now() - endedMs).toBeLessThan(5000);
      expect(on.records('eviction')).toMatchObject([
        { outcome: 'still-there', why: 'it was killed, and the agent ended before it was gone' },
      ]);
      expect(on.kernel.killedPods).toEqual([FLOUR.pod]);

      on.kernel.dies(FLOUR.pod, 0);
      const next = await on.started(['--enforce']);
      const evictions = await on.recorded(next, 'eviction', 2);
      expect(evictions[1]).toMatchObject({ name: 'flour-report-28841760-kk8dp', outcome: 'gone' });
      expect(on.kernel.killedPods).toEqual([FLOUR.pod, FLOUR.pod]);
      // One shortage, one victim: it was told to go once.
      expect(new Set(on.records('evicting').map(({ name }) => name)).size).toBe(1);
    }),
  );

  it(
    'twice, ends all the same',
    onCalmNode(async (on) => {
      const agent = await on.started(['--enforce']);
      agent.child.kill('SIGTERM');
      agent.child.kill('SIGTERM');
      const { code, signal } = await agent.ended;
      expect([0, null]).toContain(code);
      expect([null, 'SIGTERM']).toContain(signal);
    }),
  );
});

describe.concurrent('run under a service manager', () => {
  it(
    'is ready after its first tick, tells of changes, reloads and its end, and gives signs of life',
    onCalmNode(async (on) => {
      on.configure(HARD_ONLY);
      const manager = new Manager(on.node.path('notify.sock'));
      const agent = on.start(['--enforce'], { NOTIFY_SOCKET: manager.socket, WATCHDOG_USEC: '2000000' });
      await manager.hears(agent, /^WATCHDOG=1$/);
      expect(manager.told[0]).toMatch(
        /^READY=1\nSTATUS=enforce; no pressure; 5 pods; 40 values, \d+ to write/,
      );
      expect(manager.told.filter((text) => text.startsWith('READY'))).toHaveLength(1);
      await manager.hears(agent, /^STATUS=enforce; no pressure; 5 pods; 40 values, 0 to write$/);

      const asked = manager.told.length;
      agent.child.kill('SIGHUP');
      const reloading = await manager.hears(agent, /^RELOADING=1\nMONOTONIC_USEC=\d{6,}$/, asked);
      await manager.hears(agent, /^READY=1\nSTATUS=/, reloading);

      on.configure('mode: [');
      await manager.hears(agent, /STATUS=.*the configuration on disk is refused/);
      on.kernel.dies(FLOUR.pod, 'never');
      on.kernel.use(FLOUR.leaf, 290);
      await manager.hears(agent, /^STATUS=enforce; MemoryPressure; /);

      expect(await agent.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      expect(manager.listen().at(-1)).toBe('STOPPING=1');
      manager.receiver.close();
    }),
  );

  it(
    'gives no sign of life while it is blind, is not healthy, evicts nobody, and recovers',
    onCalmNode(async (on) => {
      on.configure(HARD_ONLY);
      const manager = new Manager(on.node.path('notify.sock'));
      const agent = on.start(['--enforce'], { NOTIFY_SOCKET: manager.socket, WATCHDOG_USEC: '60000000' });
      await manager.hears(agent, /^WATCHDOG=1$/);
      const stat = join(on.node.mount, 'memory.stat');
      renameSync(stat, on.node.path('memory.stat.away'));
      await on.state(agent, ({ agent: { blindTicks } }) => Number(blindTicks) >= 5, 'five blind ticks');
      manager.listen();
      const blindFrom = manager.told.length;
      await on.state(agent, ({ agent: { blindTicks } }) => Number(blindTicks) >= 10, 'ten blind ticks');
      expect(manager.listen().slice(blindFrom)).not.toContain('WATCHDOG=1');
      expect(manager.told.findLast((text) => text.startsWith('STATUS='))).toMatch(/; blind; /);
      const health = await on.ask('/healthz');
      expect([health.status, health.text]).toEqual([
        503,
        expect.stringMatching(
          /^blind for \d+ ticks: statistics: .*memory\.stat is not there: memory\.available is not observed/,
        ),
      ]);
      expect((await on.ask('/readyz')).status).toBe(503);
      expect(agent.stderr).toContain('crit: statistics: ');
      expect(on.kernel.killed).toEqual([]);

      const seeing = manager.told.length;
      renameSync(on.node.path('memory.stat.away'), stat);
      await manager.hears(agent, /^WATCHDOG=1$/, seeing);
      expect((await on.ask('/healthz')).status).toBe(200);
      await agent.says('statistics works again');
      manager.receiver.close();
    }),
  );

  it(
    'writes for the journal when its streams go there: levels as prefixes, no times',
    onCalmNode(async (on) => {
      const script = 'exec "$@" 2>"$ERR" >"$OUT"';
      const env = { OUT: on.node.path('out'), ERR: on.node.path('err') };
      const journal = ['sh', '-c', `: >"$OUT"; JOURNAL_STREAM="$(stat -c %d:%i "$OUT")" ${script}`, 'sh'];
      const { code } = await on.start(['--once'], env, journal).ended;
      expect(code).toBe(0);
      const lines = readFileSync(env.OUT, 'utf8').trimEnd().split('\n');
      expect(lines[0]).toMatch(/^<6>nodeqos \S+ starts \(dry-run, PID \d+/);
      for (const line of lines) expect(line).toMatch(/^<[0-7]>/);
      expect(lines.at(-1)).toBe('<6>nodeqos stops: done');
      // The other stream goes to a file that is no journal.
      expect(readFileSync(env.ERR, 'utf8')).toMatch(/^warning: /);
    }),
  );
});
