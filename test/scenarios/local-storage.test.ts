import { describe, expect, it } from 'vitest';
import type { PodUsage } from '../../agent/model/pod.ts';
import type { PlainRecord } from '../../config/text/plain-value.ts';
import { hard, policyOf, Story } from '../fakes/eviction.ts';
import { container, sidecar } from '../fakes/pods.ts';
import { GI, MI, type RankedParts, type UsedPod, used } from '../fakes/ranking.ts';

const BOTH = ['nodeqos', 'kubelet'] as const;
const NO_THRESHOLDS = policyOf([]);

/** A container with a limit of local storage. */
const limited = (name: string, limit: string): unknown => container(name, {}, { 'ephemeral-storage': limit });

function pod(name: string, spec: unknown, usage: PodUsage, more: RankedParts = {}): UsedPod {
  return used(name, { ...more, spec: spec as PlainRecord, usage });
}
const withVolume = (name: string, sizeLimit: string, usedBytes: bigint): UsedPod =>
  pod(
    name,
    { containers: [container('main')], volumes: [{ name: 'v', emptyDir: { sizeLimit } }] },
    { volumeBytes: new Map([['v', usedBytes]]) },
  );

const emptyDirPod = withVolume('c-volume', '100Mi', 101n * MI);
const podLimitPod = pod(
  'a-total',
  { containers: [limited('c1', '1Gi'), container('c2')] },
  {
    ephemeralStorageBytes: GI + 1n,
  },
);
const containerPod = pod(
  'b-container',
  { containers: [limited('c1', '1Gi')] },
  {
    containerStorage: new Map([['c1', { rootfsBytes: GI, logsBytes: 1n }]]),
  },
);
const ALL = [emptyDirPod, podLimitPod, containerPod];

