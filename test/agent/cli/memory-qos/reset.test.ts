import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../../../agent/cli/program.ts';
import { takeLock } from '../../../../cgroup/disk/lock-file.ts';
import type { NodeFolder } from '../../../fakes/node-folder.ts';
import {
  argumentsFor,
  BURSTABLE,
  BURSTABLE_CONTAINER,
  BURSTABLE_POD,
  GUARANTEED_CONTAINER,
  GUARANTEED_POD,
  nodeWithPods,
  PLANNED,
  SANDBOX,
} from '../../../fakes/node-with-pods.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

interface Result {
  readonly kind: string;
  readonly dryRun: boolean;
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  readonly summary: Readonly<Record<string, number>>;
  readonly warnings: readonly {
    readonly code: string;
    readonly message: string;
    readonly cgroup: string | null;
  }[];
}

let node: NodeFolder;

beforeEach(() => {
  node = nodeWithPods();
});

afterEach(() => {
  node.remove();
});

async function runIn(argv: readonly string[]) {
  const io = new RecordingIo();
  const status = await runProgram(argv, io);
  const { stdout, stderr, warnings } = io;
  return { status, stdout, stderr, warnings, result: () => JSON.parse(stdout) as Result };
}

async function apply(): Promise<void> {
  expect((await runIn(['apply', ...argumentsFor(node)])).status).toBe(0);
}

async function reset(...args: string[]) {
  return await runIn(['reset', '--root', node.root, ...args]);
}

function journal(): string {
  return readFileSync(join(node.state, 'journal.jsonl'), 'utf8');
}

const EMPTY_JOURNAL = '{"kind":"NodeQosJournal","version":1,"bootId":null}\n';

