import { describe, expect, it } from 'vitest';
import { hard, policyOf, Story, soft } from '../fakes/eviction.ts';
import { MI, memoryPod, used } from '../fakes/ranking.ts';

const BOTH = ['nodeqos', 'kubelet'] as const;
const LOW_MEMORY = { 'memory.available': '50Mi' } as const;
const MEMORY = hard('memory.available', '100Mi');

describe('an unchanged sample', () => {
  const UNTIMED = { available: 50n * MI, isUntimed: true };
  // V23, in order: no sample before; the same again; an earlier one; the one after it; one without a time; any after that.
  const samples: readonly (readonly [number | undefined, boolean])[] = [
    [1000, true],
    [1000, false],
    [999, false],
    [1000, true],
    [undefined, true],
    [1000, true],
    [1001, true],
  ];
  it.each(BOTH)('V23, %s: takes no pod; one without a time, or later than the last, does', (compat) => {
    const story = new Story(policyOf([MEMORY], { compat }));
    samples.forEach(([atMs, isServed], index) => {
      const reading = atMs === undefined ? UNTIMED : { available: 50n * MI, atMs };
      const told = story.look(
        index * 60,
        { 'memory.available': reading },
        { pods: [memoryPod('a', 500, { uid: `u${index}` })] },
      );
      expect([index, told.evict.length === 1]).toEqual([index, isServed]);
      expect(told.met).toEqual(['memory.available hard 100Mi']);
      expect(told.conditions).toEqual(['MemoryPressure']);
      expect(story.withheld).toEqual(
        isServed ? {} : { 'memory.available': 'the sample has not changed since the last look' },
      );
    });
  });
  it('of one signal does not hold up another', () => {
    for (const compat of BOTH) {
      const story = new Story(policyOf([MEMORY, hard('pid.available', '100')], { compat }));
      const old = { 'memory.available': { available: 50n * MI, atMs: 1 } };
      story.look(0, old);
      const pods = [used('a', { usage: { processCount: 5n } })];
      expect(story.look(1, { ...old, 'pid.available': '5' }, { pods }).evict).toEqual([
        'a pid.available hard 1',
      ]);
      expect(story.withheld).toEqual({
        'memory.available': 'the sample has not changed since the last look',
      });
    }
  });
});

describe('which threshold is served', () => {
  const everything = {
    memoryWorkingSetBytes: 500n * MI,
    processCount: 10n,
    ephemeralStorageBytes: 50n * MI,
    inodes: 9n,
  };
  const pods = [used('a', { usage: everything })];
  const LOW = {
    'memory.available': '50Mi',
    'allocatableMemory.available': '50Mi',
    'nodefs.available': '50Mi',
    'nodefs.inodesFree': '50',
    'imagefs.available': '50Mi',
    'pid.available': '50',
  } as const;

  it.each(BOTH)('V27, %s: memory, then process IDs, then disk', (compat) => {
    const thresholds = [hard('nodefs.available', '1Gi'), hard('pid.available', '100'), MEMORY];
    expect(new Story(policyOf(thresholds, { compat })).look(0, LOW, { pods }).evict).toEqual([
      'a memory.available hard 1',
    ]);
    const noMemory = thresholds.slice(0, 2);
    expect(new Story(policyOf(noMemory, { compat })).look(0, LOW, { pods }).evict).toEqual([
      'a pid.available hard 1',
    ]);
  });
  it.each(BOTH)(
    'V28, %s: of several of memory a hard one, by signal, whatever the order of the policy',
    (compat) => {
      const thresholds = [
        soft('memory.available', '200Mi', 0.001),
        MEMORY,
        hard('allocatableMemory.available', '100Mi'),
      ];
      for (const order of [thresholds, thresholds.toReversed()]) {
        const story = new Story(policyOf(order, { compat }));
        story.look(0, LOW);
        expect(story.look(60, LOW, { pods }).evict).toEqual(['a allocatableMemory.available hard 1']);
      }
      const story = new Story(policyOf(thresholds.slice(0, 2), { compat }));
      story.look(0, LOW);
      expect(story.look(60, LOW, { pods }).evict).toEqual(['a memory.available hard 1']);
    },
  );
  it('nodeqos serves a hard threshold of disk before a soft one of memory; the kubelet memory first', () => {
    const thresholds = [soft('memory.available', '100Mi', 0.001), hard('nodefs.available', '1Gi')];
    for (const [compat, evict] of [
      ['nodeqos', 'a nodefs.available hard 1'],
      ['kubelet', 'a memory.available soft 0'],
    ] as const) {
      const story = new Story(policyOf(thresholds, { compat }));
      story.look(0, LOW);
      expect(story.look(60, LOW, { pods }).evict).toEqual([evict]);
    }
  });
  it('within disk by signal, then by value', () => {
    const thresholds = [
      hard('nodefs.inodesFree', '100'),
      hard('nodefs.available', '2Gi'),
      hard('nodefs.available', '1Gi'),
      hard('imagefs.available', '1Gi'),
    ];
    const story = new Story(policyOf(thresholds));
    expect(story.look(0, LOW, { pods }).evict).toEqual(['a imagefs.available hard 1']);
    const rest = new Story(policyOf(thresholds.slice(0, 3)));
    rest.look(0, LOW, { pods });
    expect(rest.orders[0]?.cause).toEqual({
      kind: 'threshold',
      threshold: thresholds[2],
      available: 50n * MI,
      capacity: 16n * 1024n * MI,
    });
  });
  it('nodeqos tries the next threshold in the same look where nobody may go for the first; the kubelet does not', () => {
    const thresholds = [MEMORY, hard('pid.available', '100')];
    const onlyPids = [used('a', { usage: { processCount: 10n } })];
    const story = new Story(policyOf(thresholds));
    expect(story.look(0, LOW, { pods: onlyPids }).evict).toEqual(['a pid.available hard 1']);
    expect(story.withheld).toEqual({ 'memory.available': 'no pod may be evicted (1 unmeasured)' });
    const critical = [used('a', { usage: everything, priority: 2_000_000_000 })];
    const kubelet = new Story(policyOf(thresholds, { compat: 'kubelet' }));
    expect(kubelet.look(0, LOW, { pods: critical }).evict).toEqual([]);
    expect(kubelet.withheld).toEqual({ 'memory.available': 'no pod may be evicted (1 critical)' });
    const both = new Story(policyOf(thresholds));
    expect(both.look(0, LOW, { pods: critical }).evict).toEqual([]);
    expect(both.withheld).toEqual({
      'memory.available': 'no pod may be evicted (1 critical)',
      'pid.available': 'no pod may be evicted (1 critical)',
    });
  });
});

