import { describe, expect, it } from 'vitest';
import { freshReadings, needsUsage, secondLook } from '../../../../agent/decide/eviction/second-look.ts';
import { NO_HISTORY } from '../../../../agent/decide/eviction/state.ts';
import { type Available, hard, policyOf, readingsOf, Story, soft } from '../../../fakes/eviction.ts';
import { container } from '../../../fakes/pods.ts';
import { GI, memoryPod, used } from '../../../fakes/ranking.ts';

const A = memoryPod('a', 500);
const B = memoryPod('b', 400);
const STANDS = { stands: true };
const NOT_MET = {
  stands: false,
  why: 'memory.available was read again and the threshold is not met any more',
};

/** Looks again at what the last look decided, at a time in seconds. */
function again(
  story: Story,
  available: Available | undefined,
  atSeconds = 100,
  state = story.state,
): unknown {
  const [order] = story.orders;
  if (order === undefined) throw new Error('nothing was decided');
  const readings = readingsOf(available === undefined ? {} : { 'memory.available': available });
  return secondLook(order, { readings, atMs: atSeconds * 1000 }, state, story.policy);
}

describe('the second look', () => {
  const decided = (minReclaim?: string): Story => {
    const story = new Story(policyOf([hard('memory.available', '1000Mi', minReclaim)]));
    story.look(0, { 'memory.available': '999Mi' }, { pods: [A, B] });
    story.state = { ...story.state, pending: [] };
    return story;
  };

  it('stands as long as the threshold is met', () => {
    expect(again(decided(), '999Mi')).toEqual(STANDS);
    expect(again(decided(), '1000Mi')).toEqual(NOT_MET);
  });
  it('does not stand where the signal cannot be read again', () => {
    expect(again(decided(), undefined)).toEqual({
      stands: false,
      why: 'memory.available could not be read again',
    });
  });
  it('minimum reclaim keeps nothing standing that was served for the threshold itself', () => {
    expect(again(decided('500Mi'), '999Mi')).toEqual(STANDS);
    expect(again(decided('500Mi'), '1000Mi')).toEqual(NOT_MET);
  });
  it('what was served for the minimum reclaim stands as long as that is missing', () => {
    const story = decided('500Mi');
    expect(story.look(1, { 'memory.available': '1200Mi' }, { pods: [B] }).evict).toEqual([
      'b memory.available hard 1',
    ]);
    story.state = { ...story.state, pending: [] };
    expect(again(story, '1499Mi')).toEqual(STANDS);
    expect(again(story, '1500Mi')).toEqual(NOT_MET);
  });
  it('counts what is pending, until its time is over; the kubelet does not', () => {
    const story = new Story(policyOf([hard('memory.available', '1000Mi')]));
    story.look(0, { 'memory.available': '600Mi' }, { pods: [A, B] });
    const before = story.state;
    expect(story.look(1, { 'memory.available': '499Mi' }, { pods: [A, B] }).evict).toEqual([
      'b memory.available hard 1',
    ]);
    expect(again(story, '499Mi', 1, before)).toEqual(STANDS);
    expect(again(story, '500Mi', 30.999, before)).toEqual({
      stands: false,
      why: 'default/a: evicted and not gone yet, and what comes back is enough',
    });
    expect(again(story, '500Mi', 31, before)).toEqual(STANDS);
    const [order] = story.orders;
    if (order === undefined) throw new Error('nothing was decided');
    const readings = readingsOf({ 'memory.available': '500Mi' });
    const kubelet = policyOf([], { compat: 'kubelet' });
    expect(secondLook(order, { readings, atMs: 0 }, before, kubelet)).toEqual(STANDS);
  });
  it('goes by the layout of the last look', () => {
    const story = new Story(policyOf([hard('imagefs.available', '2Gi')]));
    const pods = [
      used('a', { usage: { rootfsBytes: GI, logsBytes: GI } }),
      used('b', { usage: { rootfsBytes: 1n } }),
    ];
    const layout = 'dedicated-imagefs';
    story.look(0, { 'imagefs.available': '1Gi' }, { pods, layout });
    const before = story.state;
    story.look(1, { 'imagefs.available': '1023Mi' }, { pods, layout });
    const [order] = story.orders;
    if (order === undefined) throw new Error('nothing was decided');
    const fresh = { readings: readingsOf({ 'imagefs.available': '1023Mi' }), atMs: 1000 };
    expect(secondLook(order, fresh, before, story.policy)).toEqual(STANDS);
    expect(secondLook(order, fresh, { ...before, layout: 'single' }, story.policy).stands).toBe(false);
  });
  it('a local storage limit is not looked at again', () => {
    const spec = { containers: [container('c', {}, { 'ephemeral-storage': '1' })] };
    const story = new Story(policyOf([]));
    story.look(0, {}, { pods: [used('a', { spec, usage: { ephemeralStorageBytes: 2n } })] });
    expect(again(story, undefined)).toEqual(STANDS);
  });
});

