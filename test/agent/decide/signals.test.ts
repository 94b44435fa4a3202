import { describe, expect, it } from 'vitest';
import {
  filesystemLayout,
  type NodeCounters,
  rootUsageBytes,
  signalReadings,
} from '../../../agent/decide/signals.ts';
import type { FilesystemFigures } from '../../../agent/model/node.ts';
import { workingSetBytes } from '../../../cgroup/parse.ts';

const DISK: FilesystemFigures = { capacityBytes: 1000n, availableBytes: 400n, inodes: 50n, inodesFree: 20n };

describe('working set', () => {
  it('V81: is 0 where inactive_file is above usage', () => {
    expect(workingSetBytes(100n << 20n, 120n << 20n)).toBe(0n);
  });
  it('is 0 where both are equal, and 1 byte just above', () => {
    expect(workingSetBytes(5n, 5n)).toBe(0n);
    expect(workingSetBytes(6n, 5n)).toBe(1n);
  });
  it('V82: the usage of the root is anon + file', () => {
    expect(rootUsageBytes(790425600n, 6502666240n)).toBe(7293091840n);
  });
});

describe('memory.available', () => {
  const counters: NodeCounters = {
    memTotalBytes: 8000n,
    root: { anonBytes: 1000n, fileBytes: 3000n, inactiveFileBytes: 2500n },
  };
  it('reports 18, 19: is MemTotal - (anon + file - inactive_file) of the root', () => {
    expect([...signalReadings(counters)]).toEqual([
      [
        'memory.available',
        {
          available: 6500n,
          capacity: 8000n,
          source: 'MemTotal - (anon + file - inactive_file) of the root cgroup',
        },
      ],
    ]);
  });
  it('is negative where the working set has outgrown the capacity', () => {
    expect(signalReadings({ ...counters, memTotalBytes: 1000n }).get('memory.available')?.available).toBe(
      -500n,
    );
  });
  it.each([
    ['MemTotal', { ...counters, memTotalBytes: undefined }],
    ['the root cgroup', { ...counters, root: undefined }],
    ['anon', { ...counters, root: { ...counters.root, anonBytes: undefined } }],
    ['file', { ...counters, root: { ...counters.root, fileBytes: undefined } }],
    ['inactive_file', { ...counters, root: { ...counters.root, inactiveFileBytes: undefined } }],
  ])('is not observed without %s', (_what, without) => {
    expect([...signalReadings(without)]).toEqual([]);
  });
});

describe('allocatableMemory.available', () => {
  const kubepods = { max: 1000n, currentBytes: 700n, inactiveFileBytes: 100n } as const;
  it('is memory.max - working set of the pods cgroup', () => {
    expect([...signalReadings({ kubepods })]).toEqual([
      [
        'allocatableMemory.available',
        {
          available: 400n,
          capacity: 1000n,
          source: 'memory.max - (memory.current - inactive_file) of the pods cgroup',
        },
      ],
    ]);
  });
  it.each([
    ['max', { ...kubepods, max: 'max' as const }],
    ['more than 2^62', { ...kubepods, max: (1n << 62n) + 1n }],
    ['unknown', { ...kubepods, max: undefined }],
  ])('is not observed with a limit that is %s', (_what, without) => {
    expect([...signalReadings({ kubepods: without })]).toEqual([]);
  });
  it('takes a limit of exactly 2^62 for one', () => {
    const reading = signalReadings({ kubepods: { ...kubepods, max: 1n << 62n } }).get(
      'allocatableMemory.available',
    );
    expect(reading?.capacity).toBe(1n << 62n);
  });
  it('is not observed without memory.current or inactive_file', () => {
    expect([...signalReadings({ kubepods: { ...kubepods, currentBytes: undefined } })]).toEqual([]);
    expect([...signalReadings({ kubepods: { ...kubepods, inactiveFileBytes: undefined } })]).toEqual([]);
  });
});

