import { expect, it } from 'vitest';
import type { EvictionDecision, EvictionEvidence } from '../../../agent/model/eviction.ts';
import type { SignalLook } from '../../../agent/ports.ts';
import { withEvidence } from '../../../agent/run/evidence.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { evictionOrder, MEMORY_HARD, NODEFS_SOFT } from '../../fakes/tick-records.ts';

const averages = { avg10: 12.5, avg60: 1, avg300: 0.25, totalUs: 1_500_000n };
const PSI = { some: averages };
const FOR_MEMORY = evictionOrder();
const FOR_A_LIMIT = {
  ...FOR_MEMORY,
  cause: { kind: 'storage-limit', limit: 'emptydirfs.limit', message: 'over' },
} as const;

/** The clock began 5 s before, at 1,700,000,000,000 of the wall clock. */
const clock = new FakeClock(5000);

function decision(metSinceMs: number | undefined, order = FOR_MEMORY): EvictionDecision {
  return {
    thresholds: [
      { threshold: NODEFS_SOFT, met: true, metSinceMs: 1, inGrace: true },
      { threshold: MEMORY_HARD, met: true, metSinceMs, inGrace: false },
    ],
    thresholdsMet: [MEMORY_HARD],
    conditions: ['MemoryPressure'],
    evictions: [order],
    withheld: [],
  };
}

it.each<[string, EvictionDecision, Pick<SignalLook, 'psi' | 'memAvailableBytes'>, EvictionEvidence]>([
  [
    "the kernel's number, the pressure, and since when its threshold has been met",
    decision(3000.4),
    { psi: PSI, memAvailableBytes: 7n },
    { psi: PSI, memAvailableBytes: 7n, metSinceMs: 1_700_000_003_000 },
  ],
  [
    'no pressure where the kernel has none',
    decision(5000),
    { psi: null },
    { psi: null, metSinceMs: 1_700_000_005_000 },
  ],
  ['nothing where nothing was seen', decision(undefined), {}, {}],
  [
    'no time where it is for a limit of the pod itself',
    decision(3000, FOR_A_LIMIT),
    { memAvailableBytes: 7n },
    { memAvailableBytes: 7n },
  ],
])('an eviction is told with %s', (_, decided, signals, evidence) => {
  const told = withEvidence(decided, { signals }, clock);
  expect(told).toEqual({ ...decided, evictions: [{ ...decided.evictions[0], evidence }] });
});
