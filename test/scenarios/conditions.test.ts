import { describe, expect, it } from 'vitest';
import { hard, policyOf, Story, soft } from '../fakes/eviction.ts';
import { memoryPod } from '../fakes/ranking.ts';

const BOTH = ['nodeqos', 'kubelet'] as const;

describe.each(BOTH)('conditions and graces, rules of %s', (compat) => {
  it('V24, V25: a soft threshold waits for its grace from its first look; a hard one does not wait', () => {
    const thresholds = [hard('memory.available', '100Mi'), soft('memory.available', '200Mi', 60)];
    const story = new Story(policyOf(thresholds, { compat }));
    const pods = [memoryPod('a', 500)];
    expect(story.look(0, { 'memory.available': '150Mi' }, { pods })).toEqual({
      conditions: ['MemoryPressure'],
      met: [],
      evict: [],
    });
    expect(story.look(59.999, { 'memory.available': '150Mi' }, { pods }).met).toEqual([]);
    expect(story.look(60, { 'memory.available': '150Mi' }, { pods })).toEqual({
      conditions: ['MemoryPressure'],
      met: ['memory.available soft 200Mi'],
      evict: ['a memory.available soft 0'],
    });
  });
  it('one good look starts the grace anew', () => {
    const story = new Story(policyOf([soft('memory.available', '200Mi', 60)], { compat }));
    story.look(0, { 'memory.available': '150Mi' });
    story.look(30, { 'memory.available': '200Mi' });
    story.look(31, { 'memory.available': '150Mi' });
    expect(story.look(90, { 'memory.available': '150Mi' }).met).toEqual([]);
    expect(story.look(91, { 'memory.available': '150Mi' }).met).toEqual(['memory.available soft 200Mi']);
  });
  it('V26: a condition outlives its cause for less than the transition period', () => {
    const long = new Story(
      policyOf([hard('pid.available', '100')], { compat, pressureTransitionPeriodMs: 120_000 }),
    );
    long.look(0, { 'pid.available': '99' });
    expect(long.look(60, { 'pid.available': '100' }).conditions).toEqual(['PIDPressure']);
    expect(long.look(119.999, { 'pid.available': '100' }).conditions).toEqual(['PIDPressure']);
    expect(long.look(120, { 'pid.available': '100' }).conditions).toEqual([]);
    const short = new Story(
      policyOf([hard('pid.available', '100')], { compat, pressureTransitionPeriodMs: 30_000 }),
    );
    short.look(0, { 'pid.available': '99' });
    expect(short.look(60, { 'pid.available': '100' }).conditions).toEqual([]);
  });
  it('conditions are sorted, each once', () => {
    const thresholds = [
      hard('pid.available', '100'),
      hard('nodefs.available', '1Gi'),
      hard('nodefs.inodesFree', '100'),
      hard('memory.available', '100Mi'),
    ];
    const story = new Story(policyOf(thresholds, { compat }));
    const low = { 'nodefs.available': '1', 'nodefs.inodesFree': '1', 'memory.available': '1' } as const;
    expect(story.look(0, { ...low, 'pid.available': '1' }).conditions).toEqual([
      'DiskPressure',
      'MemoryPressure',
      'PIDPressure',
    ]);
  });
  it('thresholdsMet goes by signal, hard before soft, then value, whatever the order of the policy', () => {
    const thresholds = [
      soft('memory.available', '300Mi', 0.001),
      hard('pid.available', '100'),
      hard('memory.available', '200Mi'),
      hard('memory.available', '100Mi'),
      hard('allocatableMemory.available', '10%'),
    ];
    const story = new Story(policyOf(thresholds, { compat }));
    const low = { 'memory.available': '1', 'allocatableMemory.available': '1', 'pid.available': '1' };
    story.look(0, low);
    expect(story.look(1, low).met).toEqual([
      'allocatableMemory.available hard 10%',
      'memory.available hard 100Mi',
      'memory.available hard 200Mi',
      'memory.available soft 300Mi',
      'pid.available hard 100',
    ]);
  });
});