describe('who may not go', () => {
  it('says how many of which kind there are', () => {
    const story = new Story(policyOf([MEMORY], { protected: { namespaces: ['vital'], labels: new Map() } }));
    const unknown = memoryPod('unknown', 9);
    const pods = [
      memoryPod('static', 9, { annotations: { 'kubernetes.io/config.source': 'file' } }),
      memoryPod('mirror', 9, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
      memoryPod('priority', 9, { priority: 2_000_000_000 }),
      memoryPod('vital', 9, { namespace: 'vital' }),
      memoryPod('leaving', 9, { terminating: true }),
      used('unseen'),
      { ...unknown, pod: { ...unknown.pod, mayBeCritical: true as const } },
      memoryPod('finished', 9, { status: { phase: 'Succeeded' } }),
    ];
    expect(story.look(0, LOW_MEMORY, { pods }).evict).toEqual([]);
    expect(story.withheld).toEqual({
      'memory.available':
        'no pod may be evicted (1 of unknown priority, 1 protected, 1 terminating, 1 unmeasured, 3 critical)',
    });
    expect(story.look(1, LOW_MEMORY, { pods: [] }).evict).toEqual([]);
    expect(story.withheld).toEqual({ 'memory.available': 'there is no pod on this node' });
  });
  it('pods without statistics: passed over unless the policy says otherwise; evictable for the kubelet', () => {
    const pods = [used('unseen', { priority: 1_000_000 }), memoryPod('seen', 5)];
    const evicted = (parts: Parameters<typeof policyOf>[1]): readonly string[] =>
      new Story(policyOf([MEMORY], parts)).look(0, LOW_MEMORY, { pods }).evict;
    expect(evicted({})).toEqual(['seen memory.available hard 1']);
    expect(evicted({ unmeasured: 'evict' })).toEqual(['unseen memory.available hard 1']);
    expect(evicted({ compat: 'kubelet' })).toEqual(['unseen memory.available hard 1']);
  });
  it('statistics without a memory part are none for nodeqos and 0 for the kubelet', () => {
    const pods = [used('part', { usage: { processCount: 5n } }), memoryPod('seen', 5)];
    const story = new Story(policyOf([MEMORY], { unmeasured: 'evict' }));
    expect(story.look(0, LOW_MEMORY, { pods }).evict).toEqual(['part memory.available hard 1']);
    const kubelet = new Story(policyOf([MEMORY], { compat: 'kubelet' }));
    expect(kubelet.look(0, LOW_MEMORY, { pods }).evict).toEqual(['seen memory.available hard 1']);
  });
  it('a terminating pod and a protected one go under the rules of the kubelet', () => {
    const policy = { compat: 'kubelet', protected: { namespaces: ['vital'], labels: new Map() } } as const;
    const pods = [memoryPod('a', 9, { namespace: 'vital', terminating: true }), memoryPod('b', 5)];
    expect(new Story(policyOf([MEMORY], policy)).look(0, LOW_MEMORY, { pods }).evict).toEqual([
      'a memory.available hard 1',
    ]);
  });
  it.each(BOTH)(
    '%s: nobody before the first statistics, though conditions and thresholds are told',
    (compat) => {
      const story = new Story(policyOf([MEMORY], { compat }));
      const pods = [memoryPod('a', 500)];
      expect(story.look(0, LOW_MEMORY, { pods, hasUsage: false })).toEqual({
        conditions: ['MemoryPressure'],
        met: ['memory.available hard 100Mi'],
        evict: [],
      });
      expect(story.withheld).toEqual({ 'memory.available': 'there are no statistics of the pods yet' });
      expect(story.look(1, LOW_MEMORY, { pods }).evict).toEqual(['a memory.available hard 1']);
    },
  );
  it('nobody by a list of pods that is older than the policy allows', () => {
    const story = new Story(policyOf([MEMORY], { maxPodListAgeMs: 90_000 }));
    const pods = [memoryPod('a', 500)];
    expect(story.look(0, LOW_MEMORY, { pods, podsAgeMs: 90_001 }).evict).toEqual([]);
    expect(story.withheld).toEqual({ 'memory.available': 'the list of pods is older than 1m30s' });
    expect(story.look(1, LOW_MEMORY, { pods, podsAgeMs: 90_000 }).evict).toEqual([
      'a memory.available hard 1',
    ]);
  });
});

describe('the filesystems', () => {
  const disk = [hard('nodefs.available', '1Gi')];

  it('V52, V86: nothing is collected first, so a pod goes at once, in every layout', () => {
    for (const compat of BOTH) {
      for (const layout of ['single', 'dedicated-imagefs', 'split'] as const) {
        const pods = [used('a', { usage: { logsBytes: 5n } })];
        const story = new Story(policyOf(disk, { compat }));
        expect(story.look(0, { 'nodefs.available': '50Mi' }, { pods, layout }).evict).toEqual([
          'a nodefs.available hard 1',
        ]);
      }
    }
  });
  it('V40: for inodes the one with most inodes goes; for the kubelet one with a smaller request of bytes', () => {
    const pods = [
      used('hog', { storage: '1Gi', usage: { inodes: 5_000_000n } }),
      used('tiny', { usage: { inodes: 10n } }),
    ];
    const thresholds = [hard('nodefs.inodesFree', '100')];
    const evicted = (compat: 'nodeqos' | 'kubelet'): readonly string[] =>
      new Story(policyOf(thresholds, { compat })).look(0, { 'nodefs.inodesFree': '5' }, { pods }).evict;
    expect(evicted('nodeqos')).toEqual(['hog nodefs.inodesFree hard 1']);
    expect(evicted('kubelet')).toEqual(['tiny nodefs.inodesFree hard 1']);
  });
  it('V87: split image filesystems are measured; for the kubelet the smallest request goes first', () => {
    const pods = [
      used('large', { storage: '1Gi', usage: { rootfsBytes: 3000n * MI } }),
      used('none', { usage: { rootfsBytes: 1n } }),
    ];
    const look = (compat: 'nodeqos' | 'kubelet'): readonly string[] =>
      new Story(policyOf([hard('imagefs.available', '1Gi')], { compat })).look(
        0,
        { 'imagefs.available': '5Mi' },
        { pods, layout: 'split' },
      ).evict;
    expect(look('nodeqos')).toEqual(['large imagefs.available hard 1']);
    expect(look('kubelet')).toEqual(['none imagefs.available hard 1']);
  });
  it('V88: resources of the whole pod do not hide a request of storage; the kubelet does not see it', () => {
    const pods = [
      used('hidden', {
        storage: '10Gi',
        spec: {
          resources: { requests: { cpu: '1' } },
          containers: [{ name: 'main', resources: { requests: { 'ephemeral-storage': '10Gi' } } }],
        },
        usage: { ephemeralStorageBytes: 1024n * MI },
      }),
      used('other', { usage: { ephemeralStorageBytes: 500n * MI } }),
    ];
    const look = (compat: 'nodeqos' | 'kubelet'): readonly string[] =>
      new Story(policyOf(disk, { compat })).look(0, { 'nodefs.available': '5Mi' }, { pods }).evict;
    expect(look('nodeqos')).toEqual(['other nodefs.available hard 1']);
    expect(look('kubelet')).toEqual(['hidden nodefs.available hard 1']);
  });
});
