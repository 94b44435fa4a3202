import { describe, expect, it } from 'vitest';
import { hard, policyOf, Story, soft, type Told } from '../fakes/eviction.ts';
import { used } from '../fakes/ranking.ts';

const pidPod = (name: string, priority: number, processCount: bigint): ReturnType<typeof used> =>
  used(name, { priority, usage: { processCount } });
const NODE = [
  pidPod('high', 1000, 900n),
  pidPod('default-few', 0, 100n),
  pidPod('default-many', 0, 400n),
  pidPod('low-many', -1, 600n),
  pidPod('low-few', -1, 50n),
];
const THRESHOLDS = [hard('pid.available', '1200'), soft('pid.available', '1500', 120)];
const SOFT = 'pid.available soft 1500';
const HARD = 'pid.available hard 1200';

/** Looks with so many of the 2000 process IDs taken. */
function looksOf(story: Story): (minutes: number, taken: number, pods?: typeof NODE) => Told {
  return (minutes, taken, pods = NODE) =>
    story.look(
      minutes * 60,
      { 'pid.available': { available: BigInt(2000 - taken), capacity: 2000n } },
      { pods },
    );
}

describe('V42: process IDs run short', () => {
  it('kubelet: soft with its grace, then hard, the same pod as long as it is listed', () => {
    const look = looksOf(new Story(policyOf(THRESHOLDS, { compat: 'kubelet', maxPodGracePeriodSeconds: 5 })));
    expect(look(0, 300)).toEqual({ conditions: [], met: [], evict: [] });
    expect(look(1, 700)).toEqual({ conditions: ['PIDPressure'], met: [], evict: [] });
    expect(look(4, 700)).toEqual({
      conditions: ['PIDPressure'],
      met: [SOFT],
      evict: ['low-many pid.available soft 5'],
    });
    expect(look(5, 1200)).toEqual({
      conditions: ['PIDPressure'],
      met: [HARD, SOFT],
      evict: ['low-many pid.available hard 1'],
    });
  });
  it('nodeqos: the next pod once the first has failed to go, and for hard before soft', () => {
    const story = new Story(policyOf(THRESHOLDS, { maxPodGracePeriodSeconds: 5 }));
    const look = looksOf(story);
    expect(look(0, 300).evict).toEqual([]);
    expect(look(1, 700).evict).toEqual([]);
    expect(look(4, 700).evict).toEqual(['low-many pid.available soft 5']);
    expect(look(4.5, 1100)).toEqual({ conditions: ['PIDPressure'], met: [HARD, SOFT], evict: [] });
    expect(look(5, 1200).evict).toEqual(['low-few pid.available hard 1']);
    expect(story.failed.map(({ name }) => name)).toEqual(['low-many']);
  });
});
