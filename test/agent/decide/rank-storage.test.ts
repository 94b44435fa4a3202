import { describe, expect, it } from 'vitest';
import type { RankingRules } from '../../../agent/decide/candidate.ts';
import type { PodUsage } from '../../../agent/model/pod.ts';
import type { Signal } from '../../../config/signal.ts';
import { container } from '../../fakes/pods.ts';
import { GI, MI, namesOf, type RankedParts, rankOf, type UsedPod, used } from '../../fakes/ranking.ts';

const KUBELET = { compat: 'kubelet' } as const;
const storage = (rootfs: number, logs: number, volumes: number): PodUsage => ({
  rootfsBytes: BigInt(rootfs) * MI,
  logsBytes: BigInt(logs) * MI,
  localVolumesBytes: BigInt(volumes) * MI,
});
const inodes = (name: string, count: bigint, parts: RankedParts = {}): UsedPod =>
  used(name, { ...parts, usage: { rootfsInodes: count } });

describe('disk ranking', () => {
  it('V37: goes by layer, logs and volumes less the request', () => {
    const pods = [
      used('p1', { usage: storage(100, 100, 100) }),
      used('p2', { usage: storage(50, 25, 25) }),
      used('p3', { storage: '100Mi', usage: storage(200, 150, 0) }),
      used('p4', { storage: '100Mi', usage: storage(110, 0, 0) }),
      used('p5', { storage: '400Mi', usage: storage(100, 175, 100) }),
      used('p6', { storage: '400Mi', usage: storage(20, 50, 50) }),
    ];
    for (const rules of [{}, KUBELET]) {
      const order = rankOf(pods, 'nodefs.available', rules);
      expect(namesOf(order)).toEqual(['p1', 'p3', 'p2', 'p4', 'p5', 'p6']);
      expect(order.map(({ overRequest }) => overRequest)).toEqual(
        [300n, 250n, 100n, 10n, -25n, -280n].map((mebibytes) => mebibytes * MI),
      );
    }
  });
  it('V88: pod-level resources hide the request of a container only from the kubelet', () => {
    const pods = [
      used('web', {
        spec: {
          resources: { limits: { cpu: '1' } },
          containers: [container('main', { 'ephemeral-storage': '10Gi' })],
        },
        usage: { rootfsBytes: GI },
      }),
    ];
    const seen = (rules: Partial<RankingRules>): unknown[] =>
      rankOf(pods, 'nodefs.available', rules).map(({ request, exceedsRequest }) => [request, exceedsRequest]);
    expect(seen(KUBELET)).toEqual([[0n, true]]);
    expect(seen({})).toEqual([[10n * GI, false]]);
  });
  it('tells disk in words', () => {
    expect(
      rankOf([used('web', { storage: '100Mi', usage: storage(200, 0, 0) })], 'nodefs.available')[0]?.why,
    ).toBe('uses 200Mi of disk, 100Mi over its request of 100Mi; priority 0; first to go');
    expect(rankOf([used('new')], 'nodefs.available', { unmeasured: 'evict' })[0]?.why).toBe(
      'is unmeasured, and such pods go before all others; priority 0; first to go',
    );
  });
});

describe('what is measured', () => {
  const usage: PodUsage = {
    rootfsBytes: 1n,
    logsBytes: 20n,
    localVolumesBytes: 300n,
    ephemeralStorageBytes: 4000n,
    rootfsInodes: 5n,
    logsInodes: 60n,
    localVolumesInodes: 700n,
    inodes: 8000n,
  };
  const measured = (
    signal: Signal,
    rules: Partial<RankingRules>,
    of: PodUsage | undefined = usage,
  ): unknown => rankOf([{ ...used('web'), usage: of }], signal, rules)[0]?.usage;

  it.each<[RankingRules['layout'], Signal, bigint, bigint]>([
    ['single', 'nodefs.available', 321n, 321n],
    ['single', 'imagefs.available', 321n, 321n],
    ['single', 'containerfs.available', 321n, 321n],
    ['dedicated-imagefs', 'nodefs.available', 320n, 320n],
    ['dedicated-imagefs', 'imagefs.available', 1n, 1n],
    ['dedicated-imagefs', 'containerfs.available', 1n, 1n],
    ['split', 'nodefs.available', 321n, 321n],
    ['split', 'imagefs.available', 1n, 0n],
    ['split', 'containerfs.available', 321n, 321n],
    ['single', 'nodefs.inodesFree', 765n, 765n],
    ['dedicated-imagefs', 'nodefs.inodesFree', 760n, 760n],
    ['dedicated-imagefs', 'imagefs.inodesFree', 5n, 5n],
    ['split', 'containerfs.inodesFree', 765n, 765n],
    ['split', 'imagefs.inodesFree', 5n, 0n],
  ])('with %s filesystems %s takes %s, the kubelet %s', (layout, signal, own, kubelets) => {
    expect(measured(signal, { layout })).toBe(own);
    expect(measured(signal, { layout, ...KUBELET })).toBe(kubelets);
  });
  it('takes the total where there are no parts, on one filesystem only', () => {
    const total = { ephemeralStorageBytes: 4000n, inodes: 8000n };
    expect(measured('nodefs.available', {}, total)).toBe(4000n);
    expect(measured('nodefs.inodesFree', {}, total)).toBe(8000n);
    expect(measured('nodefs.available', { layout: 'split' }, total)).toBeNull();
    expect(measured('nodefs.available', { layout: 'dedicated-imagefs' }, total)).toBeNull();
    expect(measured('imagefs.available', { layout: 'split' }, total)).toBeNull();
  });
  it('lets a part that is not known add nothing while another is known', () => {
    expect(measured('nodefs.available', {}, { logsBytes: 20n })).toBe(20n);
    expect(measured('nodefs.available', {}, { rootfsBytes: 0n, ephemeralStorageBytes: 5n })).toBe(0n);
  });
  it('takes statistics without the part for unmeasured, the kubelet for 0', () => {
    const signals = ['memory.available', 'pid.available', 'nodefs.available', 'nodefs.inodesFree'] as const;
    for (const signal of signals) {
      expect(measured(signal, {}, {})).toBeNull();
      expect(measured(signal, KUBELET, {})).toBe(0n);
    }
    const nothing = rankOf([used('web')], 'nodefs.available', KUBELET)[0];
    expect(nothing?.usage).toBeNull();
  });
  it('V87: the kubelet measures nobody under split imagefs, so the smaller request goes first', () => {
    const pods = [
      used('a', { usage: { rootfsBytes: 1n } }),
      used('b', { storage: '5Gi', usage: { rootfsBytes: 9n * GI } }),
    ];
    const layout = 'split';
    const kubelets = rankOf(pods, 'imagefs.available', { layout, ...KUBELET });
    expect(
      kubelets.map(({ name, exceedsRequest, overRequest }) => [name, exceedsRequest, overRequest]),
    ).toEqual([
      ['a', false, 0n],
      ['b', false, -5n * GI],
    ]);
    expect(namesOf(rankOf(pods, 'imagefs.available', { layout }))).toEqual(['b', 'a']);
  });
});

