import { describe, expect, it } from 'vitest';
import { nextLookInMs } from '../../../agent/decide/pace.ts';
import type { ThresholdStatus } from '../../../agent/model/eviction.ts';
import type { Readings } from '../../../agent/model/node.ts';
import type { Threshold } from '../../../config/signal.ts';

const RULES = { intervalMs: 1000, minIntervalMs: 100 };

const HARD: Threshold = {
  id: 'memory.available hard 100',
  signal: 'memory.available',
  type: 'hard',
  value: { quantity: 100n },
  gracePeriodMs: 0,
  minReclaim: null,
  derived: false,
};
const SOFT: Threshold = { ...HARD, id: 'soft', type: 'soft', gracePeriodMs: 30_000 };

function available(bytes: bigint): Readings {
  return new Map([['memory.available', { available: bytes, capacity: 10_000n, source: 'a test' }]]);
}

function status(threshold: Threshold, met: boolean | undefined, metSinceMs?: number): ThresholdStatus {
  return { threshold, met, metSinceMs, inGrace: met === true && threshold.gracePeriodMs > 0 };
}

describe('nextLookInMs', () => {
  const cases: readonly {
    readonly name: string;
    readonly before?: bigint;
    readonly now: bigint | undefined;
    readonly statuses: readonly ThresholdStatus[];
    readonly waitMs: number;
  }[] = [
    { name: 'waits the interval without any threshold', now: 50n, statuses: [], waitMs: 1000 },
    {
      name: 'waits the interval with headroom at the first look',
      now: 5000n,
      statuses: [status(HARD, false)],
      waitMs: 1000,
    },
    {
      name: 'waits the interval while the signal rises',
      before: 400n,
      now: 5000n,
      statuses: [status(HARD, false)],
      waitMs: 1000,
    },
    {
      name: 'waits the interval while the signal stands still',
      before: 5000n,
      now: 5000n,
      statuses: [status(HARD, false)],
      waitMs: 1000,
    },
    {
      name: 'waits the interval for a slow fall: 4900 of headroom at 10 a second',
      before: 5010n,
      now: 5000n,
      statuses: [status(HARD, false)],
      waitMs: 1000,
    },
    {
      name: 'looks four times before a fall of 1000 a second eats 2000 of headroom',
      before: 3100n,
      now: 2100n,
      statuses: [status(HARD, false)],
      waitMs: 500,
    },
    {
      name: 'looks at the shortest interval when the next second would be too late',
      before: 5600n,
      now: 600n,
      statuses: [status(HARD, false)],
      waitMs: 100,
    },
    {
      name: 'looks four times an interval close to a threshold (less than 2% of capacity above it)',
      now: 299n,
      statuses: [status(HARD, false)],
      waitMs: 250,
    },
    { name: 'does not call exactly 2% close', now: 300n, statuses: [status(HARD, false)], waitMs: 1000 },
    {
      name: 'looks at the shortest interval while a hard threshold is met',
      now: 50n,
      statuses: [status(HARD, true, 5000)],
      waitMs: 100,
    },
    {
      name: 'waits the interval while a soft threshold is far from the end of its grace',
      now: 50n,
      statuses: [status(SOFT, true, 5000)],
      waitMs: 1000,
    },
    {
      name: 'looks when the grace of a soft threshold is over',
      now: 50n,
      statuses: [status(SOFT, true, 10_000 - 29_600)],
      waitMs: 400,
    },
    {
      name: 'looks at the shortest interval when the grace is over',
      now: 50n,
      statuses: [status(SOFT, true, 10_000 - 31_000)],
      waitMs: 100,
    },
    {
      name: 'takes the most urgent of several',
      now: 50n,
      statuses: [status(SOFT, true, 5000), status(HARD, true, 5000)],
      waitMs: 100,
    },
    {
      name: 'waits the interval where the signal was not observed',
      now: undefined,
      statuses: [status(HARD, undefined)],
      waitMs: 1000,
    },
  ];
  it.each(cases)('$name', ({ before, now, statuses, waitMs }) => {
    const looks = {
      ...(before === undefined ? {} : { before: { readings: available(before), atMs: 9000 } }),
      now: { readings: now === undefined ? new Map() : available(now), atMs: 10_000 },
    };
    expect(nextLookInMs(looks, statuses, RULES)).toBe(waitMs);
  });

  it('takes two looks at one moment for no fall at all', () => {
    const looks = {
      before: { readings: available(5000n), atMs: 10_000 },
      now: { readings: available(400n), atMs: 10_000 },
    };
    expect(nextLookInMs(looks, [status(HARD, false)], RULES)).toBe(1000);
  });

  it('never waits longer than the interval, even where the shortest one is the interval', () => {
    expect(
      nextLookInMs({ now: { readings: available(50n), atMs: 0 } }, [status(HARD, true, 0)], {
        intervalMs: 50,
        minIntervalMs: 50,
      }),
    ).toBe(50);
  });
});
