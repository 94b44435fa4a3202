import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunningNodeqos } from '../fakes/running-nodeqos.ts';
import { canMount, withRun } from './broken-run.ts';

if (!canMount) console.warn('skipped in part: mount namespaces need root and unshare -m');

const FULL_STATE =
  'mkdir -p "$STATE"; mount -t tmpfs -o size=64k none "$STATE"; head -c 65536 /dev/zero > "$STATE/filler" || :';

describe.skipIf(!canMount).concurrent('run (needs root and unshare -m)', () => {
  it(
    'on a full disk writes no limit and evicts all the same, and recovers by itself',
    withRun(async (run) => {
      run.start(FULL_STATE);
      const space = 'no space left';
      await run.untilTrouble(space);
      await run.evicts();
      await run.evicts();
      expect(run.node.changed()).toEqual([]);
      const { troubles } = await run.state();
      expect(troubles.map((one) => one.split(':')[0])).toEqual(['audit', 'lock', 'pending']);
      expect((await run.ask('/metrics')).body).toMatch(/^nodeqos_trouble\{part="lock"\} 1$/m);
      expect((await run.ask('/healthz')).status).toBe(200);
      const { root } = run.node;
      const status = new RunningNodeqos([
        'status',
        '--root',
        root,
        '--listen',
        `unix:${root}/socket`,
        '-o',
        'json',
      ]);
      await status.ended;
      expect(JSON.parse(status.stdout)).toMatchObject({
        agent: {
          mode: 'enforce',
          troubles: troubles.map((one) => expect.stringContaining(one.slice(0, 4)) as string),
        },
        warnings: expect.arrayContaining([
          expect.objectContaining({ code: 'agent-without-lock' }),
        ]) as unknown,
      });
      expect([run.lines('no limit is written without the lock'), run.lines('records wait')]).toEqual([1, 1]);
      rmSync(run.seen(join(run.node.state, 'filler')));
      await run.untilWritten(20_000);
      run.expectJournalled();
      expect(run.node.changed().length).toBeGreaterThan(20);
      await run.evicts();
      await run.untilState((state) => state.troubles.length === 0, 'no trouble is left');
      await run.agent.until(
        () => run.audit().filter((kind) => kind === 'eviction').length === 3,
        'all is on record',
      );
      expect(run.audit()[0]).toBe('start');
      await run.stop();
    }),
  );

  it(
    'with a state folder that is read-only evicts, and writes no limit',
    withRun(async (run) => {
      run.start('mkdir -p "$STATE"; mount --bind "$STATE" "$STATE"; mount -o remount,ro,bind "$STATE"');
      await run.untilTrouble('the filesystem is read-only');
      await run.evicts();
      expect(run.node.changed()).toEqual([]);
      expect(readdirSync(run.node.state)).toEqual([]);
      await run.stop();
    }),
  );

  it(
    'with an audit log on a full disk does all its work, and writes every record once there is room',
    withRun(async (run) => {
      const full = 'mkdir "$ROOT/log"; mount -t tmpfs -o size=16k none "$ROOT/log"';
      const log = run.node.path('log');
      const fill = 'head -c 16384 /dev/zero > "$ROOT/log/filler" || :';
      run.start(`${full}; ${fill}`, ['--audit-log', `${log}/audit.jsonl`]);
      await run.untilWritten();
      await run.evicts();
      run.expectJournalled();
      await run.untilTrouble('records wait');
      expect(run.lines('records wait')).toBe(1);
      run.inside('rm "$ROOT/log/filler"; mount -o remount,size=8m "$ROOT/log"');
      await run.untilState(({ troubles }) => troubles.length === 0, 'no trouble is left');
      const kinds = run.audit(`${log}/audit.jsonl`);
      expect([kinds[0], kinds.includes('lost')]).toEqual(['start', false]);
      expect(kinds.filter((kind) => kind === 'write')).toHaveLength(run.lines('wrote memory.'));
      await run.stop();
    }),
  );

  it(
    'with a journal that takes nothing writes nothing more, evicts, and goes on when it does again',
    withRun(async (run) => {
      run.start('mount --make-rprivate /');
      await run.untilWritten();
      const written = run.node.changed();
      const journal = '"$STATE/journal.jsonl"';
      run.inside(`mount --bind ${journal} ${journal}; mount -o remount,ro,bind ${journal}`);
      run.node.setPolicy(0.5);
      await run.untilTrouble('the old values cannot be kept');
      await run.evicts();
      expect(run.lines('the old values cannot be kept')).toBe(1);
      expect(run.node.changed().filter((key) => !written.includes(key))).toEqual([]);
      run.expectJournalled();
      run.inside(`umount ${journal}`);
      await run.untilWritten(20_000);
      run.expectJournalled();
      await run.untilState(({ troubles }) => troubles.length === 0, 'no trouble is left');
      await run.stop();
    }),
  );

  it(
    'with a cgroup tree that is read-only says so once, kills nobody and harms nothing',
    withRun(async (run) => {
      run.start('mount --bind "$MOUNT" "$MOUNT"; mount -o remount,ro,bind "$MOUNT"');
      await run.untilTrouble('the filesystem is read-only');
      run.node.hunger();
      await run.agent.says(/could not be evicted|is still there|still-there|refused/);
      await run.untilState(({ troubles }) => troubles.some((one) => one.startsWith('cgroups')), 'trouble');
      expect([run.node.killed, run.node.changed()]).toEqual([[], []]);
      expect((await run.ask('/healthz')).status).toBe(200);
      run.inside('mount -o remount,rw,bind "$MOUNT"');
      await run.untilWritten(30_000);
      run.expectJournalled();
      await run.stop();
    }),
  );
});

