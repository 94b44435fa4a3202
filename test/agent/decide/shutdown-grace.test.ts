import { describe, expect, it } from 'vitest';
import { shutdownGraceSeconds } from '../../../agent/decide/shutdown-grace.ts';
import type { ShutdownGrace } from '../../../config/kubelet/settings.ts';

const stated = (seconds: Readonly<Record<string, number>>): readonly ShutdownGrace[] =>
  Object.entries(seconds).map(([priority, ofIt]) => ({ priority: Number(priority), seconds: ofIt }));

describe('the grace of a pod when its node shuts down', () => {
  it.each([
    [
      'vZ8: that of the range that its priority is in',
      { 100000: 10, 10000: 180, 1000: 120, 0: 60 },
      5000,
      120,
    ],
    [
      'vZ9: that of the range below where there is none of its own',
      { 100000: 300, 1000: 120, 0: 60 },
      10000,
      120,
    ],
    ['that of a range from its very beginning', { 1000: 120, 0: 60 }, 1000, 120],
    ['that of the range below just before it', { 1000: 120, 0: 60 }, 999, 60],
    ['that of the lowest range for a pod below all (recalled)', { 1000: 120, 500: 60 }, -7, 60],
    ['none for a range of no time', { 1000: 0, 0: 60 }, 2000, 0],
    ['not known where nothing is stated', {}, 5, undefined],
  ])('%s', (_sentence, seconds, priority, grace) => {
    expect(shutdownGraceSeconds(priority, stated(seconds))).toBe(grace);
    expect(shutdownGraceSeconds(priority, stated(seconds).toReversed())).toBe(grace);
  });
});
