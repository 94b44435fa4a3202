import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FixtureNode } from '../fakes/fixture-node.ts';
import { BINARY, nodeqos } from './binary.ts';
import { expectGolden } from './golden-file.ts';

const TRACES = resolve('test/fixtures/traces');

/** An evening on a node: a soft threshold, a signal that is not observed, an old sample, a full disk, a new pod. */
function replay(...args: readonly string[]): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = nodeqos(
    ['replay', 'evening.jsonl', '--kubelet-config', 'now.yaml', ...args],
    {
      cwd: TRACES,
    },
  );
  return { status, text: stderr === '' ? stdout : `${stdout}--- stderr\n${stderr}` };
}

describe('a replay of one trace', () => {
  it.each<[string, readonly string[]]>([
    ['replay.txt', []],
    ['replay.jsonl', ['-o', 'jsonl']],
    ['replay-kubelet.txt', ['--compat', 'kubelet']],
    ['replay-kubelet.jsonl', ['--compat', 'kubelet', '-o', 'jsonl']],
    ['replay-compare.txt', ['--compare', 'careful.yaml']],
    ['replay-compare.jsonl', ['--compare', 'careful.yaml', '-o', 'jsonl']],
  ])('is %s', (name, args) => {
    const { status, text } = replay(...args);
    expect(status).toBe(0);
    expectGolden(name, text);
  });

  it('is the same from a pipe', () => {
    const shell = `cat ${TRACES}/evening.jsonl | "$0" "$1" replay /dev/stdin --kubelet-config ${TRACES}/now.yaml -o jsonl`;
    const run = spawnSync('sh', ['-c', shell, process.execPath, BINARY], { encoding: 'utf8' });
    expect(run.stdout).toBe(
      nodeqos(['replay', 'evening.jsonl', '--kubelet-config', 'now.yaml', '-o', 'jsonl'], { cwd: TRACES })
        .stdout,
    );
    expect(run.stdout.split('\n')).toHaveLength(19);
  });
});

describe('a trace that the binary records', () => {
  let node: FixtureNode;
  let folder: string;
  let args: readonly string[];

  beforeAll(() => {
    node = new FixtureNode();
    folder = mkdtempSync(join(tmpdir(), 'nodeqos-record-'));
    args = ['record', '--root', node.root, '--pods', node.path('pods.json')];
  });
  afterAll(() => {
    node.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is one that it replays', () => {
    const out = join(folder, 'trace.jsonl');
    const recorded = nodeqos([...args, '--out', out, '--interval', '20ms', '--duration', '100ms']);
    expect(recorded.status).toBe(0);
    const count = Number(/: (\d+) observation/.exec(recorded.stderr)?.[1]);
    const replayed = nodeqos(['replay', out, '--kubelet-config', `${TRACES}/careful.yaml`, '-o', 'jsonl']);
    expect([replayed.status, replayed.stdout.split('\n').length - 1]).toEqual([0, count]);
  });

  it('ends with a whole line where it is interrupted', async () => {
    const out = join(folder, 'interrupted.jsonl');
    const child = spawn(process.execPath, [BINARY, ...args, '--out', out, '--interval', '10ms'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const ended = new Promise<number | null>((done) => child.on('close', done));
    await expect.poll(() => sizeOf(out), { timeout: 20_000 }).toBeGreaterThan(0);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    const text = readFileSync(out, 'utf8');
    expect(text.endsWith('}\n')).toBe(true);
    expect(said).toMatch(new RegExp(`${out}: ${text.split('\n').length - 1} observations?\n$`));
  });

  const canMount = process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0;
  it.skipIf(!canMount)(
    'holds whole lines where the disk is full (skipped where nothing can be mounted)',
    () => {
      const disk = join(folder, 'disk');
      const kept = join(folder, 'kept.jsonl');
      mkdirSync(disk);
      const script = `mount -t tmpfs -o size=32k none ${disk}
      "$@" || status=$?
      cp ${disk}/trace.jsonl ${kept}
      exit $status`;
      const command = [...args, '--out', `${disk}/trace.jsonl`, '--interval', '10ms', '--duration', '60s'];
      const run = spawnSync(
        'unshare',
        ['-m', 'sh', '-c', script, 'sh', process.execPath, BINARY, ...command],
        {
          encoding: 'utf8',
        },
      );
      expect([run.status, run.stderr]).toEqual([
        74,
        expect.stringContaining(`nodeqos: ${disk}/trace.jsonl cannot be written (ENOSPC)\n`),
      ]);
      expect(nodeqos(['replay', kept, '--kubelet-config', `${TRACES}/careful.yaml`])).toMatchObject({
        status: 0,
        stderr: '',
      });
      expect(readFileSync(kept, 'utf8').endsWith('}\n')).toBe(true);
    },
  );

  function sizeOf(path: string): number {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }
});
