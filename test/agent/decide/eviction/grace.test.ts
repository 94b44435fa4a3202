import { expect, it } from 'vitest';
import { graceSeconds, IMMEDIATE_GRACE_SECONDS } from '../../../../agent/decide/eviction/grace.ts';
import { hard, soft } from '../../../fakes/eviction.ts';
import { podOf } from '../../../fakes/pods.ts';

const SOFT = soft('memory.available', '1Gi', 60);

it.each<[string, number, number | undefined, number]>([
  ['V83: less than the most is the pod’s own', 60, 30, 30],
  ['V83: more than the most is the most', 10, 30, 10],
  ['V83: at most 0 is 0', 0, 30, 0],
  ['V83: a pod without its own has the most', 60, undefined, 60],
  ['at most 0 of a pod without its own is 0', 0, undefined, 0],
  ['a pod’s own 0 is 0', 60, 0, 0],
  ['negative: the pod’s own', -1, 45, 45],
  ['negative: 30 of a pod without its own', -1, undefined, 30],
  ['a negative own one is 1', 60, -5, 1],
  ['a negative own one is 1 where that alone counts', -1, -1, 1],
])('%s', (_, most, own, expected) => {
  const spec = own === undefined ? {} : { terminationGracePeriodSeconds: own };
  expect(graceSeconds(SOFT, podOf({ spec }), most)).toBe(expected);
});

it('is 1 for a hard threshold, whatever the pod and the configuration say', () => {
  const pod = podOf({ spec: { terminationGracePeriodSeconds: 30 } });
  expect([60, 0, -1].map((most) => graceSeconds(hard('pid.available', '1'), pod, most))).toEqual([1, 1, 1]);
  expect(IMMEDIATE_GRACE_SECONDS).toBe(1);
});
