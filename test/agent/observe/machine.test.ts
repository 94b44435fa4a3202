import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parsePageSize } from '../../../agent/observe/auxiliary-vector.ts';
import type { CaptureManifest } from '../../../agent/observe/captured/manifest.ts';
import { observeMachine } from '../../../agent/observe/machine.ts';
import { cgroup2MountAt, memoryIsOnV1, parseMounts } from '../../../agent/observe/mounts.ts';
import { type NodeRoot, openRoot } from '../../../agent/observe/root.ts';
import { LiteralTree } from '../../fakes/literal-tree.ts';

function folderOf(files: Readonly<Record<string, string>>, capture?: CaptureManifest): NodeRoot {
  return {
    kind: 'folder',
    name: '/node',
    files: new LiteralTree(files),
    cgroups: new LiteralTree({}),
    isFake: false,
    ...(capture === undefined ? {} : { capture }),
  };
}

const MANIFEST: CaptureManifest = {
  root: '/',
  cgroupRoot: '/cg',
  cgroupMountPoint: '/cg',
  pageSizeBytes: 65536,
  inputs: { kubeletDropIns: [], nodeqosDropIns: [], podWarnings: [] },
  failures: [],
};

describe('a machine', () => {
  it('is what its files say', () => {
    const root = folderOf({
      'proc/meminfo':
        'MemTotal:       24684084 kB\nMemAvailable:   23034540 kB\nHugePages_Total:       3\nHugepagesize:       2048 kB\nHugetlb:           99999 kB\n',
      'proc/sys/kernel/osrelease': '6.1.0-18-amd64\n',
      'proc/sys/kernel/random/boot_id': 'd1f2a3b4-0000-4000-8000-000000000001\n',
      'proc/mounts': 'cgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate,memory_recursiveprot 0 0\n',
    });
    expect(observeMachine(root)).toEqual({
      memoryCapacityBytes: 25276502016n,
      memAvailableBytes: 23587368960n,
      hugepagesBytes: 6291456n,
      kernelRelease: '6.1.0-18-amd64',
      memoryRecursiveProt: true,
      bootId: 'd1f2a3b4-0000-4000-8000-000000000001',
      pageSizeBytes: 4096,
      warnings: [],
    });
  });

  it('without files is not known, and nothing of this machine stands in', () => {
    expect(observeMachine(folderOf({}))).toEqual({ pageSizeBytes: 4096, warnings: [] });
  });

  it('with files that are empty, unreadable or of another shape is not known either', () => {
    const root = folderOf({
      'proc/meminfo': 'MemTotal: much\nMemAvailable 5 kB\nHugePages_Total:       1\n',
      'proc/sys/kernel/osrelease': '\n',
      'proc/sys/kernel/random/boot_id': '!EACCES',
      'proc/mounts': '',
    });
    expect(observeMachine(root)).toEqual({ pageSizeBytes: 4096, warnings: [] });
  });

  it('of a capture has the page size and the mount that were captured', () => {
    const root = folderOf({ 'proc/mounts': 'none /cg cgroup2 rw,memory_recursiveprot 0 0\n' }, MANIFEST);
    expect(observeMachine(root)).toEqual({ memoryRecursiveProt: true, pageSizeBytes: 65536, warnings: [] });
  });

  it('of another mount than the one in use says nothing about it', () => {
    const root = folderOf({ 'proc/mounts': 'none /sys/fs/cgroup/unified cgroup2 rw 0 0\n' });
    expect(observeMachine(root)).toEqual({ pageSizeBytes: 4096, warnings: [] });
  });

  it('without the option in its mount has none', () => {
    const root = folderOf({ 'proc/mounts': 'none /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0\n' });
    expect(observeMachine(root)).toEqual({ memoryRecursiveProt: false, pageSizeBytes: 4096, warnings: [] });
  });

  it('that is this one has the page size that getconf tells', async () => {
    const pageSize = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));
    const machine = observeMachine(await openRoot({ root: '/' }));
    expect(machine.pageSizeBytes).toBe(pageSize);
    expect(machine.warnings).toEqual([]);
    expect(machine.memoryCapacityBytes).toBeGreaterThan(0n);
  });
});