describe('inode ranking', () => {
  it('V38: the most inodes go first', () => {
    const pods = [inodes('low', 200_000n), inodes('medium', 300_000n), inodes('high', 400_000n)];
    expect(namesOf(rankOf(pods, 'nodefs.inodesFree'))).toEqual(['high', 'medium', 'low']);
  });
  it('V39: the lower priority goes first', () => {
    const pods = [
      inodes('high-150', 150_000n, { priority: 1000 }),
      inodes('high-350', 350_000n, { priority: 1000 }),
      inodes('low-100', 100_000n, { priority: -1 }),
      inodes('low-400', 400_000n, { priority: -1 }),
    ];
    for (const rules of [{}, KUBELET]) {
      expect(namesOf(rankOf(pods, 'nodefs.inodesFree', rules))).toEqual([
        'low-400',
        'low-100',
        'high-350',
        'high-150',
      ]);
    }
  });
  it('V40: the kubelet takes a request of bytes from inodes, nodeqos does not', () => {
    const pods = [inodes('hog', 5_000_000n, { storage: '1Gi' }), inodes('small', 10n)];
    const own = rankOf(pods, 'nodefs.inodesFree');
    expect(own.map(({ name, request, overRequest, why }) => [name, request, overRequest, why])).toEqual([
      ['hog', 0n, 5_000_000n, 'uses 5000000 inodes; priority 0; first to go'],
      ['small', 0n, 10n, 'uses 10 inodes; priority 0; second to go'],
    ]);
    const kubelets = rankOf(pods, 'nodefs.inodesFree', KUBELET);
    expect(kubelets.map(({ name, request, overRequest, why }) => [name, request, overRequest, why])).toEqual([
      ['small', 0n, 10n, 'uses 10 inodes; priority 0; first to go'],
      [
        'hog',
        0n,
        5_000_000n - GI,
        'uses 5000000 inodes, of which the kubelet takes its storage request of 1Gi, giving -1068741824; priority 0; second to go',
      ],
    ]);
  });
  it('exceeds with any inode at all', () => {
    const exceeds = (count: bigint): unknown =>
      rankOf([inodes('web', count)], 'nodefs.inodesFree')[0]?.exceedsRequest;
    expect([exceeds(0n), exceeds(1n)]).toEqual([false, true]);
  });
});

describe('process ranking', () => {
  const processes = (name: string, count: bigint, priority: number): UsedPod =>
    used(name, { priority, usage: { processCount: count } });
  it('V41: priority, then the number of processes', () => {
    const pods = [
      processes('high-900', 900n, 1000),
      processes('default-100', 100n, 0),
      processes('default-400', 400n, 0),
      processes('low-600', 600n, -1),
      processes('low-50', 50n, -1),
    ];
    const order = rankOf(pods, 'pid.available');
    expect(namesOf(order)).toEqual(['low-600', 'low-50', 'default-400', 'default-100', 'high-900']);
    expect(order[0]).toMatchObject({
      usage: 600n,
      request: null,
      exceedsRequest: null,
      overRequest: null,
      why: 'runs 600 processes; priority -1; first to go',
    });
  });
  it('puts a pod without statistics first, but only within its priority', () => {
    const pods = [
      processes('some', 9n, 0),
      used('missing', { priority: 0 }),
      processes('low', 1n, -1),
      used('missing-high', { priority: 5 }),
    ];
    expect(namesOf(rankOf(pods, 'pid.available'))).toEqual(['low', 'missing', 'some', 'missing-high']);
  });
});
