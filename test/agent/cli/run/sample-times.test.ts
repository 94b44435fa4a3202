import { expect, it } from 'vitest';
import { SampleTimes } from '../../../../agent/cli/run/sample-times.ts';
import type { Readings } from '../../../../agent/model/node.ts';

const READING = { available: 1n, capacity: 2n, source: 'node.memory of the summary' };

function readings(memoryMs: number, pidMs?: number): Readings {
  return new Map([
    ['memory.available', { ...READING, atMs: memoryMs }],
    ['pid.available', pidMs === undefined ? READING : { ...READING, atMs: pidMs }],
  ]);
}

it('places each signal by its own sample, and leaves one without a time as it is', () => {
  const times = new SampleTimes();
  expect(times.onMonotonicClock(readings(1_000_000, 1_000_400), 5000, 1_001_000)).toEqual(
    readings(4000, 4400),
  );
  expect(times.onMonotonicClock(readings(1_000_500), 5500, 1_001_500)).toEqual(readings(4500));
  expect(times.onMonotonicClock(readings(1_000_500, 1_000_400), 6000, 1_002_007)).toEqual(
    readings(4500, 4400),
  );
});

it('places no sample in the future', () => {
  const times = new SampleTimes();
  expect(times.onMonotonicClock(readings(1001), 50, 1000)).toEqual(readings(50));
  expect(times.onMonotonicClock(readings(1000), 60, 1000)).toEqual(readings(60));
  expect(times.onMonotonicClock(readings(999), 70, 1000)).toEqual(readings(69));
});
