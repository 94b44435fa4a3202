import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../agent/model/pod.ts';
import { readSummary, type SummaryStatistics } from '../../../../agent/observe/summary/summary.ts';
import type { PlainRecord, PlainValue } from '../../../../config/text/plain-value.ts';
import { podOf } from '../../../fakes/pods.ts';

const TIME = '2026-02-03T04:05:06Z';
const AT_MS = Date.UTC(2026, 1, 3, 4, 5, 6);
const GI = 1024 ** 3;
const FS = { time: TIME, availableBytes: 400, capacityBytes: 1000, inodes: 50, inodesFree: 20 };

function read(
  node: PlainRecord,
  pods: readonly PlainValue[] = [],
  known: readonly Pod[] = [],
): SummaryStatistics {
  const reading = readSummary({ node, pods }, known);
  if (!reading.ok) throw new Error(reading.message);
  return reading.value;
}

const memory = (availableBytes: PlainValue, workingSetBytes: PlainValue): PlainRecord => ({
  memory: { time: TIME, availableBytes, workingSetBytes },
});

describe('signals of a summary', () => {
  it('V21: memory and allocatable memory are available + working set', () => {
    const node = {
      ...memory(GI, GI),
      systemContainers: [
        { name: 'kubelet', ...memory(1, 1) },
        { name: 'pods', ...memory(GI, GI) },
      ],
    };
    expect([...read(node).readings]).toEqual([
      [
        'memory.available',
        {
          available: BigInt(GI),
          capacity: BigInt(2 * GI),
          atMs: AT_MS,
          source: 'node.memory of the summary',
        },
      ],
      [
        'allocatableMemory.available',
        {
          available: BigInt(GI),
          capacity: BigInt(2 * GI),
          atMs: AT_MS,
          source: 'system container pods of the summary',
        },
      ],
    ]);
  });
  it('V22: process IDs are maxpid less curproc', () => {
    const node = { rlimit: { time: TIME, maxpid: 255816, curproc: 1000 } };
    expect([...read(node).readings]).toEqual([
      [
        'pid.available',
        { available: 254816n, capacity: 255816n, atMs: AT_MS, source: 'node.rlimit of the summary' },
      ],
    ]);
  });
  it('filesystems are bytes and inodes', () => {
    const node = { fs: FS, runtime: { imageFs: { ...FS, availableBytes: 300 }, containerFs: FS } };
    expect([...read(node).readings]).toEqual([
      [
        'nodefs.available',
        { available: 400n, capacity: 1000n, atMs: AT_MS, source: 'node.fs of the summary' },
      ],
      ['nodefs.inodesFree', { available: 20n, capacity: 50n, atMs: AT_MS, source: 'node.fs of the summary' }],
      [
        'imagefs.available',
        { available: 300n, capacity: 1000n, atMs: AT_MS, source: 'node.runtime.imageFs of the summary' },
      ],
      [
        'imagefs.inodesFree',
        { available: 20n, capacity: 50n, atMs: AT_MS, source: 'node.runtime.imageFs of the summary' },
      ],
      [
        'containerfs.available',
        { available: 400n, capacity: 1000n, atMs: AT_MS, source: 'node.runtime.containerFs of the summary' },
      ],
      [
        'containerfs.inodesFree',
        { available: 20n, capacity: 50n, atMs: AT_MS, source: 'node.runtime.containerFs of the summary' },
      ],
    ]);
  });
  it('a wrapped number is the negative one that it means', () => {
    const reading = read(memory(18446744036295311360n, 50_000_000_000)).readings.get('memory.available');
    expect([reading?.available, reading?.capacity]).toEqual([-37414240256n, 12585759744n]);
  });
  it('a working set that wrapped is 0', () => {
    expect(read(memory(5, 18446744073709551615n)).readings.get('memory.available')?.capacity).toBe(5n);
  });
  it.each<[string, PlainRecord]>([
    ['no memory', {}],
    ['no availableBytes', { memory: { workingSetBytes: 1 } }],
    ['no workingSetBytes', { memory: { availableBytes: 1 } }],
    ['a text for a number', memory('5', 1)],
    ['a fraction', memory(5.5, 1)],
    ['report 41: no system container pods', { systemContainers: [{ name: 'kubelet', ...memory(1, 1) }] }],
    ['a system container pods without memory', { systemContainers: [{ name: 'pods' }] }],
    ['no curproc', { rlimit: { maxpid: 1 } }],
    ['no maxpid', { rlimit: { curproc: 1 } }],
    ['no capacity of a filesystem, nor inodes', { fs: { availableBytes: 1, inodesFree: 1 } }],
    ['a list for a map', { memory: [], systemContainers: {}, rlimit: 5, fs: 'x', runtime: [] }],
  ])('%s is no observation', (_what, node) => {
    expect([...read(node).readings]).toEqual([]);
  });
  it('a time that is none is left out', () => {
    const node = { memory: { time: 'soon', availableBytes: 1, workingSetBytes: 1 } };
    expect(read(node).readings.get('memory.available')).toEqual({
      available: 1n,
      capacity: 2n,
      source: 'node.memory of the summary',
    });
  });
});

