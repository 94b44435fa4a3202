import { describe, expect, it } from 'vitest';
import { hard, policyOf, Story, soft } from '../fakes/eviction.ts';
import { MI, memoryPod, used } from '../fakes/ranking.ts';

const THRESHOLDS = [hard('memory.available', '1000Mi')];
const A = memoryPod('a', 500);
const B = memoryPod('b', 400);
const C = memoryPod('c', 300);
const EVICTS = (name: string): readonly string[] => [`${name} memory.available hard 1`];

describe('pending release', () => {
  it('takes no second pod while the first covers the shortage, and says so', () => {
    const story = new Story(policyOf(THRESHOLDS));
    const pods = [A, B, C];
    expect(story.look(0, { 'memory.available': '600Mi' }, { pods }).evict).toEqual(EVICTS('a'));
    expect(story.look(1, { 'memory.available': '500Mi' }, { pods })).toEqual({
      conditions: ['MemoryPressure'],
      met: ['memory.available hard 1000Mi'],
      evict: [],
    });
    expect(story.withheld).toEqual({
      'memory.available': 'default/a: evicted and not gone yet, and what comes back is enough',
    });
  });
  it('takes the next one where it does not, and counts both from then on', () => {
    const story = new Story(policyOf(THRESHOLDS));
    const pods = [A, B, C];
    story.look(0, { 'memory.available': '600Mi' }, { pods });
    expect(story.look(1, { 'memory.available': '499Mi' }, { pods }).evict).toEqual(EVICTS('b'));
    expect(story.look(2, { 'memory.available': '100Mi' }, { pods }).evict).toEqual([]);
    expect(story.withheld).toEqual({
      'memory.available': 'default/a, default/b: evicted and not gone yet, and what comes back is enough',
    });
    expect(story.look(3, { 'memory.available': '99Mi' }, { pods }).evict).toEqual(EVICTS('c'));
    expect(story.look(4, { 'memory.available': '-900Mi' }, { pods }).evict).toEqual([]);
    expect(story.withheld).toEqual({
      'memory.available': 'no pod may be evicted (3 evicted a moment ago)',
    });
  });
  it('counts what the pod uses now, where that is measured', () => {
    const story = new Story(policyOf(THRESHOLDS));
    story.look(0, { 'memory.available': '600Mi' }, { pods: [A, B] });
    const shrinking = { pods: [memoryPod('a', 200), B] };
    expect(story.look(1, { 'memory.available': '800Mi' }, shrinking).evict).toEqual([]);
    expect(story.look(2, { 'memory.available': '799Mi' }, shrinking).evict).toEqual(EVICTS('b'));
  });
  it('counts the last that was known of a pod whose statistics are gone', () => {
    const story = new Story(policyOf(THRESHOLDS));
    story.look(0, { 'memory.available': '600Mi' }, { pods: [A, B] });
    const unseen = { pods: [used('a'), B] };
    expect(story.look(1, { 'memory.available': '500Mi' }, unseen).evict).toEqual([]);
    expect(story.look(2, { 'memory.available': '499Mi' }, unseen).evict).toEqual(EVICTS('b'));
  });
  it('counts 0 for a pod that was never measured', () => {
    const story = new Story(policyOf(THRESHOLDS, { unmeasured: 'evict' }));
    const pods = [used('never'), B];
    expect(story.look(0, { 'memory.available': '999Mi' }, { pods }).evict).toEqual(EVICTS('never'));
    expect(story.look(1, { 'memory.available': '999Mi' }, { pods }).evict).toEqual(EVICTS('b'));
  });
  it('is measured against the threshold alone: minimum reclaim takes no second pod meanwhile', () => {
    const story = new Story(policyOf([hard('memory.available', '1000Mi', '500Mi')]));
    const pods = [memoryPod('a', 1, { priority: -1 }), B];
    story.look(0, { 'memory.available': '999Mi' }, { pods });
    expect(story.look(1, { 'memory.available': '1000Mi' }, { pods })).toEqual({
      conditions: ['MemoryPressure'],
      met: ['memory.available hard 1000Mi'],
      evict: [],
    });
    expect(story.look(2, { 'memory.available': '998Mi' }, { pods }).evict).toEqual(EVICTS('b'));
  });
  it('ends when all that the pod used is back: then minimum reclaim takes the next', () => {
    const story = new Story(policyOf([hard('memory.available', '1000Mi', '500Mi')]));
    story.look(0, { 'memory.available': '999Mi' }, { pods: [A, B] });
    expect(story.look(1, { 'memory.available': '1498Mi' }, { pods: [B] }).evict).toEqual([]);
    expect(story.look(2, { 'memory.available': '1499Mi' }, { pods: [B] }).evict).toEqual(EVICTS('b'));
  });
  it('settles as of the look that lists the pod as finished', () => {
    const story = new Story(policyOf(THRESHOLDS));
    story.look(0, { 'memory.available': '600Mi' }, { pods: [A, B] });
    const finished = memoryPod('a', 500, { status: { phase: 'Failed' } });
    const pods = [finished, B];
    expect(story.look(1, { 'memory.available': '600Mi' }, { pods }).evict).toEqual([]);
    expect(story.look(10.999, { 'memory.available': '600Mi' }, { pods }).evict).toEqual([]);
    expect(story.look(11, { 'memory.available': '600Mi' }, { pods }).evict).toEqual(EVICTS('b'));
  });
  it('a pod of the same name and another UID is another pod, and may go beside what is still to come back', () => {
    const story = new Story(policyOf(THRESHOLDS));
    story.look(0, { 'memory.available': '600Mi' }, { pods: [A] });
    const pods = [memoryPod('a', 500, { uid: 'another' })];
    expect(story.look(1, { 'memory.available': '500Mi' }, { pods }).evict).toEqual([]);
    expect(story.look(2, { 'memory.available': '499Mi' }, { pods }).evict).toEqual(EVICTS('a'));
  });
  it('an evicted UID that is listed again after it was gone is a new pod', () => {
    const story = new Story(policyOf(THRESHOLDS));
    story.look(0, { 'memory.available': '600Mi' }, { pods: [A] });
    story.look(1, { 'memory.available': '1100Mi' }, { pods: [] });
    expect(story.look(2, { 'memory.available': '600Mi' }, { pods: [A] }).evict).toEqual(EVICTS('a'));
  });
  it('covers a hard threshold while a soft one above it still takes a pod', () => {
    const thresholds = [...THRESHOLDS, soft('memory.available', '1500Mi', 1)];
    const story = new Story(policyOf(thresholds));
    story.look(0, { 'memory.available': '1100Mi' }, { pods: [] });
    expect(story.look(1, { 'memory.available': '900Mi' }, { pods: [A, B] }).evict).toEqual(EVICTS('a'));
    expect(story.look(2, { 'memory.available': '900Mi' }, { pods: [A, B] }).evict).toEqual([
      'b memory.available soft 0',
    ]);
    expect(story.withheld).toEqual({});
  });
  it('is of the resource that is short: memory that comes back is no disk', () => {
    const thresholds = [hard('memory.available', '1000Mi'), hard('nodefs.available', '10Gi')];
    const story = new Story(policyOf(thresholds));
    const disk = { memoryWorkingSetBytes: 500n * MI, ephemeralStorageBytes: 3n * MI };
    const pods = [used('a', { usage: disk }), used('b', { usage: { ephemeralStorageBytes: 1n * MI } })];
    const low = { 'memory.available': '600Mi', 'nodefs.available': '10237Mi' } as const;
    expect(story.look(0, low, { pods }).evict).toEqual(EVICTS('a'));
    expect(story.look(1, low, { pods }).evict).toEqual([]);
    expect(story.look(2, { ...low, 'nodefs.available': '10236Mi' }, { pods }).evict).toEqual([
      'b nodefs.available hard 1',
    ]);
    expect(Object.keys(story.withheld)).toEqual(['memory.available']);
  });
  it('an outdated list of pods tells of nobody that it is gone', () => {
    const story = new Story(policyOf(THRESHOLDS));
    const low = { 'memory.available': '600Mi' } as const;
    story.look(0, low, { pods: [A, B] });
    story.look(1, low, { pods: [], podsAgeMs: 60_001 });
    expect(story.look(2, low, { pods: [A, B], podsAgeMs: 60_000 }).evict).toEqual([]);
    expect(story.look(4, low, { pods: [], podsAgeMs: 60_001 }).evict).toEqual([]);
    expect(story.look(5, low, { pods: [A] }).evict).toEqual([]);
    story.look(6, low, { pods: [], podsAgeMs: 60_000 });
    expect(story.look(15.999, low, { pods: [A] }).evict).toEqual([]);
    expect(story.look(16, low, { pods: [A] }).evict).toEqual(EVICTS('a'));
  });
  it('kubelet: there is none, the same pod goes again', () => {
    const story = new Story(policyOf(THRESHOLDS, { compat: 'kubelet' }));
    for (const atSeconds of [0, 1, 2]) {
      const told = story.look(atSeconds, { 'memory.available': '600Mi' }, { pods: [A, B] });
      expect(told.evict).toEqual(EVICTS('a'));
    }
  });
});

