import { describe, expect, it } from 'vitest';
import { readCgroupUsage } from '../../../agent/observe/cgroup-usage.ts';
import { readNodeCounters } from '../../../agent/observe/node-counters.ts';
import type { NodeRoot } from '../../../agent/observe/root.ts';
import { cgroupLayout } from '../../../cgroup/paths.ts';
import { LiteralTree } from '../../fakes/literal-tree.ts';
import { container, podOf } from '../../fakes/pods.ts';

const LAYOUT = cgroupLayout('cgroupfs', '/');
const POD = podOf({
  name: 'web',
  metadata: { name: 'web', uid: 'u1' },
  spec: { containers: [container('main', { memory: '1Gi' })] },
});
const CGROUP = 'kubepods/burstable/podu1';
const STAT = 'anon 5\ninactive_file 30\nfile 70\n';

const usageOf = (files: Readonly<Record<string, string>>, pods = [POD]) =>
  readCgroupUsage(new LiteralTree(files), LAYOUT, pods);

describe('usage from the tree', () => {
  it('is the working set and pids.current of the pod cgroup', () => {
    const files = {
      [`${CGROUP}/memory.current`]: '100\n',
      [`${CGROUP}/memory.stat`]: STAT,
      [`${CGROUP}/pids.current`]: '7\n',
      [`${CGROUP}/cgroup.procs`]: '1\n',
    };
    expect(usageOf(files)).toEqual({
      usage: new Map([['u1', { memoryWorkingSetBytes: 70n, processCount: 7n }]]),
      warnings: [],
    });
  });
  it('has the page cache in use where memory.stat tells of it', () => {
    const files = {
      [`${CGROUP}/memory.current`]: '100\n',
      [`${CGROUP}/memory.stat`]: `${STAT}active_file 40\n`,
    };
    expect(usageOf(files)).toEqual({
      usage: new Map([['u1', { memoryWorkingSetBytes: 70n, activeFileBytes: 40n }]]),
      warnings: [],
    });
  });
  it('V81: inactive_file above memory.current gives 0', () => {
    const files = { [`${CGROUP}/memory.current`]: '20\n', [`${CGROUP}/memory.stat`]: STAT };
    expect(usageOf(files).usage.get('u1')).toEqual({ memoryWorkingSetBytes: 0n });
  });
  it('goes by the class that the status reports', () => {
    const pod = { ...POD, reportedQosClass: 'Guaranteed' as const };
    const files = { 'kubepods/podu1/memory.current': '31', 'kubepods/podu1/memory.stat': STAT };
    expect(usageOf(files, [pod]).usage.get('u1')).toEqual({ memoryWorkingSetBytes: 1n });
  });
  it.each([
    ['is not there', undefined],
    ['cannot be read', '!EACCES'],
    ['holds no number', 'x'],
  ])('counts cgroup.procs of the pod and below where pids.current %s', (_what, pids) => {
    const files = {
      ...(pids === undefined ? {} : { [`${CGROUP}/pids.current`]: pids }),
      [`${CGROUP}/memory.current`]: '31',
      [`${CGROUP}/memory.stat`]: STAT,
      [`${CGROUP}/cgroup.procs`]: '1\n',
      [`${CGROUP}/a/cgroup.procs`]: '2\n3\n',
      [`${CGROUP}/a/b/cgroup.procs`]: '4\n',
      [`${CGROUP}/c/cgroup.procs`]: '!ENODEV',
    };
    expect(usageOf(files).usage.get('u1')?.processCount).toBe(4n);
  });
  it('a memory.stat without inactive_file leaves the working set unknown, with a warning', () => {
    const files = { [`${CGROUP}/memory.current`]: '100\n', [`${CGROUP}/memory.stat`]: 'anon 5\n' };
    expect(usageOf(files)).toEqual({
      usage: new Map([['u1', {}]]),
      warnings: [
        {
          code: 'memory-stat-incomplete',
          message: `/node/${CGROUP}/memory.stat has no inactive_file: the working set is not known`,
          cgroup: CGROUP,
          pod: 'default/web',
        },
      ],
    });
  });
  it('names each file that cannot be read', () => {
    const files = { [`${CGROUP}/memory.current`]: '!EACCES', [`${CGROUP}/cgroup.procs`]: '' };
    expect(usageOf(files)).toEqual({
      usage: new Map([['u1', { processCount: 0n }]]),
      warnings: [
        {
          code: 'unreadable-file',
          message: `/node/${CGROUP}/memory.current could not be read (EACCES): the working set is not known`,
          cgroup: CGROUP,
          pod: 'default/web',
        },
        {
          code: 'unreadable-file',
          message: `/node/${CGROUP}/memory.stat is not there: the working set is not known`,
          cgroup: CGROUP,
          pod: 'default/web',
        },
      ],
    });
  });
  it('an empty memory.current is unknown, not 0', () => {
    const files = { [`${CGROUP}/memory.current`]: '', [`${CGROUP}/memory.stat`]: STAT };
    const read = usageOf(files);
    expect(read.usage.get('u1')).toEqual({});
    expect(read.warnings.map(({ message }) => message)).toEqual([
      `/node/${CGROUP}/memory.current holds no number: the working set is not known`,
    ]);
  });
  it('a pod without a cgroup has no usage', () => {
    expect(usageOf({ 'kubepods/cgroup.procs': '' })).toEqual({
      usage: new Map(),
      warnings: [
        {
          code: 'no-cgroup',
          message: `default/web has no cgroup ${CGROUP}: its usage is not known`,
          cgroup: null,
          pod: 'default/web',
        },
      ],
    });
  });
  it('a UID that leads elsewhere is not followed', () => {
    const pod = { ...POD, cgroupUid: '../../x' };
    expect(usageOf({}, [pod]).warnings.map(({ message }) => message)).toEqual([
      'default/web has a UID that names no cgroup: its usage is not known',
    ]);
  });
  it('finished pods and pods without UID are not looked for', () => {
    const { cgroupUid, ...bare } = POD;
    expect(cgroupUid).toBe('u1');
    expect(usageOf({}, [{ ...POD, phase: 'Failed' }, bare])).toEqual({ usage: new Map(), warnings: [] });
  });
});