describe('reset', () => {
  it('puts the node back, in safe order, and empties the journal', async () => {
    const before = node.cgroups();
    await apply();
    const { status, result } = await reset('-o', 'json');
    expect(status).toBe(0);
    const { kind, dryRun, entries, summary, warnings } = result();
    expect({ kind, dryRun, summary, warnings }).toEqual({
      kind: 'ApplyResult',
      dryRun: false,
      summary: { written: PLANNED.length, failed: 0, vanished: 0, unchanged: 0, stale: 0 },
      warnings: [],
    });
    expect(entries.map(({ cgroup, file }) => `${String(cgroup)}/${String(file)}`)).toEqual([
      `${BURSTABLE_CONTAINER}/memory.high`,
      `${BURSTABLE_CONTAINER}/memory.low`,
      `${BURSTABLE_POD}/memory.low`,
      `${GUARANTEED_CONTAINER}/memory.min`,
      `${BURSTABLE}/memory.low`,
      `${GUARANTEED_POD}/memory.min`,
      'kubepods.slice/memory.min',
      'kubepods.slice/memory.low',
    ]);
    expect(entries[0]).toEqual({
      level: 'container',
      namespace: null,
      pod: null,
      uid: null,
      container: null,
      qosClass: 'Burstable',
      cgroup: BURSTABLE_CONTAINER,
      file: 'memory.high',
      current: '993210368',
      desired: 'max',
      action: 'write',
      reason: "the value before nodeqos' first write",
      outcome: 'written',
      error: null,
    });
    expect(node.cgroups()).toEqual(before);
    expect(journal()).toBe(EMPTY_JOURNAL);
    expect(readdirSync(node.state)).toEqual(['journal.jsonl']);
  });

  it('has nothing to do without a journal', async () => {
    const before = node.cgroups();
    const { status, result } = await reset('-o', 'json');
    expect([status, result().entries]).toEqual([0, []]);
    expect(node.cgroups()).toEqual(before);
    expect(readdirSync(node.state)).toEqual([]);
  });

  it('prints for people what it put back', async () => {
    await apply();
    const { stdout } = await reset();
    expect(stdout).toContain(
      'written  kubepods.slice                                memory.min   805306368 -> 0',
    );
    expect(stdout).toMatch(/\n8 written, 0 failed, 0 vanished, 0 unchanged, 0 stale\n$/);
  });

  it('puts back the value before the first write after several plans', async () => {
    node.writeCgroups({ [`${BURSTABLE_CONTAINER}/memory.high`]: '734003200\n' });
    const before = node.cgroups();
    await apply();
    expect((await runIn(['apply', ...argumentsFor(node), '--throttling-factor', '0.5'])).status).toBe(0);
    expect((await runIn(['apply', ...argumentsFor(node), '--reservation-policy', 'None'])).status).toBe(0);
    await reset();
    expect(node.cgroups()).toEqual(before);
  });

  it('puts back what somebody else changed since, and says so', async () => {
    const before = node.cgroups();
    await apply();
    node.writeCgroups({ 'kubepods.slice/memory.min': '12288\n' });
    const { status, warnings, result } = await reset('-o', 'json');
    expect(status).toBe(0);
    expect(result().warnings).toEqual([
      {
        code: 'changed-by-others',
        message:
          'kubepods.slice/memory.min was changed by somebody else since nodeqos wrote it; the value from before nodeqos is put back all the same',
        cgroup: 'kubepods.slice',
        pod: null,
      },
    ]);
    expect(warnings).toContain(result().warnings[0]?.message);
    expect(node.cgroups()).toEqual(before);
  });

  it('leaves a cgroup alone that was made anew, or is gone, and drops its records', async () => {
    await apply();
    rmSync(join(node.mount, BURSTABLE_CONTAINER), { recursive: true });
    renameSync(join(node.mount, GUARANTEED_POD), join(node.root, 'aside'));
    node.writeCgroups({ [`${GUARANTEED_POD}/memory.min`]: '4096\n' });
    const { status, result } = await reset('-o', 'json');
    expect([status, result().summary]).toEqual([
      0,
      { written: 4, failed: 0, vanished: 0, unchanged: 0, stale: 4 },
    ]);
    expect(node.read(`sys/fs/cgroup/${GUARANTEED_POD}/memory.min`)).toBe('4096\n');
    expect(existsSync(join(node.mount, BURSTABLE_CONTAINER))).toBe(false);
    expect(journal()).toBe(EMPTY_JOURNAL);
  });

  it('restores nothing of another boot', async () => {
    node.write({ 'proc/sys/kernel/random/boot_id': 'first\n' });
    await apply();
    const applied = node.cgroups();
    node.write({ 'proc/sys/kernel/random/boot_id': 'second\n' });
    const { status, result } = await reset('-o', 'json');
    expect([status, result().summary]).toEqual([
      0,
      { written: 0, failed: 0, vanished: 0, unchanged: 0, stale: PLANNED.length },
    ]);
    expect(node.cgroups()).toEqual(applied);
    expect(journal()).toBe(EMPTY_JOURNAL.replace('null', '"second"'));
  });

  it('keeps in the journal what could not be put back, for the next reset', async () => {
    const before = node.cgroups();
    await apply();
    const path = join(node.mount, GUARANTEED_POD, 'memory.min');
    renameSync(path, `${path}.aside`);
    mkdirSync(path);
    const { status, result } = await reset('-o', 'json');
    expect([status, result().summary]).toEqual([
      74,
      { written: PLANNED.length - 1, failed: 1, vanished: 0, unchanged: 0, stale: 0 },
    ]);
    expect(journal().trimEnd().split('\n')).toHaveLength(2);
    rmSync(path, { recursive: true });
    renameSync(`${path}.aside`, path);
    expect((await reset()).status).toBe(0);
    expect(node.cgroups()).toEqual(before);
  });

  it('only shows what it would do with --dry-run', async () => {
    await apply();
    const applied = node.cgroups();
    const kept = journal();
    const { status, result } = await reset('--dry-run', '-o', 'json');
    const { dryRun, entries, summary } = result();
    expect([status, dryRun, summary]).toEqual([0, true, { write: PLANNED.length, unchanged: 0, stale: 0 }]);
    expect(Object.keys(entries[0] ?? {})).not.toContain('outcome');
    expect((await reset('--dry-run')).stdout).toMatch(/^would write +kubepods/m);
    expect(node.cgroups()).toEqual(applied);
    expect(journal()).toBe(kept);
    expect(readdirSync(node.state)).toEqual(['journal.jsonl']);
  });

  it('ends with 75 while another one writes', async () => {
    await apply();
    const applied = node.cgroups();
    takeLock(node.state, 'apply', 0);
    const { status, stderr } = await reset();
    expect(status).toBe(75);
    expect(stderr).toContain(`nodeqos apply (PID ${process.pid})`);
    expect(node.cgroups()).toEqual(applied);
  });

  it('refuses a damaged journal with the remedy', async () => {
    mkdirSync(node.state, { recursive: true });
    writeFileSync(join(node.state, 'journal.jsonl'), `${EMPTY_JOURNAL}junk\n`);
    const { status, stderr } = await reset();
    expect(status).toBe(65);
    expect(stderr).toBe(
      `nodeqos: ${join(node.state, 'journal.jsonl')}:2: the journal of old values cannot be used: this line is damaged; move it away to go on without it; \`nodeqos reset --neutral\` then gives the kubepods cgroups the kernel defaults\n`,
    );
  });
});

