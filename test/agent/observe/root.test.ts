import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { EXIT, Failure } from '../../../agent/exit.ts';
import { formatManifest } from '../../../agent/observe/captured/manifest-text.ts';
import { cgroup2Fault } from '../../../agent/observe/cgroup2.ts';
import { type NodeRoot, openRoot, requireCgroup2 } from '../../../agent/observe/root.ts';
import { archiveOf } from '../../fakes/archives.ts';
import { LiteralTree } from '../../fakes/literal-tree.ts';

const base = mkdtempSync(join(tmpdir(), 'nodeqos-root-'));
afterAll(() => {
  rmSync(base, { recursive: true });
});

function folder(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(base, name);
  mkdirSync(path, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  }
  return path;
}

async function failureOf(root: string, cgroupRoot?: string): Promise<readonly [number, string]> {
  try {
    await openRoot({ root, cgroupRoot });
  } catch (error) {
    if (error instanceof Failure) return [error.status, error.message];
    throw error;
  }
  throw new Error('it was opened');
}

const MANIFEST = formatManifest({
  root: '/',
  cgroupRoot: '/sys/fs/cgroup',
  cgroupMountPoint: '/sys/fs/cgroup',
  pageSizeBytes: 16384,
  inputs: { kubeletDropIns: [], nodeqosDropIns: [], podWarnings: [] },
  failures: [
    { path: 'proc/pressure/memory', code: 'EOPNOTSUPP' },
    { path: 'sys/fs/cgroup/secret', code: 'EACCES' },
  ],
});

const CAPTURED = {
  'nodeqos-capture.json': MANIFEST,
  'proc/pressure/memory': '',
  'sys/fs/cgroup/cgroup.controllers': 'memory\n',
  'sys/fs/cgroup/secret/memory.min': '',
};

describe('a root that is a folder', () => {
  it('is read below it, and can be written to', async () => {
    const path = folder('plain', { 'proc/meminfo': 'x', 'sys/fs/cgroup/cgroup.controllers': 'memory\n' });
    const root = await openRoot({ root: `${path}/` });
    expect(root).toMatchObject({
      kind: 'folder',
      name: `${path}/`,
      cgroupMountPath: `${path}/sys/fs/cgroup`,
      stateFolder: `${path}/var/lib/nodeqos`,
      isFake: false,
    });
    expect(root.capture).toBeUndefined();
    expect(root.files.readFile('proc/meminfo')).toEqual({ kind: 'read', text: 'x' });
    expect(root.cgroups.readFile('cgroup.controllers')).toEqual({ kind: 'read', text: 'memory\n' });
    expect(() => {
      requireCgroup2(root);
    }).not.toThrow();
  });

  it('has its cgroups elsewhere where that is said', async () => {
    const path = folder('plain', {});
    const cgroups = folder('cgroups', { 'cgroup.controllers': 'cpu memory\n' });
    const root = await openRoot({ root: path, cgroupRoot: cgroups });
    expect(root.cgroupMountPath).toBe(cgroups);
    expect(root.cgroups.readFile('cgroup.controllers')).toEqual({ kind: 'read', text: 'cpu memory\n' });
  });

  it('is a fake node with the marker at its top or at its cgroup root', async () => {
    const atTop = folder('fake-top', { '.nodeqos-fake': '' });
    const atCgroups = folder('fake-cgroups', { 'sys/fs/cgroup/.nodeqos-fake': '' });
    const elsewhere = folder('fake-not', { 'sys/.nodeqos-fake': '' });
    expect((await openRoot({ root: atTop })).isFake).toBe(true);
    expect((await openRoot({ root: atCgroups })).isFake).toBe(true);
    expect((await openRoot({ root: elsewhere })).isFake).toBe(false);
    expect((await openRoot({ root: '/', cgroupRoot: `${atCgroups}/sys/fs/cgroup` })).isFake).toBe(true);
  });

  it('that is an unpacked capture answers as the node did', async () => {
    const root = await openRoot({ root: folder('captured', CAPTURED) });
    expectCaptured(root);
    expect(root.cgroupMountPath).toBe(join(base, 'captured/sys/fs/cgroup'));
  });
});

