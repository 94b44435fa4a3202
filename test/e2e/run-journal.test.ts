import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PendingFile } from '../../agent/act/evict/pending-file.ts';
import { BOOT_ID, type LivingNode } from '../fakes/living-node.ts';
import { RunningNodeqos } from '../fakes/running-nodeqos.ts';
import { type BrokenRun, withRun } from './broken-run.ts';

/** What a command that is not the agent gives; not waited for in a way that would stop the node's kernel. */
async function command(...args: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const running = new RunningNodeqos(args);
  const { code } = await running.ended;
  return { code, stderr: running.stderr };
}

function journalPath({ state }: LivingNode): string {
  return join(state, 'journal.jsonl');
}

/** A journal of values that a run wrote and that was killed then. */
async function leaveJournal(run: BrokenRun): Promise<string> {
  run.start();
  await run.untilWritten();
  await run.agent.kill();
  return readFileSync(journalPath(run.node), 'utf8');
}

function writeJournal(run: BrokenRun, text: string): void {
  mkdirSync(run.node.state, { recursive: true });
  writeFileSync(journalPath(run.node), text);
}

const BAD_JOURNALS: Readonly<Record<string, readonly [change: (text: string) => string, sentence: string]>> =
  {
    'of a newer nodeqos': [
      (text) => text.replace('"version":1', '"version":2'),
      'it has version 2 and this nodeqos knows version 1; use the nodeqos that wrote it',
    ],
    'of a version that never was': [
      (text) => text.replace('"version":1', '"version":0'),
      'its first line is damaged',
    ],
    'damaged in the middle': [
      (text) => text.replace('"inode":"', '"inode":"x'),
      'journal.jsonl:2: the journal of old values cannot be used: this line is damaged',
    ],
    'of 0 bytes': [() => '', 'its first line is not whole'],
    'of junk': [() => '\0\xff{]\n', 'this is no journal of nodeqos'],
  };

describe.concurrent('run with a journal', () => {
  it.each(Object.entries(BAD_JOURNALS))(
    '%s writes no limit, says why, evicts, and leaves the journal as it is',
    async (_name, [change, sentence]) => {
      await withRun(async (run) => {
        const bad = change(await leaveJournal(run));
        writeJournal(run, bad);
        run.node.setPolicy(0.5);
        const before = run.node.changed().map((key) => run.node.read(`sys/fs/cgroup/${key}`));
        run.start();
        await run.untilTrouble(sentence);
        await run.evicts();
        const now = run.node.changed().map((key) => run.node.read(`sys/fs/cgroup/${key}`));
        expect(now.every((text) => before.includes(text))).toBe(true);
        expect(readFileSync(journalPath(run.node), 'utf8')).toBe(bad);
        expect(run.lines(sentence)).toBe(1);
        await run.stop();
      })();
    },
  );

  it(
    'of this boot adopts it, also where the last line was cut by a crash',
    withRun(async (run) => {
      const text = await leaveJournal(run);
      writeJournal(run, text.slice(0, -20));
      run.node.setPolicy(0.5);
      run.start();
      await run.untilState(({ memoryQos }) => memoryQos?.write === 0, 'everything is written');
      await run.stop();
      expect((await command('reset', '--root', run.node.root)).code).toBe(0);
      // The value of the cut line was written by the first run and is all that is not known any more.
      expect(run.node.changed().length).toBeLessThanOrEqual(1);
    }),
  );

  it(
    'of another boot begins anew with what it finds',
    withRun(async (run) => {
      writeJournal(run, (await leaveJournal(run)).replaceAll(BOOT_ID, 'another-boot'));
      const found = run.node.changed().map((key) => [key, run.node.read(`sys/fs/cgroup/${key}`)]);
      run.node.setPolicy(0.5);
      run.start();
      await run.untilWritten();
      await run.stop();
      expect((await command('reset', '--root', run.node.root)).code).toBe(0);
      expect(run.node.changed().map((key) => [key, run.node.read(`sys/fs/cgroup/${key}`)])).toEqual(found);
    }),
  );

  it(
    'of cgroups that were made anew leaves the new ones what they had',
    withRun(async (run) => {
      await leaveJournal(run);
      for (const pod of [...run.node.pods]) run.node.remake(pod);
      run.start();
      await run.untilWritten();
      run.expectJournalled();
      await run.stop();
      expect((await command('reset', '--root', run.node.root)).code).toBe(0);
      expect(run.node.changed()).toEqual([]);
    }),
  );
});