describe('counters of a node', () => {
  const FILES = { 'proc/loadavg': '0 0 0 1/20 3', 'proc/sys/kernel/pid_max': '100' };
  const CGROUPS = {
    'memory.stat': 'anon 10\nfile 30\ninactive_file 20\n',
    'kubepods/memory.max': '1000\n',
    'kubepods/memory.current': '500\n',
    'kubepods/memory.stat': STAT,
  };
  const root = (cgroups: Readonly<Record<string, string>>, more: Partial<NodeRoot> = {}): NodeRoot => ({
    kind: 'folder',
    name: '/node',
    files: new LiteralTree(FILES),
    cgroups: new LiteralTree(cgroups),
    isFake: true,
    ...more,
  });
  const machine = { memoryCapacityBytes: 4096n, pageSizeBytes: 4096 };

  it('come from the root cgroup, the pods cgroup and /proc; a folder has no disks', () => {
    expect(readNodeCounters(root(CGROUPS), LAYOUT, machine)).toEqual({
      counters: {
        memTotalBytes: 4096n,
        root: { anonBytes: 10n, fileBytes: 30n, inactiveFileBytes: 20n },
        kubepods: { max: 1000n, currentBytes: 500n, inactiveFileBytes: 30n },
        pidMax: 100n,
        tasks: 20n,
        filesystems: new Map(),
      },
      warnings: [],
    });
  });
  it('take the disks of a captured node from its manifest', () => {
    const figures = { capacityBytes: 4n, availableBytes: 3n, inodes: 2n, inodesFree: 1n };
    const filesystems = new Map([['nodefs', figures]]);
    const capture = { filesystems } as unknown as NonNullable<NodeRoot['capture']>;
    const read = readNodeCounters(root(CGROUPS, { kind: 'host', capture }), LAYOUT, machine);
    expect(read.counters.filesystems).toEqual(filesystems);
    const none = readNodeCounters(root(CGROUPS, { capture: {} as typeof capture }), LAYOUT, machine);
    expect(none.counters.filesystems).toEqual(new Map());
  });
  it('warn of each thing that is missing, and of no limit that is max', () => {
    const cgroups = {
      'memory.stat': 'anon 10\n',
      'kubepods/memory.max': 'max\n',
      'kubepods/memory.current': '5',
    };
    const read = readNodeCounters(root(cgroups), LAYOUT, machine);
    expect(read.counters.root).toEqual({ anonBytes: 10n });
    expect(read.counters.kubepods).toEqual({ max: 'max', currentBytes: 5n });
    expect(read.warnings).toEqual([
      {
        code: 'memory-stat-incomplete',
        message: '/node/memory.stat has no file, inactive_file: memory.available is not observed',
        cgroup: '',
        pod: null,
      },
      {
        code: 'unreadable-file',
        message: '/node/kubepods/memory.stat is not there: allocatableMemory.available is not observed',
        cgroup: 'kubepods',
        pod: null,
      },
    ]);
  });
  it('say that there is no cgroup for pods', () => {
    const read = readNodeCounters(root({ 'memory.stat': CGROUPS['memory.stat'] }), LAYOUT, machine);
    expect(read.counters.kubepods).toBeUndefined();
    expect(read.warnings).toEqual([
      {
        code: 'no-pods-cgroup',
        message: '/node/kubepods is not there: allocatableMemory.available is not observed',
        cgroup: 'kubepods',
        pod: null,
      },
    ]);
  });
});
