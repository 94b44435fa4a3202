import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statusTable } from '../../../../agent/cli/pressure/status-table.ts';
import { runProgram } from '../../../../agent/cli/program.ts';
import type { NodeStatus } from '../../../../agent/decide/node-status.ts';
import type { NodeFolder } from '../../../fakes/node-folder.ts';
import { nodeUnderPressure } from '../../../fakes/node-under-pressure.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

let node: NodeFolder;

beforeAll(() => {
  node = nodeUnderPressure({
    'summary.json': JSON.stringify({ node: { rlimit: { maxpid: 100, curproc: 30 } }, pods: [] }),
  });
});

afterAll(() => {
  node.remove();
});

async function status(...args: string[]): Promise<RecordingIo> {
  const io = new RecordingIo();
  expect(await runProgram(['status', ...args], io)).toBe(0);
  return io;
}

const MI = 1024 * 1024;

describe('status', () => {
  it('has signals, thresholds, conditions and taints of one look', async () => {
    const io = await status('--root', node.root, '-o', 'json');
    const threshold = { metSinceMs: null, met: false, inGrace: false };
    expect(JSON.parse(io.stdout)).toEqual({
      apiVersion: 'nodeqos.dev/v1alpha1',
      kind: 'NodeStatus',
      signals: [
        {
          signal: 'allocatableMemory.available',
          available: 64 * MI,
          capacity: 1024 * MI,
          source: 'memory.max - (memory.current - inactive_file) of the pods cgroup',
        },
        {
          signal: 'memory.available',
          available: 48 * MI,
          capacity: 2048 * MI,
          source: 'MemTotal - (anon + file - inactive_file) of the root cgroup',
        },
        {
          signal: 'pid.available',
          available: 700,
          capacity: 1000,
          source: 'min(pid_max, threads-max) - tasks of /proc/loadavg',
        },
      ],
      thresholds: [
        {
          signal: 'allocatableMemory.available',
          type: 'hard',
          value: { quantity: 100 * MI },
          met: true,
          inGrace: false,
        },
        {
          signal: 'allocatableMemory.available',
          type: 'soft',
          value: { percentage: 0.10000000149011612 },
          met: true,
          inGrace: true,
        },
        {
          signal: 'memory.available',
          type: 'hard',
          value: { quantity: 100 * MI },
          met: true,
          inGrace: false,
        },
        {
          ...threshold,
          signal: 'nodefs.available',
          type: 'hard',
          value: { percentage: 0.10000000149011612 },
        },
      ],
      conditions: ['MemoryPressure'],
      taints: [{ key: 'node.kubernetes.io/memory-pressure', value: '', effect: 'NoSchedule' }],
      psi: { some: { avg10: 1, avg60: 0.5, avg300: 0, totalUs: 77 } },
      memAvailableBytes: 1024 * MI,
      agent: null,
      warnings: [],
    });
  });
  it('draws a table for people', async () => {
    const io = await status('--root', node.root);
    expect(io.stdout).toBe(
      [
        'SIGNAL                       AVAILABLE  CAPACITY  THRESHOLD   DISTANCE  STATE',
        'allocatableMemory.available       64Mi       1Gi  hard 100Mi     -36Mi  MET',
        'allocatableMemory.available       64Mi       1Gi  soft 10%     -38.4Mi  met, in its grace',
        'memory.available                  48Mi       2Gi  hard 100Mi     -52Mi  MET',
        'pid.available                      700      1000  none',
        '',
        'Not observed, so neither met nor cleared: nodefs.available',
        'Conditions: MemoryPressure',
        'Taint that follows: node.kubernetes.io/memory-pressure:NoSchedule',
        'Memory available: 48Mi as the kubelet counts, 1Gi as the kernel does (MemAvailable)',
        'They are far apart: active page cache counts as used for the kubelet, so pods may go while memory',
        '  could be reclaimed.',
        'Memory pressure (PSI), 10 s, 60 s, 300 s: some tasks 1%, 0.5%, 0%',
        '',
      ].join('\n'),
    );
  });
  it('takes signals from a saved summary, offline too', async () => {
    const stats = ['--stats', `summary:${node.path('summary.json')}`, '-o', 'json'];
    const signals = [
      { signal: 'pid.available', available: 70, capacity: 100, source: 'node.rlimit of the summary' },
    ];
    const online = JSON.parse((await status('--root', node.root, ...stats)).stdout) as NodeStatus;
    expect(online.signals).toEqual(signals);
    const offline = JSON.parse((await status('--offline', ...stats)).stdout) as NodeStatus;
    expect(offline.signals).toEqual(signals);
    expect(offline).not.toHaveProperty('psi');
    expect(offline).not.toHaveProperty('memAvailableBytes');
    expect(offline).not.toHaveProperty('host');
  });
  it('says that nothing is observed offline without a summary', async () => {
    const io = await status('--offline');
    expect(io.warnings).toContain('offline no signal is observed; give --stats summary:PATH');
    expect(io.stdout).toContain('No signal was observed.\n');
  });
});