describe('an auxiliary vector', () => {
  const words = (values: readonly bigint[], wordBytes: 4 | 8, isLittleEndian: boolean): Uint8Array => {
    const bytes = new Uint8Array(values.length * wordBytes);
    const view = new DataView(bytes.buffer);
    values.forEach((value, index) => {
      if (wordBytes === 8) view.setBigUint64(index * 8, value, isLittleEndian);
      else view.setUint32(index * 4, Number(value), isLittleEndian);
    });
    return bytes;
  };
  type Word = readonly [bytes: 4 | 8, isLittleEndian: boolean];
  const cases: readonly [string, readonly bigint[], Word, number | undefined][] = [
    ['64-bit little-endian', [33n, 1n, 6n, 4096n, 0n, 0n], [8, true], 4096],
    ['64-bit big-endian', [33n, 1n, 6n, 65536n, 0n, 0n], [8, false], 65536],
    ['32-bit', [33n, 1n, 6n, 16384n, 0n, 0n], [4, true], 16384],
    ['without the entry', [33n, 1n, 0n, 0n], [8, true], undefined],
    ['empty', [], [8, true], undefined],
    ['cut off after the type', [33n, 1n, 6n], [8, true], undefined],
    ['with a size that is no power of two', [6n, 4097n], [8, true], undefined],
    ['with a size below any page', [6n, 512n], [8, true], undefined],
    ['with the smallest size that is taken', [6n, 1024n], [8, true], 1024],
    ['with a size of 0', [6n, 0n], [8, true], undefined],
  ];
  it.each(cases)('%s', (_, values, [wordBytes, isLittleEndian], expected) => {
    const written = words(values, wordBytes, isLittleEndian);
    expect(parsePageSize(written, { wordBytes, isLittleEndian })).toBe(expected);
  });
  it('that is read with words of the wrong size has no page size', () => {
    expect(
      parsePageSize(words([33n, 1n, 6n, 4096n], 8, true), { wordBytes: 4, isLittleEndian: true }),
    ).toBeUndefined();
  });
});

describe('mounts', () => {
  it('are read with blanks in their names, and junk is left out', () => {
    expect(parseMounts('a /x\\040y tmpfs rw,noexec 0 0\njunk\n\n')).toEqual([
      { mountPoint: '/x y', type: 'tmpfs', options: ['rw', 'noexec'] },
    ]);
  });
  it('name the nearest cgroup2 mount at or above a folder, the later of two on one point', () => {
    const mounts = parseMounts(
      'c /sys/fs/cgroup cgroup2 rw,first 0 0\nc /sys/fs/cgroup cgroup2 rw,second 0 0\nc /sys/fs/cgroup/deep cgroup2 rw,deep 0 0\nt /sys/fs/cgroup/deep/er tmpfs rw 0 0\n',
    );
    const optionsAt = (folder: string): readonly string[] | undefined =>
      cgroup2MountAt(mounts, folder)?.options;
    expect(optionsAt('/sys/fs/cgroup')).toEqual(['rw', 'second']);
    expect(optionsAt('/sys/fs/cgroup/kubepods.slice')).toEqual(['rw', 'second']);
    expect(optionsAt('/sys/fs/cgroup/deep/er')).toEqual(['rw', 'deep']);
    expect(optionsAt('/sys/fs/cgroup2')).toBeUndefined();
    expect(optionsAt('/sys/fs')).toBeUndefined();
  });
  it('tell a host whose memory controller is on the old hierarchy', () => {
    expect(memoryIsOnV1(parseMounts('cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n'))).toBe(true);
    expect(memoryIsOnV1(parseMounts('cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n'))).toBe(false);
    expect(memoryIsOnV1(parseMounts('cgroup2 /sys/fs/cgroup cgroup2 rw,memory 0 0\n'))).toBe(false);
  });
});