function expectCaptured(root: NodeRoot): void {
  expect(root.capture?.pageSizeBytes).toBe(16384);
  expect(root.files.readFile('proc/pressure/memory')).toEqual({ kind: 'failed', code: 'EOPNOTSUPP' });
  expect(root.cgroups.readDirectory('secret')).toEqual({ kind: 'failed', code: 'EACCES' });
  expect(root.files.nameOf('proc/meminfo')).toBe('/proc/meminfo');
  expect(root.files.nameOf('')).toBe('/');
  expect(root.cgroups.nameOf('secret')).toBe('/sys/fs/cgroup/secret');
  expect(root.cgroups.nameOf('')).toBe('/sys/fs/cgroup');
}

describe('a root that is an archive', () => {
  it('is read from memory, and cannot be written to', async () => {
    const path = join(base, 'node.tar.gz');
    const entries = Object.entries(CAPTURED).map(([name, text]) => ({ name, text }));
    writeFileSync(path, await archiveOf(entries));
    const root = await openRoot({ root: path });
    expect(root.kind).toBe('archive');
    expect(root.cgroupMountPath).toBeUndefined();
    expect(root.stateFolder).toBeUndefined();
    expect(root.isFake).toBe(false);
    expectCaptured(root);
  });

  it('without a manifest is taken as a root by its files', async () => {
    const path = join(base, 'bare.tar.gz');
    writeFileSync(
      path,
      await archiveOf([{ name: 'cg/cgroup.controllers', text: 'memory' }, { name: '.nodeqos-fake' }]),
    );
    const root = await openRoot({ root: path, cgroupRoot: '/cg/' });
    expect(root.capture).toBeUndefined();
    expect(root.isFake).toBe(true);
    expect(root.cgroups.readFile('cgroup.controllers')).toEqual({ kind: 'read', text: 'memory' });
    expect(root.files.nameOf('proc')).toBe(`${path}:proc`);
  });
});

describe('a root that cannot be opened', () => {
  it('is not there: 66', async () => {
    const path = join(base, 'none');
    const sentence = `${path} is not there; --root takes /, a folder or an archive`;
    expect(await failureOf(path)).toEqual([EXIT.noInput, sentence]);
    writeFileSync(join(base, 'file'), 'x');
    expect((await failureOf(join(base, 'file/below')))[0]).toBe(EXIT.noInput);
  });

  it('is a file that is no archive: 65', async () => {
    const path = join(base, 'pods.yaml');
    writeFileSync(path, 'kind: Pod\n');
    expect(await failureOf(path)).toEqual([
      EXIT.badData,
      `${path} is not a gzip-compressed archive; --root takes /, a folder, or an archive that nodeqos capture wrote`,
    ]);
  });

  it('is a device: 65', async () => {
    expect(await failureOf('/dev/null')).toEqual([
      EXIT.badData,
      '/dev/null is neither a folder nor a file; --root cannot be read from it',
    ]);
  });

  it.skipIf(process.getuid?.() === 0)(
    'may not be read: 77 (skipped for root, who may read all)',
    async () => {
      const path = join(base, 'locked.tar.gz');
      writeFileSync(path, 'x');
      chmodSync(path, 0);
      expect(await failureOf(path)).toEqual([
        EXIT.notPermitted,
        `${path} may not be read by this user (EACCES)`,
      ]);
    },
  );

  const manifests: readonly [string, string, RegExp][] = [
    ['binary junk', '\u0000\u0001', /^.*nodeqos-capture\.json/],
    [
      'another kind',
      '{"apiVersion": "v1", "kind": "Pod"}',
      /nodeqos-capture\.json is not a NodeCapture of nodeqos\.dev\/v1alpha1; it was written by another version; capture the node again$/,
    ],
    [
      'a page size of 3',
      MANIFEST.replace('16384', '3'),
      /nodeqos-capture\.json has a pageSizeBytes that is not a power of two of at least 1024; capture the node again$/,
    ],
    [
      'no root',
      MANIFEST.replace('"root"', '"boot"'),
      /does not name the root that was captured; capture the node again$/,
    ],
    [
      'a failure outside of it',
      MANIFEST.replace('proc/pressure', '../proc'),
      /has inputs, filesystems or failures that cannot be read; capture the node again$/,
    ],
    [
      'no list of failures',
      MANIFEST.replace('"failures"', '"f"'),
      /has inputs, filesystems or failures that cannot be read; capture the node again$/,
    ],
    [
      'no inputs',
      MANIFEST.replace('"kubeletDropIns"', '"k"'),
      /has inputs, filesystems or failures that cannot be read; capture the node again$/,
    ],
  ];
  it.each(manifests)('has a manifest with %s: 65', async (name, text, sentence) => {
    const [status, message] = await failureOf(folder(`bad ${name}`, { 'nodeqos-capture.json': text }));
    expect(status).toBe(EXIT.badData);
    expect(message).toMatch(sentence);
  });
});

