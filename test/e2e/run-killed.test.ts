import { existsSync, type FSWatcher, mkdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { PendingFile } from '../../agent/act/evict/pending-file.ts';
import { readJournalFile } from '../../cgroup/disk/journal-file.ts';
import type { JournalRecord } from '../../cgroup/journal.ts';
import { BOOT_ID, LivingNode, type LivingPod, namesIn } from '../fakes/living-node.ts';
import { RunningNodeqos } from '../fakes/running-nodeqos.ts';
import { SimRandom } from '../fakes/sim-random.ts';

/** How often `run` is killed in all, and the seed of when. */
const KILLS = Number(process.env['NODEQOS_KILLS'] ?? 100);
const SEED = Number(process.env['NODEQOS_SEED'] ?? 1);
console.warn(`run is killed ${KILLS} times, seed ${SEED} (NODEQOS_KILLS, NODEQOS_SEED)`);

/** A wait for something that did not come is over after this. */
const LONGEST_WAIT_MS = 1500;
const BUSY = 'memoryQos: {maxWritesPerTick: 16}\nloop: {interval: 50ms, minInterval: 20ms}\n';
const RESETTING =
  'memoryQos: {maxWritesPerTick: 256, onStop: reset}\nloop: {interval: 50ms, minInterval: 20ms}\n';

function livingNode(random: SimRandom): LivingNode {
  const node = new LivingNode({ pods: 20, random, diesInMs: () => random.whole(20, 400) });
  node.configure(BUSY);
  // So that it can be watched from the start.
  mkdirSync(node.state, { recursive: true });
  node.start();
  return node;
}

function inputs(node: LivingNode): readonly string[] {
  return ['--root', node.root, '--pods', node.path('pods.json')];
}

function start(node: LivingNode): RunningNodeqos {
  return new RunningNodeqos(['run', '--enforce', ...inputs(node)]);
}

/** Resolves a moment after a file of this name changed in one of the folders for the n-th time, or much later. */
async function changes(folders: readonly string[], name: RegExp, times: number): Promise<void> {
  const watchers: FSWatcher[] = [];
  let left = times;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, LONGEST_WAIT_MS);
    for (const folder of folders) {
      const watcher = watch(folder, (_event, changed) => {
        if (changed === null || !name.test(changed)) return;
        left -= 1;
        if (left === 0) {
          clearTimeout(timer);
          resolve();
        }
      });
      watchers.push(watcher);
    }
  });
  for (const watcher of watchers) watcher.close();
}

/** How a killed run left the values. */
interface Left {
  /** How many are not as they were before anybody wrote them. */
  readonly changed: number;
  /** How many are in the journal, and were not written any more. */
  readonly onlyJournalled: number;
}

/** Each value that is not as it was must be in the journal with what it was. */
function expectNothingLost(node: LivingNode): Left {
  const read = readJournalFile(node.state);
  const records: ReadonlyMap<string, JournalRecord> =
    read.kind === 'read' ? read.reading.journal.records : new Map<string, JournalRecord>();
  expect(['read', 'missing']).toContain(read.kind);
  const changed = node.changed();
  expect(changed.filter((key) => !records.has(key))).toEqual([]);
  let onlyJournalled = 0;
  for (const [key, record] of records) {
    const original = node.originals.get(key);
    if (original?.inode !== record.inode) continue;
    expect([key, record.before]).toEqual([key, original.text]);
    if (node.read(`sys/fs/cgroup/${key}`).trim() !== record.written) onlyJournalled += 1;
  }
  return { changed: changed.length, onlyJournalled };
}

function isWritten({ changed, onlyJournalled }: Left): boolean {
  return changed > 40 && onlyJournalled === 0;
}

async function killed(agent: RunningNodeqos): Promise<void> {
  const ended = await agent.kill();
  expect(ended, agent.stderr).toEqual({ code: null, signal: 'SIGKILL' });
  expect(agent.stderr).not.toMatch(/another nodeqos|internal error|^\s+at /m);
}

/** In the end a last run does what is left, and reset brings back every byte of every cgroup that is still the same. */
async function expectRestored(node: LivingNode): Promise<void> {
  await endsWell(['run', '--once', '--enforce', ...inputs(node)]);
  expect(expectNothingLost(node).changed).toBeGreaterThan(40);
  await endsWell(['reset', '--root', node.root]);
  expect(node.changed()).toEqual([]);
  const journal = readJournalFile(node.state);
  expect(journal.kind === 'read' ? journal.reading.journal.records.size : -1).toBe(0);
  expect(namesIn(node.state).filter((name) => name.startsWith('lock'))).toEqual([]);
}

/** Not waited for in a way that would stop the node's kernel. */
async function endsWell(args: readonly string[]): Promise<void> {
  const run = new RunningNodeqos(args);
  const ended = await run.ended;
  expect([ended.code, run.stderr.replace(/^warning: .*\n/gm, '')]).toEqual([0, '']);
}

/** Who was killed since the first `victims` and should not have been. */
function others(node: LivingNode, victims: number, hog: LivingPod): readonly string[] {
  return node.killed.slice(victims).filter((name) => name !== hog.name);
}

/** What the audit log tells of evictions, for whoever has to find out what went wrong. */
function story(node: LivingNode): string {
  const path = join(node.state, 'audit.jsonl');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return lines
    .filter((line) => !/"kind":"(write|plan-applied)"/.test(line))
    .slice(-12)
    .join('\n');
}