describe('V85: a transition period of 0', () => {
  const thresholds = [hard('memory.available', '100Mi')];
  const pods = [memoryPod('a', 500), memoryPod('b', 400)];

  it('nodeqos: the condition holds as long as the threshold is met', () => {
    const story = new Story(policyOf(thresholds, { pressureTransitionPeriodMs: 0 }));
    expect(story.look(0, { 'memory.available': '50Mi' }, { pods })).toEqual({
      conditions: ['MemoryPressure'],
      met: ['memory.available hard 100Mi'],
      evict: ['a memory.available hard 1'],
    });
    expect(story.look(1, { 'memory.available': '100Mi' }, { pods }).conditions).toEqual([]);
  });
  it('kubelet: no condition is ever reported, and pods go all the same', () => {
    const story = new Story(policyOf(thresholds, { pressureTransitionPeriodMs: 0, compat: 'kubelet' }));
    expect(story.look(0, { 'memory.available': '50Mi' }, { pods })).toEqual({
      conditions: [],
      met: ['memory.available hard 100Mi'],
      evict: ['a memory.available hard 1'],
    });
  });
});

describe('a signal that is absent', () => {
  it('nodeqos: its grace goes on from where it began', () => {
    const story = new Story(policyOf([soft('memory.available', '200Mi', 60)]));
    story.look(0, { 'memory.available': '150Mi' });
    expect(story.look(70, {}).met).toEqual([]);
    expect(story.look(71, { 'memory.available': '150Mi' }).met).toEqual(['memory.available soft 200Mi']);
  });
  it('kubelet: its grace begins anew', () => {
    const story = new Story(policyOf([soft('memory.available', '200Mi', 60)], { compat: 'kubelet' }));
    story.look(0, { 'memory.available': '150Mi' });
    story.look(70, {});
    expect(story.look(71, { 'memory.available': '150Mi' }).met).toEqual([]);
    expect(story.look(130.999, { 'memory.available': '150Mi' }).met).toEqual([]);
    expect(story.look(131, { 'memory.available': '150Mi' }).met).toEqual(['memory.available soft 200Mi']);
  });
  it.each(BOTH)('%s: it is not met and its condition lives by the transition period only', (compat) => {
    const policy = policyOf([hard('memory.available', '200Mi')], {
      compat,
      pressureTransitionPeriodMs: 10_000,
    });
    const story = new Story(policy);
    story.look(0, { 'memory.available': '150Mi' });
    expect(story.look(9, {})).toEqual({ conditions: ['MemoryPressure'], met: [], evict: [] });
    expect(story.look(10, {})).toEqual({ conditions: [], met: [], evict: [] });
    expect(story.look(11, { 'memory.available': '150Mi' }).conditions).toEqual(['MemoryPressure']);
  });
  it('nodeqos: its minimum reclaim is still missing when it comes back; the kubelet forgets that', () => {
    const thresholds = [hard('memory.available', '1Gi', '500Mi')];
    for (const [compat, met] of [
      ['nodeqos', ['memory.available hard 1Gi']],
      ['kubelet', []],
    ] as const) {
      const story = new Story(policyOf(thresholds, { compat }));
      story.look(0, { 'memory.available': '900Mi' });
      story.look(1, {});
      expect(story.look(2, { 'memory.available': '1100Mi' }).met).toEqual(met);
    }
  });
  it('nodeqos: its last sample is remembered; the kubelet forgets it', () => {
    const thresholds = [hard('memory.available', '1Gi')];
    const pods = [memoryPod('a', 500)];
    for (const [compat, evict] of [
      ['nodeqos', []],
      ['kubelet', ['a memory.available hard 1']],
    ] as const) {
      const story = new Story(policyOf(thresholds, { compat, unmeasured: 'evict' }));
      const old = { 'memory.available': { available: 1n, atMs: 5 } };
      story.look(0, old, { pods: [] });
      story.look(1, {}, { pods });
      expect(story.look(2, old, { pods }).evict).toEqual(evict);
    }
  });
});