describe('whether statistics of pods are needed', () => {
  const policy = policyOf([soft('memory.available', '200Mi', 60), hard('memory.available', '100Mi', '50Mi')]);
  const needs = (story: Story, available: string, atSeconds: number): boolean =>
    needsUsage(story.state, readingsOf({ 'memory.available': available }), story.policy, atSeconds * 1000);

  it('where a threshold is past its grace, not before, and not where nothing is met', () => {
    const story = new Story(policy);
    expect(needs(story, '200Mi', 0)).toBe(false);
    expect(needs(story, '150Mi', 0)).toBe(false);
    expect(needs(story, '99Mi', 0)).toBe(true);
    story.look(0, { 'memory.available': '150Mi' });
    expect(needs(story, '150Mi', 59.999)).toBe(false);
    expect(needs(story, '150Mi', 60)).toBe(true);
  });
  it('where the minimum reclaim is missing', () => {
    const story = new Story(policyOf([hard('memory.available', '100Mi', '50Mi')]));
    story.look(0, { 'memory.available': '99Mi' });
    expect(needs(story, '149Mi', 1)).toBe(true);
    expect(needs(story, '150Mi', 1)).toBe(false);
  });
  it('where an eviction is pending', () => {
    const story = new Story(policy);
    story.look(0, { 'memory.available': '99Mi' }, { pods: [A] });
    expect(needs(story, '16Gi', 1)).toBe(true);
  });
  it('where a pod has a local storage limit, unless the statistics do not tell of storage', () => {
    const spec = { containers: [container('c', {}, { 'ephemeral-storage': '1Gi' })] };
    const told = (usage: Parameters<typeof used>[1]): boolean => {
      const story = new Story(policy);
      story.look(0, {}, { pods: [used('a', { spec, ...usage })] });
      return needs(story, '16Gi', 1);
    };
    expect(told({ usage: { ephemeralStorageBytes: 1n } })).toBe(true);
    expect(told({ usage: { logsBytes: 1n } })).toBe(true);
    expect(told({ usage: { volumeBytes: new Map() } })).toBe(true);
    expect(told({ usage: { containerStorage: new Map() } })).toBe(true);
    expect(told({ usage: { memoryWorkingSetBytes: 1n } })).toBe(false);
    expect(told({})).toBe(false);
    const story = new Story(policy);
    story.look(0, {}, { pods: [used('a', { spec })], hasUsage: false });
    expect(needs(story, '16Gi', 1)).toBe(true);
    story.look(1, {}, { pods: [A] });
    expect(needs(story, '16Gi', 2)).toBe(false);
  });
  it('not before anything was seen', () => {
    expect(needsUsage(NO_HISTORY, new Map(), policy, 0)).toBe(false);
  });
});

describe('old samples', () => {
  const readings = readingsOf({
    'memory.available': { available: 1n, atMs: 1000 },
    'pid.available': { available: 2n },
    'nodefs.available': { available: 3n, atMs: 2000 },
  });

  it('older than the most are none; to the millisecond they are some; without a time they are new', () => {
    expect([...freshReadings(readings, 4001, 3000).keys()]).toEqual(['pid.available', 'nodefs.available']);
    expect(freshReadings(readings, 4000, 3000)).toBe(readings);
    expect([...freshReadings(readings, 9000, 3000)]).toEqual([
      ['pid.available', readings.get('pid.available')],
    ]);
  });
});
