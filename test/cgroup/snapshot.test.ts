import { describe, expect, it } from 'vitest';
import { cgroupLayout } from '../../cgroup/paths.ts';
import { type CgroupReading, readCgroupSnapshot, type SnapshotRequest } from '../../cgroup/snapshot.ts';
import { addCgroup, cgroupTree, type FakeTree } from '../fakes/tree.ts';

const REQUEST: SnapshotRequest = {
  layout: cgroupLayout('cgroupfs', '/'),
  reserved: [],
  workingSets: false,
};

function reading(cgroup: string, values: Partial<CgroupReading> = {}): CgroupReading {
  return { cgroup, min: 0n, low: 0n, high: 'max', currentBytes: 0n, missing: [], children: [], ...values };
}

function unreadable(cgroup: string, message: string) {
  return { code: 'unreadable-file', message, cgroup, pod: null };
}

function smallTree(): FakeTree {
  return cgroupTree({ kubepods: { current: 9n }, 'kubepods/podx': { min: 4096n, current: 7n } });
}

describe('readCgroupSnapshot', () => {
  it('reads kubepods and everything below, children bytewise', () => {
    const tree = cgroupTree({
      kubepods: { min: 5n, low: 6n, high: 7n, current: 8n },
      'kubepods/podb': { current: 2n },
      'kubepods/poda': {},
      'kubepods/poda/ctr': { min: 'max' },
      'kubepods/poda/ctr/inner': { low: 1n },
      'system.slice': { min: 99n },
    });
    const inner = reading('kubepods/poda/ctr/inner', { low: 1n });
    const ctr = reading('kubepods/poda/ctr', { min: 'max', children: [inner] });
    const poda = reading('kubepods/poda', { children: [ctr] });
    const podb = reading('kubepods/podb', { currentBytes: 2n });
    const kubepods = {
      cgroup: 'kubepods',
      min: 5n,
      low: 6n,
      high: 7n,
      currentBytes: 8n,
      missing: [],
      children: [poda, podb],
    };
    const snapshot = readCgroupSnapshot(tree, REQUEST);
    expect(snapshot.kubepods).toStrictEqual(kubepods);
    expect([...snapshot.byCgroup.keys()].sort()).toEqual([
      'kubepods',
      'kubepods/poda',
      'kubepods/poda/ctr',
      'kubepods/poda/ctr/inner',
      'kubepods/podb',
    ]);
    expect(snapshot.byCgroup.get('kubepods/poda')).toStrictEqual(poda);
    expect({ ancestors: snapshot.ancestors, warnings: snapshot.warnings }).toEqual({
      ancestors: [],
      warnings: [],
    });
  });

  it('opens no file twice, and memory.stat only where working sets are wanted', () => {
    const tree = smallTree();
    readCgroupSnapshot(tree, REQUEST);
    expect(tree.reads).toEqual([
      'kubepods/podx/memory.min',
      'kubepods/podx/memory.low',
      'kubepods/podx/memory.high',
      'kubepods/podx/memory.current',
      'kubepods/memory.min',
      'kubepods/memory.low',
      'kubepods/memory.high',
      'kubepods/memory.current',
    ]);
  });

  it('without kubepods there is nothing and no warning', () => {
    expect(readCgroupSnapshot(cgroupTree({}), REQUEST)).toEqual({
      kubepods: undefined,
      byCgroup: new Map(),
      ancestors: [],
      warnings: [],
    });
  });

  it('a kubepods that cannot be listed is named, and its own files are read', () => {
    const tree = smallTree().failFolder('kubepods', 'EACCES');
    const snapshot = readCgroupSnapshot(tree, REQUEST);
    expect(snapshot.kubepods).toStrictEqual(reading('kubepods', { currentBytes: 9n }));
    expect(snapshot.warnings).toEqual([
      unreadable('kubepods', '/node/kubepods cannot be read: permission denied (EACCES)'),
    ]);
  });

  it.each([
    ['EACCES', 'permission denied (EACCES)'],
    ['EPERM', 'not permitted (EPERM)'],
    ['EIO', 'input/output error (EIO)'],
    ['EISDIR', 'it is a folder (EISDIR)'],
    ['ELOOP', 'a symbolic link is in its place (ELOOP)'],
    ['EWEIRD', 'EWEIRD'],
  ])('a file that fails with %s is not known and named once', (code, words) => {
    const tree = smallTree().write('kubepods/podx/memory.low', { failed: code });
    const snapshot = readCgroupSnapshot(tree, REQUEST);
    expect(snapshot.byCgroup.get('kubepods/podx')).toStrictEqual(
      reading('kubepods/podx', { min: 4096n, low: undefined, currentBytes: 7n }),
    );
    expect(snapshot.warnings).toEqual([
      unreadable('kubepods/podx', `/node/kubepods/podx/memory.low cannot be read: ${words}`),
    ]);
  });

  it.each([
    ['', 'is empty'],
    ['\n', 'is empty'],
    ['junk\n', 'holds no number of bytes'],
  ])('a file of %j is not known, which is not 0', (text, words) => {
    const tree = smallTree().write('kubepods/podx/memory.min', text);
    const snapshot = readCgroupSnapshot(tree, REQUEST);
    expect(snapshot.byCgroup.get('kubepods/podx')?.min).toBeUndefined();
    expect(snapshot.warnings).toEqual([
      unreadable('kubepods/podx', `/node/kubepods/podx/memory.min ${words}; its value counts as not known`),
    ]);
  });

  it('a usage that is no number is not known', () => {
    const tree = smallTree().write('kubepods/podx/memory.current', 'max\n');
    expect(readCgroupSnapshot(tree, REQUEST).byCgroup.get('kubepods/podx')?.currentBytes).toBeUndefined();
  });

  it.each(['missing', 'ENODEV'])(
    'a cgroup that goes away between list and read (%s) is said without a warning',
    (how) => {
      const tree = smallTree();
      for (const file of ['memory.min', 'memory.low', 'memory.high', 'memory.current']) {
        tree.remove(`kubepods/podx/${file}`);
        if (how === 'ENODEV') {
          tree.write(`kubepods/podx/${file}`, { failed: 'ENODEV' });
        }
      }
      const snapshot = readCgroupSnapshot(tree, REQUEST);
      expect(snapshot.byCgroup.get('kubepods/podx')).toStrictEqual({
        cgroup: 'kubepods/podx',
        min: undefined,
        low: undefined,
        high: undefined,
        currentBytes: undefined,
        missing: ['memory.min', 'memory.low', 'memory.high'],
        children: [],
      });
      expect(snapshot.warnings).toEqual([]);
    },
  );

  it('a folder below that cannot be listed is named, one that went away is not', () => {
    const tree = cgroupTree({ kubepods: {}, 'kubepods/poda': {}, 'kubepods/podb': {} });
    tree.failFolder('kubepods/poda', 'EACCES').failFolder('kubepods/podb', 'ENODEV');
    expect(readCgroupSnapshot(tree, REQUEST).warnings).toEqual([
      unreadable('kubepods/poda', '/node/kubepods/poda cannot be read: permission denied (EACCES)'),
    ]);
  });

  it('working sets are of pods alone, and only where they are known', () => {
    const tree = cgroupTree({
      kubepods: { current: 100n, inactiveFile: 1n },
      'kubepods/podx': { current: 100n, inactiveFile: 30n },
      'kubepods/podx/ctr': { current: 100n, inactiveFile: 30n },
      'kubepods/pody': { current: 100n },
    }).write('kubepods/pody/memory.stat', 'anon 5\n');
    const { byCgroup } = readCgroupSnapshot(tree, { ...REQUEST, workingSets: true });
    expect([...byCgroup].map(([cgroup, { workingSetBytes }]) => [cgroup, workingSetBytes])).toEqual([
      ['kubepods/podx/ctr', undefined],
      ['kubepods/podx', 70n],
      ['kubepods/pody', undefined],
      ['kubepods', undefined],
    ]);
    expect(tree.reads.filter((path) => path.endsWith('memory.stat'))).toEqual([
      'kubepods/podx/memory.stat',
      'kubepods/pody/memory.stat',
    ]);
  });

  it('a memory.stat that cannot be read is named', () => {
    const tree = smallTree().write('kubepods/podx/memory.stat', { failed: 'EIO' });
    expect(readCgroupSnapshot(tree, { ...REQUEST, workingSets: true }).warnings).toEqual([
      unreadable('kubepods/podx', '/node/kubepods/podx/memory.stat cannot be read: input/output error (EIO)'),
    ]);
  });

  it('reserved cgroups are read where they are there', () => {
    const tree = smallTree();
    addCgroup(tree, 'kube.slice', { min: 8192n });
    const { byCgroup } = readCgroupSnapshot(tree, {
      ...REQUEST,
      reserved: ['kube.slice', 'gone.slice', 'kubepods'],
    });
    expect(byCgroup.get('kube.slice')).toStrictEqual(reading('kube.slice', { min: 8192n }));
    expect(byCgroup.has('gone.slice')).toBe(false);
    expect(byCgroup.get('kubepods')?.children).toHaveLength(1);
  });

  it('folders above a nested kubepods come with their other children', () => {
    const tree = cgroupTree({
      a: { min: 1n },
      'a/z': { min: 2n },
      'a/z/below': {},
      'a/b': { min: 3n },
      'a/b/kubepods': { min: 4n },
      'a/b/c': { min: 5n },
      other: {},
    });
    const layout = cgroupLayout('cgroupfs', '/a/b');
    const { ancestors, byCgroup } = readCgroupSnapshot(tree, { ...REQUEST, layout });
    expect(ancestors).toStrictEqual([
      reading('a', { min: 1n, children: [reading('a/z', { min: 2n })] }),
      reading('a/b', { min: 3n, children: [reading('a/b/c', { min: 5n })] }),
    ]);
    expect([...byCgroup.keys()]).toEqual(['a/b/kubepods']);
  });

  it('asks a tree that can tell whether a container has anything inside, and lists the rest', () => {
    const tree = cgroupTree({
      kubepods: {},
      'kubepods/burstable': {},
      'kubepods/burstable/podx': {},
      'kubepods/burstable/podx/leaf': {},
      'kubepods/burstable/podx/nested': {},
      'kubepods/burstable/podx/nested/in': {},
    });
    const asked: string[] = [];
    const listed: string[] = [];
    const asking = {
      readFile: (path: string) => tree.readFile(path),
      readDirectory: (path: string) => {
        listed.push(path);
        return tree.readDirectory(path);
      },
      inodeOf: (path: string) => tree.inodeOf(path),
      nameOf: (path: string) => tree.nameOf(path),
      isLeaf: (path: string) => {
        asked.push(path);
        return path.endsWith('/leaf') || path.endsWith('/in');
      },
    };
    const { byCgroup } = readCgroupSnapshot(asking, REQUEST);
    expect(byCgroup.size).toBe(6);
    expect(asked).toEqual([
      'kubepods/burstable/podx/leaf',
      'kubepods/burstable/podx/nested',
      'kubepods/burstable/podx/nested/in',
    ]);
    expect(listed).toEqual([
      'kubepods',
      'kubepods/burstable',
      'kubepods/burstable/podx',
      'kubepods/burstable/podx/nested',
    ]);
  });
});