describe('an eviction that fails', () => {
  it('by its time: at the end of grace and 30 s the next pod is taken and the first one passed over', () => {
    const story = new Story(policyOf(THRESHOLDS));
    const pods = [A, B, C];
    const low = { 'memory.available': '600Mi' } as const;
    story.look(0, low, { pods });
    expect(story.look(30.999, low, { pods }).evict).toEqual([]);
    expect(story.failed).toEqual([]);
    expect(story.look(31, low, { pods }).evict).toEqual(EVICTS('b'));
    expect(story.failed.map(({ name, evictedAtMs }) => [name, evictedAtMs])).toEqual([['a', 0]]);
    expect(story.look(32, low, { pods }).evict).toEqual([]);
    expect(story.failed).toEqual([]);
    expect(story.look(62, low, { pods }).evict).toEqual(EVICTS('c'));
    expect(story.look(90.999, low, { pods: [A] }).evict).toEqual([]);
    expect(story.withheld).toEqual({ 'memory.available': 'no pod may be evicted (1 evicted a moment ago)' });
    expect(story.look(91, low, { pods: [A] }).evict).toEqual(EVICTS('a'));
  });
  it('a soft one has the grace that it was given', () => {
    const policy = policyOf([soft('memory.available', '1000Mi', 1)], { maxPodGracePeriodSeconds: 20 });
    const story = new Story(policy);
    story.look(0, { 'memory.available': '600Mi' }, { pods: [A, B] });
    story.look(1, { 'memory.available': '600Mi' }, { pods: [A, B] });
    expect(story.look(50.999, { 'memory.available': '600Mi' }, { pods: [A, B] }).evict).toEqual([]);
    expect(story.look(51, { 'memory.available': '600Mi' }, { pods: [A, B] }).evict).toEqual([
      'b memory.available soft 20',
    ]);
  });
  it.each([
    ['refused', { kind: 'refused', why: 'another inode' }],
    ['still there', { kind: 'still-there', why: 'a process does not die' }],
  ] as const)('%s: the next pod at the next look, and the first after the back-off', (_, outcome) => {
    const story = new Story(policyOf(THRESHOLDS, { backOffMs: 10_000 }));
    const low = { 'memory.available': '600Mi' } as const;
    story.look(0, low, { pods: [A, B] });
    story.end(1, outcome);
    expect(story.look(2, low, { pods: [A, B] }).evict).toEqual(EVICTS('b'));
    expect(story.orders[0]?.candidates.map(({ name, why }) => [name, why])).toEqual([
      [
        'a',
        'passed over: an eviction of it has just ended (eviction.backOff); uses 500Mi, all of it over, since it requests none; priority 0',
      ],
      ['b', 'uses 400Mi, all of it over, since it requests none; priority 0; first to go'],
    ]);
    // Less than what comes back of the other.
    const lower = { 'memory.available': '599Mi' } as const;
    expect(story.look(10.999, lower, { pods: [A] }).evict).toEqual([]);
    expect(story.look(11, lower, { pods: [A] }).evict).toEqual(EVICTS('a'));
  });
  it('a back-off ends with the pod: one that is listed anew is a new pod', () => {
    const story = new Story(policyOf(THRESHOLDS));
    const low = { 'memory.available': '600Mi' } as const;
    story.look(0, low, { pods: [A] });
    story.end(1, { kind: 'refused', why: 'x' });
    expect(story.look(2, low, { pods: [A] }).evict).toEqual([]);
    story.look(3, low, { pods: [] });
    expect(story.look(4, low, { pods: [A] }).evict).toEqual(EVICTS('a'));
  });
});

