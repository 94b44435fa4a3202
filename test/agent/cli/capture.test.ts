import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAPTURED_CGROUP_FILES } from '../../../agent/capture/captured-cgroups.ts';
import { openRoot } from '../../../agent/observe/root.ts';
import { run, SECRETIVE_KUBELET, SECRETIVE_PODS, Workplace } from '../../fakes/fake-nodes.ts';

const work = new Workplace();
const node = work.path('node');
const pods = join(node, 'pods.json');
const archive = work.path('node.tar.gz');
const unpacked = work.path('unpacked');

beforeAll(async () => {
  const given = work.write('pods.yaml', SECRETIVE_PODS);
  const kubelet = work.write('kubelet.yaml', SECRETIVE_KUBELET);
  await run('fake-tree', '--pods', given, '--dir', node, '--kubelet-config', kubelet, '--kernel', '6.6.1');
  mkdirSync(join(node, 'etc/nodeqos/nodeqos.yaml.d'), { recursive: true });
  writeFileSync(
    join(node, 'etc/nodeqos/nodeqos.yaml'),
    'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\n',
  );
  writeFileSync(
    join(node, 'etc/nodeqos/nodeqos.yaml.d/10-factor.yaml'),
    'memoryQos: {throttlingFactor: 0.8}\n',
  );
  // A place whose pods are given as they were before, so that what is secret in them is there to be left out.
  expect((await run('capture', archive, '--root', node, '--pods', pods)).stderr).toBe('');
  mkdirSync(unpacked);
  execFileSync('tar', ['xzf', archive, '-C', unpacked]);
});
afterAll(() => {
  work.remove();
});

const QUESTIONS: readonly (readonly string[])[] = [
  ...['table', 'json', 'yaml', 'diff', 'sh'].map((format) => ['plan', '-o', format]),
  ['plan', '-o', 'json', '--protection', 'safe'],
  ['qos', '-o', 'json'],
  ['status'],
  ['status', '-o', 'json'],
  ['rank'],
  ...['memory.available', 'pid.available', 'nodefs.available', 'nodefs.inodesFree'].map((signal) => [
    'rank',
    '--signal',
    signal,
    '-o',
    'json',
  ]),
  ['rank', '--compat', 'kubelet', '-o', 'json'],
  ['explain', 'shop/db'],
  ['explain', 'shop/sized', '-o', 'json'],
];