describe('the layout of a summary', () => {
  it.each<[string, PlainRecord, string]>([
    [
      'imageFs equals containerFs and node.fs',
      { fs: FS, runtime: { imageFs: FS, containerFs: FS } },
      'single',
    ],
    [
      'imageFs equals containerFs, and other inodes than node.fs',
      { fs: FS, runtime: { imageFs: { ...FS, inodesFree: 1 }, containerFs: { ...FS, inodesFree: 1 } } },
      'single',
    ],
    [
      'imageFs has other bytes than node.fs',
      {
        fs: FS,
        runtime: { imageFs: { ...FS, availableBytes: 1 }, containerFs: { ...FS, availableBytes: 1 } },
      },
      'dedicated-imagefs',
    ],
    [
      'containerFs has other bytes than imageFs',
      { fs: FS, runtime: { imageFs: { ...FS, availableBytes: 1 }, containerFs: FS } },
      'split',
    ],
    ['there is no runtime', { fs: FS }, 'single'],
  ])('where %s is %s', (_what, node, layout) => {
    expect(read(node).layout).toBe(layout);
  });
});

describe('usage of a summary', () => {
  const container = (name: string, rootfs: number, logs: number): PlainRecord => ({
    name,
    rootfs: { usedBytes: rootfs, inodesUsed: rootfs + 1 },
    logs: { usedBytes: logs, inodesUsed: logs + 1 },
  });
  const web = podOf({
    name: 'web',
    metadata: { name: 'web', uid: 'u1' },
    spec: {
      volumes: [
        { name: 'scratch', emptyDir: {} },
        { name: 'ram', emptyDir: { medium: 'Memory' } },
        { name: 'host', hostPath: { path: '/x' } },
        { name: 'claim', persistentVolumeClaim: { claimName: 'c' } },
        { name: 'conf', configMap: { name: 'c' } },
        { name: 'unseen', emptyDir: {} },
      ],
    },
  });
  const volume = (name: string, usedBytes: number): PlainRecord => ({
    name,
    usedBytes,
    inodesUsed: usedBytes * 2,
  });

  it('has every part', () => {
    const entry = {
      podRef: { name: 'web', namespace: 'default', uid: 'u1' },
      memory: { workingSetBytes: 7, usageBytes: 9 },
      process_stats: { process_count: 3 },
      'ephemeral-storage': { usedBytes: 100, inodesUsed: 40 },
      containers: [
        { ...container('b', 20, 2), memory: { workingSetBytes: 6 } },
        container('a', 10, 1),
        { name: 'b', memory: { workingSetBytes: 5 }, logs: { usedBytes: 0 } },
        { name: 'c', memory: { workingSetBytes: 4 }, rootfs: { usedBytes: 0 } },
        { name: 'd', logs: { usedBytes: 0 } },
        { memory: { workingSetBytes: 3 } },
        null,
      ],
      volume: [
        volume('scratch', 1000),
        volume('scratch', 5),
        volume('ram', 7000),
        volume('host', 2000),
        volume('claim', 9000),
        volume('conf', 4000),
      ],
    };
    expect([...read({}, [entry], [web]).usage]).toEqual([
      [
        'u1',
        {
          memoryWorkingSetBytes: 7n,
          processCount: 3n,
          ephemeralStorageBytes: 100n,
          inodes: 40n,
          rootfsBytes: 30n,
          logsBytes: 3n,
          localVolumesBytes: 7000n,
          rootfsInodes: 32n,
          logsInodes: 5n,
          localVolumesInodes: 14000n,
          volumeBytes: new Map([
            ['scratch', 1000n],
            ['ram', 7000n],
          ]),
          containerStorage: new Map([
            ['b', { rootfsBytes: 20n, logsBytes: 2n }],
            ['a', { rootfsBytes: 10n, logsBytes: 1n }],
            ['c', { rootfsBytes: 0n }],
            ['d', { logsBytes: 0n }],
          ]),
          containerMemoryBytes: new Map([
            ['b', 6n],
            ['c', 4n],
          ]),
        },
      ],
    ]);
  });
  it('report 42: a working set of 0 is 0, and usageBytes is not looked at', () => {
    const entries = [{ podRef: { uid: 'u1' }, memory: { workingSetBytes: 0 } }];
    expect([...read({}, entries).usage]).toEqual([['u1', { memoryWorkingSetBytes: 0n }]]);
  });
  it('leaves out what is not there; such a pod has statistics all the same', () => {
    const entries = [{ podRef: { uid: 'u1' }, memory: {}, containers: [{ name: 'a' }] }];
    expect([...read({}, entries, [web]).usage]).toEqual([['u1', {}]]);
  });
  it('counts no volumes of a pod that is not known', () => {
    const entries = [{ podRef: { uid: 'u2' }, volume: [volume('scratch', 5)] }];
    expect([...read({}, entries, [web]).usage]).toEqual([['u2', {}]]);
  });
  it('takes the first of two entries, and none without a UID', () => {
    const entries = [
      { podRef: { uid: 'u1' }, process_stats: { process_count: 1 } },
      { podRef: { uid: 'u1' }, process_stats: { process_count: 2 } },
      { podRef: { name: 'web' }, process_stats: { process_count: 3 } },
      { process_stats: { process_count: 4 } },
      null,
    ];
    expect([...read({}, entries).usage]).toEqual([['u1', { processCount: 1n }]]);
  });
});

describe('what is no summary', () => {
  it.each<[string, PlainValue]>([
    ['a text', 'x'],
    ['nothing', null],
    ['a list', []],
    ['a map without node', { pods: [] }],
    ['a map with something else for node', { node: [] }],
  ])('%s is refused', (_what, value) => {
    expect(readSummary(value, [])).toEqual({
      ok: false,
      message:
        'this is no kubelet /stats/summary: it has no map "node"; save one with kubectl get --raw /api/v1/nodes/NAME/proxy/stats/summary',
    });
  });
  it('a summary without pods is one', () => {
    expect(readSummary({ node: {} }, [])).toEqual({
      ok: true,
      value: { readings: new Map(), usage: new Map(), layout: 'single', nodeName: undefined, doubts: [] },
    });
  });
});