describe.concurrent('run on a node of which something goes away', () => {
  it(
    'keeps its settings while the configuration is gone, garbage or a folder, and takes the next good one',
    withRun(async (run) => {
      run.start();
      await run.untilWritten();
      const file = run.node.path('var/lib/kubelet/config.yaml');
      let error: string | undefined;
      for (const change of [
        () => {
          rmSync(file);
        },
        () => {
          writeFileSync(file, '\0\0{');
        },
        () => {
          rmSync(file);
          mkdirSync(file);
        },
      ]) {
        change();
        const { agent } = await run.untilState(
          ({ agent: { configurationError } }) =>
            configurationError !== undefined && configurationError !== error,
          'the configuration is refused',
        );
        error = agent.configurationError;
        await run.evicts();
      }
      expect(run.lines('the new configuration is refused')).toBe(3);
      expect((await run.ask('/metrics')).body).toMatch(/^nodeqos_config_last_reload_successful 0$/m);
      rmSync(file, { recursive: true });
      run.node.setPolicy(0.5);
      await run.untilState(({ agent }) => agent.configurationValid, 'the configuration is good again');
      await run.untilWritten();
      run.expectJournalled();
      await run.stop();
    }),
  );

  it(
    'keeps the list of pods while its file is gone, garbage or a folder, and evicts',
    withRun(async (run) => {
      run.start();
      await run.untilWritten();
      const file = run.node.path('pods.json');
      for (const change of [
        () => {
          rmSync(file);
        },
        () => {
          writeFileSync(file, '{"kind": "List", "items": [7');
        },
        () => {
          rmSync(file);
          mkdirSync(file);
        },
      ]) {
        change();
        await run.untilTrouble('pods:');
        const hog = run.node.hunger();
        await run.agent.until(() => !run.node.isShort, 'the pod is evicted');
        expect(run.node.killed.at(-1)).toBe(hog.name);
        rmSync(file, { recursive: true, force: true });
        run.node.replace(hog);
        await run.untilState(({ troubles }) => troubles.length === 0, 'no trouble is left');
      }
      expect(run.node.killed).toHaveLength(3);
      await run.untilWritten();
      run.expectJournalled();
      await run.stop();
    }),
  );

  it(
    'is blind without the counters of the node: evicts nobody, fails its health, and sees again',
    withRun(async (run) => {
      run.start();
      await run.untilWritten();
      const stat = join(run.node.mount, 'memory.stat');
      rmSync(stat);
      mkdirSync(stat);
      await run.untilState(({ agent }) => agent.blindTicks >= 5, 'it is blind');
      const health = await run.ask('/healthz');
      expect(health.status).toBe(503);
      expect(health.body).toContain('memory.stat');
      expect(run.node.killed).toEqual([]);
      expect(run.lines('memory.available is not observed')).toBe(1);
      rmSync(stat, { recursive: true });
      await run.evicts();
      expect((await run.ask('/healthz')).status).toBe(200);
      await run.stop();
    }),
  );

  it(
    'goes on without /proc, with what it knew at the start',
    withRun(async (run) => {
      run.start();
      await run.untilWritten();
      rmSync(run.node.path('proc'), { recursive: true });
      await run.evicts();
      expect((await run.ask('/healthz')).status).toBe(200);
      await run.stop();
    }),
  );

  it(
    'makes the audit log anew where it is moved away or removed',
    withRun(async (run) => {
      run.start();
      await run.untilWritten();
      const log = join(run.node.state, 'audit.jsonl');
      renameSync(log, `${log}.aside`);
      await run.evicts();
      await run.agent.says('evicted shop/');
      expect(run.audit()).toContain('evicting');
      rmSync(log);
      await run.evicts();
      await run.agent.until(() => run.lines('evicted shop/') === 2, 'two are gone');
      expect(run.audit()).toContain('evicting');
      expect(run.audit(`${log}.aside`)[0]).toBe('start');
      await run.stop();
    }),
  );
});
