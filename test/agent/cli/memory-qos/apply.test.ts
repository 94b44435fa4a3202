import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../../../agent/cli/program.ts';
import { takeLock } from '../../../../cgroup/disk/lock-file.ts';
import type { NodeFolder } from '../../../fakes/node-folder.ts';
import {
  argumentsFor,
  BURSTABLE_CONTAINER,
  BURSTABLE_POD,
  GUARANTEED_POD,
  nodeWithPods,
  PLANNED,
} from '../../../fakes/node-with-pods.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

interface Entry {
  readonly cgroup: string;
  readonly file: string;
  readonly current: string | null;
  readonly desired: string;
  readonly outcome?: string;
  readonly error?: string | null;
}

interface Result {
  readonly kind: string;
  readonly dryRun: boolean;
  readonly entries: readonly Entry[];
  readonly summary: Readonly<Record<string, number>>;
  readonly warnings: readonly { readonly code: string }[];
}

let node: NodeFolder;

beforeEach(() => {
  node = nodeWithPods();
});

afterEach(() => {
  node.remove();
});

async function run(...args: string[]) {
  const io = new RecordingIo();
  const [command = '', ...rest] = args;
  const status = await runProgram([command, ...argumentsFor(node), ...rest], io);
  return { status, stdout: io.stdout, stderr: io.stderr, result: () => JSON.parse(io.stdout) as Result };
}

describe('apply', () => {
  it('writes the plan, in write order, with an outcome for each', async () => {
    const { status, result } = await run('apply', '-o', 'json');
    expect(status).toBe(0);
    const { kind, dryRun, entries, summary } = result();
    expect({ kind, dryRun, summary }).toEqual({
      kind: 'ApplyResult',
      dryRun: false,
      summary: { written: PLANNED.length, failed: 0, vanished: 0, keep: summary['keep'], missing: 0 },
    });
    expect(entries.map(({ cgroup, file, desired }) => [`${cgroup}/${file}`, desired])).toEqual(PLANNED);
    expect(entries.map(({ outcome, error }) => [outcome, error])).toEqual(
      PLANNED.map(() => ['written', null]),
    );
    expect(Object.keys(entries[0] ?? {})).toEqual([
      'level',
      'namespace',
      'pod',
      'uid',
      'container',
      'qosClass',
      'cgroup',
      'file',
      'current',
      'desired',
      'action',
      'reason',
      'outcome',
      'error',
    ]);
  });

  it('leaves every other file of the tree as it was', async () => {
    const before = node.cgroups();
    await run('apply');
    expect(node.cgroups()).toEqual({
      ...before,
      ...Object.fromEntries(PLANNED.map(([path, value]) => [path, `${value}\n`])),
    });
  });

  it('finds nothing more to write the second time, and neither does plan', async () => {
    await run('apply');
    const { status, result } = await run('apply', '-o', 'json');
    expect([status, result().entries]).toEqual([0, []]);
    expect((await run('plan', '--check')).status).toBe(0);
  });

  it('keeps the old values, durably, in a journal of its own folder', async () => {
    await run('apply');
    const lines = readFileSync(join(node.state, 'journal.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(1 + PLANNED.length);
    expect(JSON.parse(lines[0] ?? '')).toEqual({ kind: 'NodeQosJournal', version: 1, bootId: null });
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      cgroup: BURSTABLE_CONTAINER,
      file: 'memory.high',
      before: 'max\n',
      written: '993210368',
    });
    expect(readdirSync(node.state)).toEqual(['journal.jsonl']);
  });

  it('writes max and 0 where a limit no longer applies (field reports 9 and 36)', async () => {
    const before = node.cgroups();
    await run('apply');
    const kubelet = node.read('var/lib/kubelet/config.yaml');
    node.write({ 'var/lib/kubelet/config.yaml': kubelet.replace(/^memory.*\n/gm, '') });
    const { status, result } = await run('apply', '-o', 'json');
    expect([status, result().summary['written']]).toEqual([0, PLANNED.length]);
    expect(node.cgroups()).toEqual(before);
  });

  it('keeps its state where nodeqos.yaml says, below the root', async () => {
    node.write({
      'etc/nodeqos/nodeqos.yaml':
        'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\nstateDir: /srv/state\n',
    });
    expect((await run('apply')).status).toBe(0);
    expect(readdirSync(node.path('srv/state'))).toEqual(['journal.jsonl']);
    expect(() => readdirSync(node.state)).toThrow('ENOENT');
  });

  it('prints a table for people', async () => {
    const { stdout } = await run('apply');
    expect(stdout).toBe(
      [
        'OUTCOME  WHAT                      FILE         CHANGE',
        'written  kubepods.slice            memory.min   0 -> 805306368',
        'written  kubepods.slice            memory.low   0 -> 268435456',
        'written  kubepods-burstable.slice  memory.low   0 -> 268435456',
        'written  shop/till                 memory.min   0 -> 536870912',
        'written  shop/cart                 memory.low   0 -> 268435456',
        'written  shop/till main            memory.min   0 -> 536870912',
        'written  shop/cart main            memory.low   0 -> 268435456',
        'written  shop/cart main            memory.high  max -> 993210368',
        '8 written, 0 failed, 0 vanished, 7 kept, 0 missing',
        '',
      ].join('\n'),
    );
  });

  it('writes nothing at all with --dry-run, and prints the plan', async () => {
    const before = node.cgroups();
    const { status, result } = await run('apply', '--dry-run', '-o', 'json');
    expect([status, result().kind]).toEqual([0, 'MemoryQosPlan']);
    expect(node.cgroups()).toEqual(before);
    expect(() => readdirSync(node.state)).toThrow('ENOENT');
  });

  it('goes on without a cgroup that is not there, and ends with 0', async () => {
    rmSync(join(node.mount, BURSTABLE_CONTAINER), { recursive: true });
    const { status, result } = await run('apply', '-o', 'json');
    expect(status).toBe(0);
    expect(result().summary).toMatchObject({ written: 6, failed: 0, missing: 3 });
  });

  it('writes a file of 0 bytes, whose old content is nothing', async () => {
    node.writeCgroups({ [`${BURSTABLE_POD}/memory.low`]: '' });
    const { status, result } = await run('apply', '-o', 'json');
    const entry = result().entries.find(
      ({ cgroup, file }) => cgroup === BURSTABLE_POD && file === 'memory.low',
    );
    expect([status, entry?.current, entry?.outcome]).toEqual([0, null, 'written']);
    expect(readFileSync(join(node.state, 'journal.jsonl'), 'utf8')).toContain(
      '"before":"","written":"268435456"',
    );
  });

  it('reports a file that is no file once, writes the rest, and ends with 74', async () => {
    const path = join(node.mount, GUARANTEED_POD, 'memory.min');
    rmSync(path);
    mkdirSync(path);
    const { status, result } = await run('apply', '-o', 'json');
    const failed = result().entries.filter(({ outcome }) => outcome === 'failed');
    expect(status).toBe(74);
    expect(failed.map(({ error }) => error)).toEqual([
      `${path}: this is not a plain file of the mount; it is left alone`,
    ]);
    expect(result().summary).toMatchObject({ written: PLANNED.length - 1, failed: 1 });
  });
});