describe('a capture', () => {
  it.each(QUESTIONS)('answers %s %s %s byte for byte as the live node', async (...question) => {
    const live = await run(...question, '--root', node, '--pods', pods);
    expect(live.stdout).not.toBe('');
    expect(await run(...question, '--root', archive)).toEqual(live);
    expect(await run(...question, '--root', unpacked)).toEqual(live);
  });

  it('of an unchanged node is the same archive, byte for byte, also one of the archive itself', async () => {
    await run('capture', work.path('again.tar.gz'), '--root', node, '--pods', pods);
    await run('capture', work.path('copy.tar.gz'), '--root', archive);
    expect(readFileSync(work.path('again.tar.gz')).equals(readFileSync(archive))).toBe(true);
    expect(readFileSync(work.path('copy.tar.gz')).equals(readFileSync(archive))).toBe(true);
  });

  it('holds nothing secret', async () => {
    const raw = work.path('raw.tar.gz');
    await run('capture', raw, '--root', node, '--pods', work.path('pods.yaml'));
    for (const path of [archive, raw]) {
      expect(gunzipSync(readFileSync(path)).includes('hunter2')).toBe(false);
    }
  });

  it('keeps lines and columns of the configuration', () => {
    const text = readFileSync(join(unpacked, 'var/lib/kubelet/config.yaml'), 'utf8');
    expect(text).toBe(
      SECRETIVE_KUBELET.replace('Bearer hunter2', '"redacted"').replace(
        '\'hunter2\', "hunter2"',
        '"redacted", "redacted"',
      ),
    );
  });

  it("is its owner's alone, and its files are nobody's and of no time", () => {
    expect(statSync(archive).mode & 0o777).toBe(0o600);
    const listing = execFileSync('tar', ['tvzf', archive, '--numeric-owner', '--utc'], { encoding: 'utf8' });
    for (const line of listing.trimEnd().split('\n')) {
      expect(line).toMatch(/^(drwxr-xr-x|-rw-r--r--) 0\/0 +\d+ 1970-01-01 00:00 /);
    }
  });

  it('holds every file that is read of a cgroup, with its contents', () => {
    const scopes = readdirSync(join(node, 'sys/fs/cgroup'), { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.scope'),
    );
    expect(scopes.length).toBeGreaterThan(8);
    for (const scope of scopes) {
      for (const file of CAPTURED_CGROUP_FILES) {
        const path = join('sys/fs/cgroup', scope, file);
        expect(readFileSync(join(unpacked, path), 'utf8')).toBe(readFileSync(join(node, path), 'utf8'));
      }
    }
  });

  it('cannot be written to', async () => {
    const applied = await run('apply', '--root', archive);
    expect([applied.status, applied.stdout]).toEqual([64, '']);
    expect((await run('reset', '--neutral', '--root', unpacked)).status).toBe(64);
  });
});

describe('capture', () => {
  it('does not replace a file unless it is told to, and leaves nothing else behind', async () => {
    const taken = work.write('taken.tar.gz', 'mine');
    const refused = await run('capture', taken, '--root', node, '--pods', pods);
    expect([refused.status, refused.stderr]).toEqual([
      64,
      `nodeqos: ${taken} is already there; --force replaces it\n`,
    ]);
    expect(readFileSync(taken, 'utf8')).toBe('mine');
    expect((await run('capture', taken, '--root', node, '--pods', pods, '--force')).status).toBe(0);
    expect(readFileSync(taken).equals(readFileSync(archive))).toBe(true);
    expect(readdirSync(work.folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('names a folder that is not there: 66', async () => {
    const path = work.path('none/node.tar.gz');
    const refused = await run('capture', path, '--root', node, '--pods', pods);
    expect([refused.status, refused.stderr]).toEqual([
      66,
      `nodeqos: ${path}: the folder to write it in is not there; make it first\n`,
    ]);
  });

  it('of a node whose pods nobody knows says so, and the capture asks for them as the node does', async () => {
    const bare = work.path('bare.tar.gz');
    const bareNode = work.path('bare-node');
    cpSync(node, bareNode, { recursive: true });
    rmSync(join(bareNode, 'pods.json'));
    const captured = await run('capture', bare, '--root', bareNode);
    expect(captured.status).toBe(0);
    expect(captured.warnings.at(-1)).toBe(
      'no pods are in this capture; give --pods FILE (kubectl get pods -o yaml) to have them in',
    );
    expect(await run('plan', '--root', bare)).toEqual(await run('plan', '--root', bareNode));
    expect((await run('plan', '--root', bare)).status).toBe(64);
  });

  it('keeps what was given: capacity, page size, driver, node and summary', async () => {
    const path = work.path('given.tar.gz');
    const node1 = work.write(
      'node.yaml',
      'apiVersion: v1\nkind: Node\nmetadata: {name: n1, annotations: {a: hunter2}}\nspec: {taints: [{key: a, value: b, effect: NoSchedule}]}\nstatus: {capacity: {memory: 4Gi}, allocatable: {memory: 3Gi}}\n',
    );
    const given = [
      '--memory-capacity',
      '6Gi',
      '--page-size',
      '16384',
      '--cgroup-driver',
      'systemd',
      '--node',
      node1,
      '--pods',
      pods,
    ];
    expect((await run('capture', path, '--root', node, ...given)).stderr).toBe('');
    expect(gunzipSync(readFileSync(path)).includes('hunter2')).toBe(false);
    for (const question of [
      ['plan', '-o', 'json'],
      ['explain', 'shop/db', '-o', 'json'],
    ]) {
      expect(await run(...question, '--root', path)).toEqual(
        await run(...question, '--root', node, ...given),
      );
    }
  });
});

describe('a capture of a node that does not show everything', () => {
  it('fails where the node failed: files that vanish or cannot be read', async () => {
    const broken = work.path('broken');
    execFileSync('cp', ['-r', node, broken]);
    const kubepods = join(broken, 'sys/fs/cgroup/kubepods.slice');
    rmSync(join(kubepods, 'memory.low'));
    rmSync(join(kubepods, 'memory.min'));
    // A link to itself is what even root cannot read.
    symlinkSync('memory.min', join(kubepods, 'memory.min'));
    writeFileSync(join(kubepods, 'memory.stat'), 'anon 1\n');
    const path = work.path('broken.tar.gz');
    const captured = await run('capture', path, '--root', broken, '--pods', pods);
    expect(captured.warnings).toContain(
      '1 files could not be read and are captured as such, the first is sys/fs/cgroup/kubepods.slice/memory.min',
    );
    const root = await openRoot({ root: path });
    expect(root.cgroups.readFile('kubepods.slice/memory.min')).toEqual({ kind: 'failed', code: 'ELOOP' });
    expect(root.cgroups.readFile('kubepods.slice/memory.low')).toEqual({ kind: 'missing' });
    for (const question of [
      ['plan', '-o', 'json'],
      ['status', '-o', 'json'],
      ['rank', '-o', 'json'],
    ]) {
      expect(await run(...question, '--root', path)).toEqual(
        await run(...question, '--root', broken, '--pods', pods),
      );
    }
  });
});