describe('cgroup v2', () => {
  const V1 =
    'cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n';
  const HYBRID =
    'this node is a cgroup v1 or hybrid host: its memory controller is on the old hierarchy, and nodeqos needs it on cgroup v2 (boot with systemd.unified_cgroup_hierarchy=1)';
  const cases: readonly [
    string,
    Record<string, string>,
    Record<string, string>,
    readonly [number, string] | undefined,
  ][] = [
    ['with the memory controller is there', {}, { 'cgroup.controllers': 'cpu memory pids\n' }, undefined],
    [
      'without a mount is not there',
      {},
      {},
      [
        69,
        '/node/cgroup.controllers is not there, so this is no cgroup v2 node; --root or --cgroup-root may name the wrong folder',
      ],
    ],
    [
      'without the controller is not there',
      { 'proc/mounts': 'x /y cgroup rw,cpu 0 0\n' },
      { 'cgroup.controllers': 'cpu memory2\n' },
      [
        69,
        '/node/cgroup.controllers does not name the memory controller; boot without cgroup_disable=memory, or with cgroup_enable=memory',
      ],
    ],
    ['of a hybrid host has no memory', { 'proc/mounts': V1 }, { 'cgroup.controllers': '' }, [69, HYBRID]],
    ['of a v1 host is not there', { 'proc/mounts': V1 }, {}, [69, HYBRID]],
    [
      'that may not be looked at is not known',
      {},
      { 'cgroup.controllers': '!EACCES' },
      [
        77,
        '/node/cgroup.controllers cannot be read (EACCES), so it is not known whether this node has cgroup v2',
      ],
    ],
    [
      'that cannot be read is not known',
      {},
      { 'cgroup.controllers': '!EIO' },
      [
        69,
        '/node/cgroup.controllers cannot be read (EIO), so it is not known whether this node has cgroup v2',
      ],
    ],
  ];
  it.each(cases)('%s', (_, files, cgroups, expected) => {
    const fault = cgroup2Fault({
      kind: 'folder',
      files: new LiteralTree(files),
      cgroups: new LiteralTree(cgroups),
      isFake: false,
    });
    expect(fault && [fault.status, fault.message]).toEqual(expected);
  });

  it('of this machine is looked at as a filesystem, so that a folder is not taken for it', async () => {
    const cgroups = folder('looks-like', { 'cgroup.controllers': 'memory\n' });
    const root = await openRoot({ root: '/', cgroupRoot: cgroups });
    expect(() => {
      requireCgroup2(root);
    }).toThrow(
      new Failure(EXIT.unavailable, `${cgroups} is not a cgroup2 mount; --cgroup-root names another one`),
    );
  });
});