describe('V55: local storage limits, with no threshold met', () => {
  it('kubelet: all that exceed theirs in one look, in the order of the list, again and again', () => {
    const story = new Story(policyOf([], { compat: 'kubelet' }));
    for (const atSeconds of [0, 1]) {
      expect(story.look(atSeconds, {}, { pods: ALL })).toEqual({
        conditions: [],
        met: [],
        evict: [
          'c-volume emptydirfs.limit 1',
          'a-total ephemeralpodfs.limit 1',
          'b-container ephemeralcontainerfs.limit 1',
        ],
      });
    }
  });
  it('nodeqos: one a look by name, none twice', () => {
    const story = new Story(NO_THRESHOLDS);
    expect(story.look(0, {}, { pods: ALL }).evict).toEqual(['a-total ephemeralpodfs.limit 1']);
    expect(story.look(1, {}, { pods: ALL }).evict).toEqual(['b-container ephemeralcontainerfs.limit 1']);
    expect(story.look(2, {}, { pods: ALL }).evict).toEqual(['c-volume emptydirfs.limit 1']);
    expect(story.look(3, {}, { pods: ALL }).evict).toEqual([]);
  });
  it('nodeqos: by namespace, name and UID', () => {
    const parts = { containers: [limited('c', '1')] };
    const usage = { ephemeralStorageBytes: 2n };
    const pods = [
      pod('b', parts, usage, { namespace: 'n1', uid: 'u1' }),
      pod('a', parts, usage, { namespace: 'n2', uid: 'u2' }),
      pod('a', parts, usage, { namespace: 'n1', uid: 'u4' }),
      pod('a', parts, usage, { namespace: 'n1', uid: 'u3' }),
    ];
    const story = new Story(NO_THRESHOLDS);
    const uids = [0, 1, 2, 3].map((atSeconds) => {
      story.look(atSeconds, {}, { pods });
      return story.orders.map((order) => order.pod.uid).join();
    });
    expect(uids).toEqual(['u3', 'u4', 'u1', 'u2']);
  });
  it('the order says it all', () => {
    const story = new Story(NO_THRESHOLDS);
    story.look(0, {}, { pods: [podLimitPod] });
    const message = 'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ';
    expect(story.orders).toEqual([
      {
        pod: podLimitPod.pod,
        cause: { kind: 'storage-limit', limit: 'ephemeralpodfs.limit', message },
        gracePeriodSeconds: 1,
        usage: { ephemeralStorageBytes: GI + 1n },
        candidates: [],
        message,
      },
    ]);
  });
  it.each(BOTH)('%s: comes before any threshold, which then waits', (compat) => {
    const story = new Story(policyOf([hard('memory.available', '1Gi')], { compat }));
    const hog = used('hog', { usage: { memoryWorkingSetBytes: GI } });
    const pods = [hog, podLimitPod];
    expect(story.look(0, { 'memory.available': '1Mi' }, { pods })).toEqual({
      conditions: ['MemoryPressure'],
      met: ['memory.available hard 1Gi'],
      evict: ['a-total ephemeralpodfs.limit 1'],
    });
    expect(story.withheld).toEqual({});
  });
  it('nodeqos: passes over critical, protected, terminating, finished pods and those it waits for', () => {
    const spec = { containers: [limited('c', '1')] };
    const usage = { ephemeralStorageBytes: 2n };
    const over = (name: string, more: RankedParts): UsedPod => pod(name, spec, usage, more);
    const pods = [
      pod('a-critical', { ...spec, priority: 2_000_000_000 }, usage),
      over('b-vital', { namespace: 'a', labels: { vital: 'yes' } }),
      over('c-leaving', { terminating: true }),
      over('d-finished', { status: { phase: 'Failed' } }),
      over('e-goes', {}),
    ];
    const guarded = { namespaces: [], labels: new Map([['vital', 'yes']]) };
    const story = new Story(policyOf([], { protected: guarded, unmeasured: 'skip' }));
    expect(story.look(0, {}, { pods }).evict).toEqual(['e-goes ephemeralpodfs.limit 1']);
    expect(story.look(1, {}, { pods }).evict).toEqual([]);
    const kubelet = new Story(policyOf([], { protected: guarded, compat: 'kubelet' }));
    expect(kubelet.look(0, {}, { pods }).evict).toEqual([
      'b-vital ephemeralpodfs.limit 1',
      'c-leaving ephemeralpodfs.limit 1',
      'e-goes ephemeralpodfs.limit 1',
    ]);
  });
  it('nobody without statistics, nor by an outdated list', () => {
    const story = new Story(NO_THRESHOLDS);
    expect(story.look(0, {}, { pods: ALL, hasUsage: false }).evict).toEqual([]);
    expect(story.look(1, {}, { pods: [used('a', { spec: { containers: [] } })] }).evict).toEqual([]);
    expect(story.look(2, {}, { pods: ALL, podsAgeMs: 60_001 }).evict).toEqual([]);
    expect(story.look(3, {}, { pods: ALL, podsAgeMs: 60_000 }).evict).toEqual([
      'a-total ephemeralpodfs.limit 1',
    ]);
  });
});

const message = (one: UsedPod, layout: 'single' | 'dedicated-imagefs' | 'split' = 'single'): string => {
  const story = new Story(NO_THRESHOLDS);
  story.look(0, {}, { pods: [one], layout });
  return story.orders.map((order) => order.message).join();
};

describe('V56: the limit of an emptyDir', () => {
  it.each([
    ['used to the byte', withVolume('a', '100Mi', 100n * MI), ''],
    [
      'exceeded by a byte',
      withVolume('a', '100Mi', 100n * MI + 1n),
      'Usage of EmptyDir volume "v" exceeds the limit "100Mi". ',
    ],
    ['of 0 is none', withVolume('a', '0', 5n * GI), ''],
    [
      'of half a byte more is exceeded by the next whole one',
      withVolume('a', '1500m', 2n),
      'Usage of EmptyDir volume "v" exceeds the limit "1500m". ',
    ],
    ['of half a byte more holds the one below', withVolume('a', '1500m', 1n), ''],
  ])('%s', (_, one, expected) => {
    expect(message(one)).toBe(expected);
  });
  it('counts on tmpfs too, and on no other kind of volume', () => {
    const usage = { volumeBytes: new Map([['v', 2n]]) };
    const volumes = (volume: PlainRecord): UsedPod =>
      pod('a', { containers: [container('main')], volumes: [{ name: 'v', ...volume }] }, usage);
    expect(message(volumes({ emptyDir: { medium: 'Memory', sizeLimit: '1' } }))).toBe(
      'Usage of EmptyDir volume "v" exceeds the limit "1". ',
    );
    expect(message(volumes({ emptyDir: {} }))).toBe('');
    expect(message(volumes({ configMap: { name: 'c' } }))).toBe('');
  });
});