describe('a pod whose processes are gone', () => {
  const low = { 'memory.available': '600Mi' } as const;
  const gone = (): Story => {
    const story = new Story(policyOf(THRESHOLDS, { backOffMs: 1000 }));
    expect(story.look(0, low, { pods: [A, B] }).evict).toEqual(EVICTS('a'));
    story.end(1, { kind: 'gone' });
    return story;
  };

  it('goes on counting while what it used is not back, as the sum at the root lags: nobody else has to go', () => {
    const story = gone();
    expect(story.look(2, low, { pods: [A, B] }).evict).toEqual([]);
    expect(story.withheld).toEqual({
      'memory.available': 'default/a: evicted, and what comes back is enough',
    });
    expect(story.look(10.999, low, { pods: [A, B] }).evict).toEqual([]);
  });
  it('counts for ten seconds at most: then the next one goes', () => {
    const story = gone();
    expect(story.look(11, low, { pods: [A, B] }).evict).toEqual(EVICTS('a'));
  });
  it('counts for what is still to come: a new shortage on top of it takes the next one', () => {
    const story = gone();
    expect(story.look(2, { 'memory.available': '500Mi' }, { pods: [A, B] }).evict).toEqual([]);
    expect(story.look(3, { 'memory.available': '499Mi' }, { pods: [A, B] }).evict).toEqual(EVICTS('b'));
  });
  it('does not count any more once all was seen to be back, whatever others take then', () => {
    const story = gone();
    expect(story.look(2, { 'memory.available': '1100Mi' }, { pods: [A, B] }).evict).toEqual([]);
    expect(story.look(3, { 'memory.available': '999Mi' }, { pods: [A, B] }).evict).toEqual(EVICTS('a'));
  });
  it('counts what came back at its best: others took it since, and that is a shortage of its own', () => {
    const story = gone();
    story.look(2, { 'memory.available': '1000Mi' }, { pods: [A, B] });
    expect(story.look(3, { 'memory.available': '900Mi' }, { pods: [A, B] }).evict).toEqual([]);
    expect(story.look(4, { 'memory.available': '899Mi' }, { pods: [A, B] }).evict).toEqual(EVICTS('b'));
  });
  it('counts although it is on no list any more', () => {
    const story = gone();
    expect(story.look(2, low, { pods: [B] }).evict).toEqual([]);
  });
});
