import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StatsPlaces, statsSource } from '../../../../agent/cli/inputs/stats-source.ts';
import { runProgram } from '../../../../agent/cli/program.ts';
import { Failure } from '../../../../agent/exit.ts';
import { diskTree } from '../../../../cgroup/disk/disk-tree.ts';
import type { NodeFolder } from '../../../fakes/node-folder.ts';
import { nodeUnderPressure } from '../../../fakes/node-under-pressure.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

const HEAD = 'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\n';
const OTHER = { node: { rlimit: { maxpid: 9, curproc: 1 } }, pods: [] };
const SUMMARY = {
  node: { rlimit: { maxpid: 100, curproc: 30 } },
  pods: [{ podRef: { uid: 'uid-api' }, memory: { workingSetBytes: 5 } }],
};

let node: NodeFolder;
beforeAll(() => {
  node = nodeUnderPressure({
    'var/summary.json': JSON.stringify(SUMMARY),
    'other.json': JSON.stringify(OTHER),
    'etc/nodeqos/nodeqos.yaml': `${HEAD}stats: {source: "summary:/var/summary.json"}\n`,
    'missing.yaml': `${HEAD}stats: {source: "summary:/nowhere.json"}\n`,
  });
});
afterAll(() => {
  node.remove();
});

async function run(...args: readonly string[]) {
  const io = new RecordingIo();
  const pods = ['--root', node.root, '--pods', node.path('pods.json')];
  const status = await runProgram([...args, ...pods], io);
  return { status, io, answer: () => JSON.parse(io.stdout) as Record<string, unknown> };
}

/** The signal that only a summary of this file has, and the usage of the one pod in it. */
const PIDS = { signal: 'pid.available', available: 70, capacity: 100, source: 'node.rlimit of the summary' };

describe('stats.source of nodeqos.yaml', () => {
  it('is where status and top take signals from', async () => {
    expect((await run('status', '-o', 'json')).answer()['signals']).toEqual([PIDS]);
    expect((await run('top', '-o', 'jsonl', '--count', '1')).answer()['signals']).toEqual([PIDS]);
  });

  it('is where rank and explain take usage from', async () => {
    const own = { name: 'api', usage: 5 };
    expect((await run('rank', '-o', 'json')).answer()['order']).toContainEqual(expect.objectContaining(own));
    expect((await run('explain', 'shop/api', '-o', 'json')).answer()['rankings']).toMatchObject({
      'memory.available': own,
    });
  });

  it('gives way to --stats', async () => {
    const other = await run('status', '-o', 'json', '--stats', `summary:${node.path('other.json')}`);
    expect(other.answer()['signals']).toEqual([{ ...PIDS, available: 8, capacity: 9 }]);
    const tree = await run('rank', '-o', 'json', '--stats', 'cgroup');
    expect(tree.answer()['order']).toContainEqual(
      expect.objectContaining({ name: 'api', usage: 500 * 1024 * 1024 }),
    );
  });

  it('goes along with a capture, and is asked for nowhere else', async () => {
    const archive = node.path('captured.tar.gz');
    expect((await run('capture', archive)).status).toBe(0);
    const io = new RecordingIo();
    expect(await runProgram(['status', '--root', archive, '-o', 'json'], io)).toBe(0);
    expect(JSON.parse(io.stdout)).toMatchObject({ signals: [PIDS] });
  });

  it('is left out of a capture where it cannot be read, and --stats is not', async () => {
    const config = ['--config', node.path('missing.yaml'), '--force'];
    const { status, io } = await run('capture', node.path('without.tar.gz'), ...config);
    expect(status).toBe(0);
    expect(io.warnings).toContain(
      `${node.path('nowhere.json')}: there is no such file; check the path; it is left out of the capture`,
    );
    const named = await run('capture', node.path('without.tar.gz'), ...config, '--stats', 'summary:/nowhere');
    expect([named.status, named.io.stderr]).toEqual([
      66,
      'nodeqos: /nowhere: there is no such file; check the path\n',
    ]);
  });
});

describe('the source of statistics', () => {
  const places = (source: string): StatsPlaces => ({ root: undefined, nodeqos: { stats: { source } } });

  it('is the one of nodeqos.yaml unless the command line names another', () => {
    expect(statsSource(undefined, places('cgroup'))).toEqual({ kind: 'cgroup' });
    expect(statsSource(undefined, places('summary:/a'))).toEqual({ kind: 'summary', path: '/a' });
    expect(statsSource('cgroup', places('summary:/a'))).toEqual({ kind: 'cgroup' });
    expect(statsSource('summary:b', places('kubelet:x'))).toEqual({ kind: 'summary', path: 'b' });
  });

  it('can be a kubelet, whose URL is of no root', () => {
    const root = { files: diskTree(node.root) };
    const kubelet = { kind: 'kubelet', url: 'https://node-1:10250' };
    expect(statsSource('kubelet:https://node-1:10250', places('cgroup'))).toEqual(kubelet);
    const { nodeqos } = places('kubelet:https://node-1:10250');
    expect(statsSource(undefined, { root, nodeqos })).toEqual(kubelet);
  });

  it.each(['', 'summary:', 'kubelet:', 'tree'])('64: %s', (source) => {
    const message = `--stats ${source}: give cgroup, summary:PATH (a saved kubelet /stats/summary) or kubelet:URL`;
    expect(() => statsSource(source, places('cgroup'))).toThrow(new Failure(64, message));
  });
});