describe('what keeps apply from writing', () => {
  it('is another writer: status 75 and who it is', async () => {
    const before = node.cgroups();
    const lock = takeLock(node.state, 'run', 0);
    const { status, stderr, stdout } = await run('apply');
    expect([status, stdout]).toEqual([75, '']);
    expect(stderr).toBe(
      `nodeqos: ${join(node.state, 'lock')}: nodeqos run (PID ${process.pid}) has written here since 1970-01-01T00:00:00.000Z; only one may write, try again when it has ended\n`,
    );
    expect(node.cgroups()).toEqual(before);
    if (lock.kind === 'held') lock.release();
    expect((await run('apply')).status).toBe(0);
  });

  it.each([
    ['junk', 'junk\n', 'this is no journal of nodeqos'],
    ['of a newer version', '{"kind":"NodeQosJournal","version":9,"bootId":null}\n', 'it has version 9'],
  ])('is a journal that is %s: status 65, and it stays as it is', async (_, text, why) => {
    const before = node.cgroups();
    mkdirSync(node.state, { recursive: true });
    writeFileSync(join(node.state, 'journal.jsonl'), text);
    const { status, stderr } = await run('apply');
    expect(status).toBe(65);
    expect(stderr).toContain(
      `${join(node.state, 'journal.jsonl')}:1: the journal of old values cannot be used: ${why}`,
    );
    expect(node.cgroups()).toEqual(before);
    expect(readdirSync(node.state)).toEqual(['journal.jsonl']);
    expect(readFileSync(join(node.state, 'journal.jsonl'), 'utf8')).toBe(text);
  });

  it('is a state folder that cannot be made: status 74', async () => {
    const before = node.cgroups();
    node.write({ 'var/lib/nodeqos': 'a file\n' });
    const { status, stderr } = await run('apply');
    expect(status).toBe(74);
    expect(stderr).toContain(node.state);
    expect(node.cgroups()).toEqual(before);
  });

  it('is --offline: status 64', async () => {
    const { status, stderr } = await run('apply', '--offline', '--memory-capacity', '16Gi');
    expect(status).toBe(64);
    expect(stderr).toBe('nodeqos: apply writes to a node, so it takes no --offline; use plan --offline\n');
  });

  it('is that the node is a captured one: status 64, packed or not', async () => {
    const archive = node.path('node.tar.gz');
    const io = new RecordingIo();
    expect(await runProgram(['capture', archive, ...argumentsFor(node)], io)).toBe(0);
    const unpacked = node.path('unpacked');
    mkdirSync(unpacked);
    spawnSync('tar', ['-xzf', archive, '-C', unpacked]);
    for (const root of [archive, unpacked]) {
      for (const command of [['apply'], ['reset'], ['reset', '--neutral']]) {
        const writing = new RecordingIo();
        expect(await runProgram([...command, '--root', root], writing)).toBe(64);
        expect(writing.stderr).toBe(
          `nodeqos: ${root} is a captured node, which cannot be written to; use plan on it\n`,
        );
      }
    }
  });

  it('is a signal before the first write: what is left is named, and reset has nothing to do', async () => {
    const before = node.cgroups();
    const io = new RecordingIo();
    io.stop.abort('SIGTERM');
    const status = await runProgram(['apply', ...argumentsFor(node), '-o', 'json'], io);
    const { entries } = JSON.parse(io.stdout) as Result;
    expect(status).toBe(74);
    expect(new Set(entries.map(({ error }) => error))).toEqual(
      new Set(['not written: nodeqos was told to stop']),
    );
    expect(node.cgroups()).toEqual(before);
    expect(readdirSync(node.state)).toEqual(['journal.jsonl']);
  });
});