describe('the table of a status', () => {
  const STATUS: NodeStatus = {
    signals: [{ signal: 'memory.available', available: 34n << 30n, capacity: 64n << 30n, source: '' }],
    thresholds: [],
    conditions: [],
    taints: [],
    psi: null,
    memAvailableBytes: 2n << 30n,
    agent: null,
  };
  const lines = (
    status: NodeStatus,
    more: Partial<Parameters<typeof statusTable>[0]> = {},
  ): readonly string[] =>
    statusTable({ columns: 100, status, host: undefined, hugepagesBytes: undefined, nowMs: 0, ...more })
      .split('\n')
      .slice(3);
  it('report 20: says that huge pages count as free, and that the numbers are far apart', () => {
    expect(lines(STATUS, { hugepagesBytes: 32n << 30n })).toEqual([
      'Conditions: none',
      'Memory available: 34Gi as the kubelet counts, 2Gi as the kernel does (MemAvailable)',
      "They are far apart: slab and other kernel memory are not in the kubelet's number, so memory can run",
      '  out unseen.',
      '32Gi are set aside as huge pages; memory.available counts them as free.',
      'Memory pressure (PSI): none offered by this kernel',
      '',
    ]);
  });
  it('says nothing of numbers that are a twentieth of the capacity apart, and nothing that is not known', () => {
    const gap = (64n << 30n) / 20n;
    const near = { ...STATUS, memAvailableBytes: (34n << 30n) - gap };
    expect(lines(near)).toHaveLength(4);
    expect(lines({ ...near, memAvailableBytes: near.memAvailableBytes - 1n })).toHaveLength(6);
    const unknown = without(STATUS, 'psi', 'memAvailableBytes');
    expect(lines(unknown, { hugepagesBytes: 0n })).toEqual(['Conditions: none', '']);
  });
  it('shows full pressure, and the facts of a host that are known', () => {
    const averages = { avg10: 1, avg60: 2, avg300: 3, totalUs: 4n };
    const host = {
      operatingSystem: 'Debian 13',
      kernel: '6.12',
      architecture: 'x64',
      cpuCount: 4,
      virtualisation: 'kvm',
    };
    const status = without(STATUS, 'memAvailableBytes');
    expect(lines({ ...status, psi: { some: averages, full: { ...averages, avg10: 9 } } }, { host })).toEqual([
      'Conditions: none',
      'Memory pressure (PSI), 10 s, 60 s, 300 s: some tasks 1%, 2%, 3%; all tasks 9%, 2%, 3%',
      'Host: Debian 13, kernel 6.12, x64, 4 CPUs, on kvm',
      '',
    ]);
    expect(lines(status, { host: { virtualisation: 'none' } })).toHaveLength(3);
    const long = { ...averages, avg10: 12.34, avg60: 12.34, avg300: 12.34 };
    expect(lines({ ...status, psi: { some: long, full: long } }).slice(1, 3)).toEqual([
      'Memory pressure (PSI), 10 s, 60 s, 300 s: some tasks 12.34%, 12.34%, 12.34%; all tasks 12.34%,',
      '  12.34%, 12.34%',
    ]);
  });
});

function without<K extends 'psi' | 'memAvailableBytes'>(
  status: NodeStatus,
  ...keys: readonly K[]
): Omit<NodeStatus, K> {
  return Object.fromEntries(
    Object.entries(status).filter(([key]) => !keys.some((one) => one === key)),
  ) as unknown as Omit<NodeStatus, K>;
}
