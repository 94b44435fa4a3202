import { describe, expect, it } from 'vitest';
import { hard, policyOf, Story, soft, type Told } from '../fakes/eviction.ts';
import { memoryPod, type UsedPod } from '../fakes/ranking.ts';

/** The pods of the node: two without requests, one within and one over its request, one guaranteed. */
const NODE: readonly UsedPod[] = [
  memoryPod('guaranteed-low', 900, { memory: '1Gi', priority: -1 }),
  memoryPod('burstable-within', 50, { memory: '100Mi' }),
  memoryPod('burstable-over', 400, { memory: '100Mi' }),
  memoryPod('besteffort-high', 400, { priority: 1000 }),
  memoryPod('besteffort-low', 100, { priority: -1 }),
];
const without = (...names: readonly string[]): readonly UsedPod[] =>
  NODE.filter(({ pod }) => !names.includes(pod.name));

const CALM: Told = { conditions: [], met: [], evict: [] };
const PRESSURE: Told = { conditions: ['MemoryPressure'], met: [], evict: [] };
const SOFT = 'memory.available soft 2Gi';
const HARD = 'memory.available hard 1Gi';
const MINUTE = 60;

describe.each(['nodeqos', 'kubelet'] as const)('V43: a day of memory pressure, rules of %s', (compat) => {
  it('soft with a grace of its own, hard at once, and quiet after the transition period', () => {
    const thresholds = [hard('memory.available', '1Gi'), soft('memory.available', '2Gi', 2 * MINUTE)];
    const story = new Story(policyOf(thresholds, { compat, maxPodGracePeriodSeconds: 5 }));
    const look = (minutes: number, available: string, pods = NODE): Told =>
      story.look(minutes * MINUTE, { 'memory.available': available }, { pods });
    expect(look(0, '2Gi')).toEqual(CALM);
    expect(look(1, '1500Mi')).toEqual(PRESSURE);
    expect(look(5, '1500Mi')).toEqual({
      conditions: ['MemoryPressure'],
      met: [SOFT],
      evict: ['besteffort-low memory.available soft 5'],
    });
    const rest = without('besteffort-low');
    expect(look(25, '3Gi', rest)).toEqual(CALM);
    expect(look(26, '500Mi')).toEqual({
      conditions: ['MemoryPressure'],
      met: [HARD],
      evict: ['besteffort-low memory.available hard 1'],
    });
    expect(look(27, '2Gi', rest)).toEqual(PRESSURE);
    expect(look(31, '2Gi', rest)).toEqual(CALM);
  });
});

describe('V44: minimum reclaim', () => {
  const thresholds = [hard('memory.available', '1Gi', '500Mi')];

  it('kubelet: the same pod again while it is listed, until threshold and reclaim are there', () => {
    const story = new Story(policyOf(thresholds, { compat: 'kubelet' }));
    const look = (minutes: number, available: string): Told =>
      story.look(minutes * MINUTE, { 'memory.available': available }, { pods: NODE });
    const again = {
      conditions: ['MemoryPressure'],
      met: [HARD],
      evict: ['besteffort-low memory.available hard 1'],
    };
    expect(look(0, '500Mi')).toEqual(again);
    expect(look(1, '1228Mi')).toEqual(again);
    expect(look(2, '2Gi')).toEqual(PRESSURE);
    expect(look(7, '2Gi')).toEqual(CALM);
  });
  it('nodeqos: a pod that has gone, and then the next for what is missing of the reclaim', () => {
    const story = new Story(policyOf(thresholds));
    const look = (minutes: number, available: string, pods = NODE): Told =>
      story.look(minutes * MINUTE, { 'memory.available': available }, { pods });
    expect(look(0, '500Mi').evict).toEqual(['besteffort-low memory.available hard 1']);
    expect(look(1, '1228Mi', without('besteffort-low'))).toEqual({
      conditions: ['MemoryPressure'],
      met: [HARD],
      evict: ['burstable-over memory.available hard 1'],
    });
    expect(look(2, '2Gi', without('besteffort-low', 'burstable-over'))).toEqual(PRESSURE);
    expect(look(7, '2Gi')).toEqual(CALM);
  });
  it.each(['nodeqos', 'kubelet'] as const)(
    '%s: ends where available is the threshold and the reclaim',
    (compat) => {
      const story = new Story(policyOf(thresholds, { compat }));
      story.look(0, { 'memory.available': '500Mi' });
      expect(story.look(1, { 'memory.available': '1523Mi' }).met).toEqual([HARD]);
      expect(story.look(2, { 'memory.available': '1524Mi' }).met).toEqual([]);
      expect(story.look(3, { 'memory.available': '1523Mi' }).met).toEqual([]);
      expect(story.look(4, { 'memory.available': '1024Mi' }).met).toEqual([]);
      expect(story.look(5, { 'memory.available': '1023Mi' }).met).toEqual([HARD]);
    },
  );
  it('counts from the end of the grace only', () => {
    const story = new Story(policyOf([soft('memory.available', '1Gi', 60, '500Mi')]));
    story.look(0, { 'memory.available': '500Mi' });
    story.look(59, { 'memory.available': '1100Mi' });
    story.look(60, { 'memory.available': '500Mi' });
    expect(story.look(119, { 'memory.available': '500Mi' }).met).toEqual([]);
    expect(story.look(120, { 'memory.available': '500Mi' }).met).toEqual(['memory.available soft 1Gi']);
    expect(story.look(121, { 'memory.available': '1100Mi' }).met).toEqual(['memory.available soft 1Gi']);
  });
});