describe('V57: the limit of the pod', () => {
  const TOTAL = (limit: string): string =>
    `Pod ephemeral local storage usage exceeds the total limit of containers ${limit}. `;
  const withContainers = (containers: readonly unknown[], usage: PodUsage, more = {}): UsedPod =>
    pod('a', { ...more, containers }, usage);

  it('one container with a limit bounds the whole pod, to the byte', () => {
    const containers = [limited('c1', '1Gi'), container('c2')];
    expect(message(withContainers(containers, { ephemeralStorageBytes: GI }))).toBe('');
    expect(message(withContainers(containers, { ephemeralStorageBytes: GI + 1n }))).toBe(TOTAL('1Gi'));
  });
  it('adds up containers and sidecars, and the overhead', () => {
    const spec = {
      initContainers: [sidecar('s', {}, { 'ephemeral-storage': '1Gi' }), limited('i', '512Mi')],
      overhead: { 'ephemeral-storage': '1Mi' },
    };
    const containers = [limited('c1', '1Gi')];
    expect(message(withContainers(containers, { ephemeralStorageBytes: 2n * GI + MI }, spec))).toBe('');
    expect(message(withContainers(containers, { ephemeralStorageBytes: 2n * GI + MI + 1n }, spec))).toBe(
      TOTAL('2049Mi'),
    );
  });
  it('is there where it is stated as 0, without overhead', () => {
    const spec = { overhead: { 'ephemeral-storage': '1Mi' } };
    expect(message(withContainers([limited('c', '0')], { ephemeralStorageBytes: 1n }, spec))).toBe(
      TOTAL('0'),
    );
  });
  it('is not stated by ephemeral containers, nor by a limit of something else', () => {
    const usage = { ephemeralStorageBytes: 5n * GI };
    const ephemeral = { ephemeralContainers: [limited('e', '1')] };
    expect(message(withContainers([container('c', {}, { memory: '1' })], usage, ephemeral))).toBe('');
  });
  it('nodeqos adds up the parts where they are all that is known; the kubelet knows the total only', () => {
    const parts = { rootfsBytes: GI, logsBytes: 1n, localVolumesBytes: 0n };
    const one = withContainers([limited('c', '1Gi')], parts);
    expect(message(one)).toBe(TOTAL('1Gi'));
    expect(message(withContainers([limited('c', '1Gi')], { ...parts, ephemeralStorageBytes: 1n }))).toBe('');
    expect(new Story(policyOf([], { compat: 'kubelet' })).look(0, {}, { pods: [one] }).evict).toEqual([]);
  });
});

describe('the limit of a container', () => {
  const of = (storage: { rootfsBytes?: bigint; logsBytes?: bigint }): UsedPod =>
    pod(
      'a',
      { containers: [limited('big', '5Gi'), limited('c', '1Gi')] },
      {
        containerStorage: new Map([['c', storage]]),
      },
    );
  const BROKEN = 'Container c exceeded its local ephemeral storage limit "1Gi". ';

  it.each([
    ['logs and writable layer to the byte', of({ rootfsBytes: GI - 1n, logsBytes: 1n }), 'single', ''],
    ['a byte more', of({ rootfsBytes: GI, logsBytes: 1n }), 'single', BROKEN],
    ['only one part known', of({ rootfsBytes: GI + 1n }), 'single', BROKEN],
    [
      'the layer does not count beside an image filesystem',
      of({ rootfsBytes: 2n * GI }),
      'dedicated-imagefs',
      '',
    ],
    ['nor beside a split one', of({ rootfsBytes: 2n * GI }), 'split', ''],
    ['logs count there', of({ logsBytes: GI + 1n }), 'split', BROKEN],
  ] as const)('%s', (_, one, layout, expected) => {
    expect(message(one, layout)).toBe(expected);
  });
  it('is not looked at for sidecars and init containers, and 0 is none', () => {
    const spec = {
      initContainers: [sidecar('s', {}, { 'ephemeral-storage': '1' }), limited('i', '1')],
      containers: [limited('c', '0')],
    };
    const storage = new Map(['s', 'i', 'c'].map((name) => [name, { logsBytes: 5n }]));
    expect(message(pod('a', spec, { containerStorage: storage }))).toBe('');
  });
});