/** When to kill a run that writes limits. */
async function whileWriting(node: LivingNode, random: SimRandom): Promise<void> {
  const pod = random.pick(node.pods);
  const folders = [pod?.cgroup ?? '', pod?.container ?? ''].map((cgroup) => join(node.mount, cgroup));
  const wait = random.weighted<() => Promise<void>>(
    [
      [3, () => changes([node.state], /^journal/, random.whole(1, 6))],
      [3, () => changes(folders, /^memory\./, 1)],
      [1, () => changes([node.state], /^lock/, random.whole(1, 4))],
      [1, () => changes([node.state], /^audit/, random.whole(1, 30))],
    ],
    () => sleep(random.whole(0, 1500)),
  );
  await wait();
  await sleep(random.whole(0, 4));
}

/** When to kill a run that evicts. */
async function whileEvicting(node: LivingNode, hog: LivingPod, random: SimRandom): Promise<void> {
  const folders = [hog.cgroup, hog.container].map((cgroup) => join(node.mount, cgroup));
  const wait = random.weighted<() => Promise<void>>(
    [
      [3, () => changes([node.state], /^pending/, random.whole(1, 6))],
      [3, () => changes(folders, /^cgroup\.(kill|events)/, random.whole(1, 3))],
      [1, () => changes([node.state], /^audit/, random.whole(1, 12))],
    ],
    () => sleep(random.whole(300, 1500)),
  );
  await wait();
  await sleep(random.whole(0, 6));
}

/** When to kill a run that was told to stop and puts the values back. */
async function whileStopping(node: LivingNode, random: SimRandom): Promise<void> {
  const pod = random.pick(node.pods);
  const folders = [pod?.cgroup ?? '', pod?.container ?? ''].map((cgroup) => join(node.mount, cgroup));
  const wait = random.weighted<() => Promise<void>>(
    [
      [2, () => changes(folders, /^memory\./, 1)],
      [1, () => changes([node.state], /^journal/, random.whole(1, 3))],
      [1, () => changes([node.state], /^audit/, random.whole(1, 30))],
    ],
    () => sleep(random.whole(0, 60)),
  );
  await wait();
}

describe.concurrent('run that is killed again and again', { timeout: 60_000 + 3000 * KILLS }, () => {
  it('while it writes limits loses no old value, and takes over what it had begun', async () => {
    const random = new SimRandom(SEED);
    const node = livingNode(random);
    try {
      const left: Left[] = [];
      for (let round = 0; round < KILLS * 0.4; round += 1) {
        node.setPolicy(0.5 + (round % 8) / 20, round % 2 === 0 ? 'None' : 'TieredReservation');
        const agent = start(node);
        await whileWriting(node, random);
        await killed(agent);
        left.push(expectNothingLost(node));
      }
      const hits = left.filter(({ onlyJournalled }) => onlyJournalled > 0).length;
      console.warn(`${hits} of ${left.length} kills came between the journal and the last write of a batch`);
      if (KILLS >= 100) expect(hits).toBeGreaterThan(0);
      node.setPolicy(0.9);
      await expectRestored(node);
    } finally {
      node.remove();
    }
  });

  it('while it evicts takes one victim a shortage, the right one, and sees it through', async () => {
    const random = new SimRandom(SEED + 1);
    const node = livingNode(random);
    try {
      let hog = node.hunger();
      let victims = 0;
      let hits = 0;
      for (let round = 0; round < KILLS * 0.4 || node.isShort; round += 1) {
        if (!node.isShort) {
          node.replace(hog);
          hog = node.hunger();
        }
        const agent = start(node);
        await whileEvicting(node, hog, random);
        await killed(agent);
        node.look();
        expectNothingLost(node);
        expect(others(node, victims, hog), story(node)).toEqual([]);
        if (new PendingFile(node.state, BOOT_ID).read().pending.length > 0) hits += 1;
        if (!node.isShort) {
          expect(node.killed.slice(victims)).toEqual([hog.name]);
          victims = node.killed.length;
        }
        expect(round, story(node)).toBeLessThan(KILLS * 0.4 + 20);
      }
      console.warn(`${victims} shortages; ${hits} kills came while an eviction went on`);
      if (KILLS >= 100) expect(hits).toBeGreaterThan(0);
      await expectRestored(node);
    } finally {
      node.remove();
    }
  });

  it('while it stops with onStop: reset leaves what it did not put back to the next run, or to reset', async () => {
    const random = new SimRandom(SEED + 2);
    const node = livingNode(random);
    node.configure(RESETTING);
    try {
      const left: Left[] = [];
      for (let round = 0; round < KILLS * 0.2; round += 1) {
        const agent = start(node);
        await agent.says('starts');
        await agent.until(() => isWritten(expectNothingLost(node)), 'everything is written');
        agent.child.kill('SIGTERM');
        await whileStopping(node, random);
        if (agent.isRunning) await agent.kill();
        left.push(expectNothingLost(node));
      }
      const hits = left.filter(({ changed }) => changed > 0).length;
      console.warn(`${hits} of ${left.length} kills left something to put back`);
      if (KILLS >= 100) expect(hits).toBeGreaterThan(0);
      node.configure(BUSY);
      await expectRestored(node);
    } finally {
      node.remove();
    }
  });
});