describe('pid.available', () => {
  const available = (counters: NodeCounters) => signalReadings(counters).get('pid.available');
  it('V22: is the limit less the tasks', () => {
    expect(available({ pidMax: 255816n, tasks: 1000n })).toEqual({
      available: 254816n,
      capacity: 255816n,
      source: 'min(pid_max, threads-max) - tasks of /proc/loadavg',
    });
  });
  it.each([
    [100n, 200n, 100n],
    [200n, 100n, 100n],
    [150n, 150n, 150n],
    [undefined, 200n, 200n],
    [100n, undefined, 100n],
  ])('of pid_max %s and threads-max %s takes %s', (pidMax, threadsMax, capacity) => {
    expect(available({ pidMax, threadsMax, tasks: 1n })?.capacity).toBe(capacity);
  });
  it('is negative above the limit', () => {
    expect(available({ pidMax: 5n, tasks: 7n })?.available).toBe(-2n);
  });
  it('is not observed without any limit or without tasks', () => {
    expect(available({ tasks: 7n })).toBeUndefined();
    expect(available({ pidMax: 7n })).toBeUndefined();
  });
});

describe('filesystem signals', () => {
  it('are bytes and inodes of each filesystem that is known', () => {
    const filesystems = new Map([
      ['nodefs', DISK],
      ['imagefs', { ...DISK, availableBytes: 1n }],
      ['containerfs', { ...DISK, availableBytes: 2n }],
    ]);
    expect([...signalReadings({ filesystems })]).toEqual([
      ['nodefs.available', { available: 400n, capacity: 1000n, source: 'statfs of nodefs' }],
      ['nodefs.inodesFree', { available: 20n, capacity: 50n, source: 'statfs of nodefs' }],
      ['imagefs.available', { available: 1n, capacity: 1000n, source: 'statfs of imagefs' }],
      ['imagefs.inodesFree', { available: 20n, capacity: 50n, source: 'statfs of imagefs' }],
      ['containerfs.available', { available: 2n, capacity: 1000n, source: 'statfs of containerfs' }],
      ['containerfs.inodesFree', { available: 20n, capacity: 50n, source: 'statfs of containerfs' }],
    ]);
  });
  it('have no inodes where the filesystem has no fixed number of them', () => {
    const filesystems = new Map([['nodefs', { ...DISK, inodes: 0n, inodesFree: 0n }]]);
    expect([...signalReadings({ filesystems }).keys()]).toEqual(['nodefs.available']);
  });
});

describe('filesystem layout', () => {
  const other = { ...DISK, capacityBytes: 999n };
  it.each<[string, Record<string, FilesystemFigures>, string]>([
    ['nothing is known', {}, 'single'],
    ['only nodefs is known', { nodefs: DISK }, 'single'],
    ['only imagefs is known', { imagefs: DISK }, 'single'],
    ['all are equal', { nodefs: DISK, imagefs: DISK, containerfs: DISK }, 'single'],
    ['there is no containerfs and imagefs is nodefs', { nodefs: DISK, imagefs: DISK }, 'single'],
    [
      'images have another capacity',
      { nodefs: DISK, imagefs: other, containerfs: other },
      'dedicated-imagefs',
    ],
    [
      'images have other free bytes',
      { nodefs: DISK, imagefs: { ...DISK, availableBytes: 399n } },
      'dedicated-imagefs',
    ],
    [
      'images have other inodes, but the same bytes',
      { nodefs: DISK, imagefs: { ...DISK, inodes: 9n } },
      'single',
    ],
    ['layers have another capacity', { nodefs: DISK, imagefs: other, containerfs: DISK }, 'split'],
    [
      'layers have other free bytes',
      { nodefs: DISK, imagefs: DISK, containerfs: { ...DISK, availableBytes: 3n } },
      'split',
    ],
    [
      'layers have other inodes',
      { nodefs: DISK, imagefs: DISK, containerfs: { ...DISK, inodes: 3n } },
      'split',
    ],
    [
      'layers have other free inodes',
      { nodefs: DISK, imagefs: DISK, containerfs: { ...DISK, inodesFree: 3n } },
      'split',
    ],
  ])('where %s is %s', (_what, filesystems, layout) => {
    expect(filesystemLayout(new Map(Object.entries(filesystems)))).toBe(layout);
  });
});