describe('reset --neutral', () => {
  const values = { 'memory.min': '4096\n', 'memory.low': '8192\n', 'memory.high': '1048576\n' };
  const setAll = (cgroup: string) =>
    Object.fromEntries(Object.entries(values).map(([file, text]) => [`${cgroup}/${file}`, text]));

  it('makes every cgroup at and below kubepods neutral, nested sandboxes too, and nothing else', async () => {
    node.writeCgroups({ ...setAll('system.slice'), ...setAll(SANDBOX), ...setAll(`${SANDBOX}/inner`) });
    node.writeCgroups(setAll('kubepods.slice'));
    const before = node.cgroups();
    const { status, result } = await reset('--neutral', '-o', 'json');
    expect(status).toBe(0);
    const neutral = { 'memory.min': '0\n', 'memory.low': '0\n', 'memory.high': 'max\n' };
    const made = (cgroup: string) =>
      Object.fromEntries(Object.entries(neutral).map(([file, text]) => [`${cgroup}/${file}`, text]));
    expect(node.cgroups()).toEqual({
      ...before,
      ...made('kubepods.slice'),
      ...made(SANDBOX),
      ...made(`${SANDBOX}/inner`),
    });
    expect(result().summary).toEqual({ written: 9, failed: 0, vanished: 0 });
    expect(result().warnings.map(({ code }) => code)).toEqual(['kubelet-writes-too']);
  });

  it('leaves nothing in the journal of what it made neutral', async () => {
    await apply();
    expect((await reset('--neutral')).status).toBe(0);
    expect(journal()).toBe(EMPTY_JOURNAL);
    const neutral = node.cgroups();
    expect((await reset()).status).toBe(0);
    expect(node.cgroups()).toEqual(neutral);
  });

  it('only shows what it would do with --dry-run', async () => {
    await apply();
    const applied = node.cgroups();
    const { status, result } = await reset('--neutral', '--dry-run', '-o', 'json');
    expect([status, result().summary]).toEqual([0, { write: PLANNED.length }]);
    expect(node.cgroups()).toEqual(applied);
  });

  it('says so where there is no kubepods', async () => {
    rmSync(join(node.mount, 'kubepods.slice'), { recursive: true });
    const { status, result } = await reset('--neutral', '-o', 'json');
    expect(status).toBe(0);
    expect(result().warnings.map(({ message }) => message)).toContain(
      `there is no cgroup ${join(node.mount, 'kubepods.slice')}`,
    );
  });
});