describe.concurrent('run with pending evictions', () => {
  it(
    'that are damaged says so and evicts',
    withRun(async (run) => {
      mkdirSync(run.node.state, { recursive: true });
      writeFileSync(join(run.node.state, 'pending.json'), '{"schemaVersion": 1, "pending": [7');
      run.start();
      await run.agent.says('pending.json is damaged; evictions that it held are not waited for');
      await run.evicts();
      expect(run.lines('pending.json is damaged')).toBeGreaterThan(0);
      await run.stop();
    }),
  );

  it(
    'of this boot sees the eviction through and takes nobody else; those of another boot are none',
    withRun(async (run) => {
      const { node } = run;
      const hog = node.hunger();
      const file = join(node.state, 'pending.json');
      run.start();
      await run.agent.until(() => node.killed.length > 0, 'the pod is killed');
      await run.agent.kill();
      const left = readFileSync(file, 'utf8');
      expect(new PendingFile(node.state, BOOT_ID).read().pending.map(({ name }) => name)).toEqual([hog.name]);
      run.start();
      await run.agent.says(`evicted shop/${hog.name}`);
      expect([node.killed, node.isShort]).toEqual([[hog.name], false]);
      await run.agent.kill();
      node.replace(hog);
      writeFileSync(file, left.replaceAll(BOOT_ID, 'another-boot'));
      run.start();
      await run.evicts();
      await run.stop();
    }),
  );
});

describe.concurrent('beside run', () => {
  it(
    'apply and reset are told who holds the lock, and reset puts everything back once run was killed',
    withRun(async (run) => {
      run.start();
      await run.untilWritten();
      const places = ['--root', run.node.root];
      for (const args of [
        ['apply', ...places, '--pods', run.node.path('pods.json')],
        ['reset', ...places],
        ['reset', '--neutral', ...places],
        ['run', '--enforce', ...places, '--pods', run.node.path('pods.json')],
      ]) {
        const { code, stderr } = await command(...args);
        expect([args[0], code]).toEqual([args[0], 75]);
        expect(stderr).toContain(`nodeqos run (PID ${run.agent.child.pid ?? 0}) has written here since`);
      }
      await run.agent.kill();
      expect((await command('reset', ...places)).code).toBe(0);
      expect(run.node.changed()).toEqual([]);
    }),
  );

  it(
    'another writer is repaired, and after three repairs left alone and named',
    withRun(async (run) => {
      const { node } = run;
      const [pod] = node.pods.filter(({ isGuaranteed }) => !isGuaranteed);
      const place = `sys/fs/cgroup/${pod?.container ?? ''}/memory.high`;
      run.start();
      await run.untilWritten();
      const wanted = node.read(place);
      const begun = process.hrtime.bigint();
      let storms = 0;
      while (!run.agent.stdout.includes('left alone')) {
        node.write(place, `${1_000_000_000 + 4096 * storms}\n`);
        storms += 1;
        await run.agent.until(
          () => node.read(place) === wanted || run.agent.stdout.includes('left alone'),
          'it is repaired or left alone',
        );
      }
      expect([storms, process.hrtime.bigint() - begun < 60_000_000_000n]).toEqual([4, true]);
      const now = node.read(place);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(node.read(place)).toBe(now);
      const metrics = (await run.ask('/metrics')).body;
      expect(metrics).toMatch(/^nodeqos_memory_qos_drifts_total(\{.*\})? 4$/m);
      expect(metrics).toMatch(/^nodeqos_memory_qos_left_alone_total(\{.*\})? 1$/m);
      run.expectJournalled();
      await run.stop();
    }),
  );

  it(
    'thousands of writes let neither the journal grow without bound nor descriptors leak',
    withRun(
      async (run) => {
        run.start();
        await run.untilWritten();
        const descriptors = (): number => readdirSync(`/proc/${run.agent.child.pid ?? 0}/fd`).length;
        const before = descriptors();
        let largest = 0;
        for (let round = 0; round < 24; round += 1) {
          const hasTiers = round % 2 === 1;
          run.node.setPolicy(0.5, hasTiers ? 'TieredReservation' : 'None');
          const low = (): string => run.node.read('sys/fs/cgroup/kubepods/memory.low');
          await run.agent.until(() => (low() !== '0\n') === hasTiers, 'the tiers are written');
          await run.untilWritten();
          largest = Math.max(largest, readFileSync(journalPath(run.node), 'utf8').split('\n').length);
        }
        const writes = run.lines('wrote memory.');
        console.warn(`${writes} writes; the journal had ${largest} lines at most`);
        expect(writes).toBeGreaterThan(3000);
        // Some 300 files; it is written anew when a thousand lines more than there are files say nothing new.
        expect(largest).toBeLessThan(2000);
        expect(descriptors()).toBeLessThanOrEqual(before + 1);
        run.expectJournalled();
        await run.stop();
      },
      'memoryQos: {maxWritesPerTick: 1000}\n',
      60,
    ),
  );
});
