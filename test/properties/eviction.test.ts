import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCritical } from '../../agent/decide/critical.ts';
import { decideEviction, type EvictionLook } from '../../agent/decide/eviction/decide.ts';
import type { EvictionPolicy } from '../../agent/decide/eviction/policy.ts';
import { evictionEnded, evictionStarted } from '../../agent/decide/eviction/release.ts';
import { type EvictionState, NO_HISTORY, podKey } from '../../agent/decide/eviction/state.ts';
import { measuredUsage } from '../../agent/decide/usage.ts';
import type { EvictionOutcome } from '../../agent/model/eviction.ts';
import type { SignalReading } from '../../agent/model/node.ts';
import type { Observation } from '../../agent/model/observation.ts';
import type { Pod, PodUsage } from '../../agent/model/pod.ts';
import { amountIn } from '../../config/numbers/percent.ts';
import { quantityOf } from '../../config/numbers/quantity.ts';
import type { Signal, Threshold } from '../../config/signal.ts';
import { policyOf } from '../fakes/eviction.ts';
import { podOf } from '../fakes/pods.ts';

// Few values, so that thresholds are met often, ties are common and releases cover shortages by a hair.
const small = fc.bigInt({ min: 0n, max: 6n });
const SIGNALS = [
  'memory.available',
  'allocatableMemory.available',
  'nodefs.available',
  'pid.available',
] as const;
const signal = fc.constantFrom<Signal>(...SIGNALS);
const PLAIN = podOf({ spec: { containers: [{ name: 'main' }] } });

const threshold: fc.Arbitrary<Threshold> = fc
  .record({
    signal,
    gracePeriodMs: fc.constantFrom(0, 0, 2000, 5000),
    quantity: fc.bigInt({ min: 1n, max: 8n }),
    minReclaim: fc.option(small),
  })
  .map(({ signal: name, gracePeriodMs, quantity, minReclaim }) => {
    const type = gracePeriodMs === 0 ? 'hard' : 'soft';
    return {
      id: `${name} ${type} ${quantity}`,
      signal: name,
      type,
      value: { quantity },
      gracePeriodMs,
      minReclaim: minReclaim === null ? null : { quantity: minReclaim },
      derived: false,
    };
  });
const thresholds = fc.uniqueArray(threshold, { minLength: 1, maxLength: 5, selector: ({ id }) => id });

const policies: fc.Arbitrary<EvictionPolicy> = fc.record({ thresholds, isKeen: fc.boolean() }).map((drawn) =>
  policyOf(drawn.thresholds, {
    pressureTransitionPeriodMs: 3000,
    backOffMs: 4000,
    unmeasured: drawn.isKeen ? 'evict' : 'skip',
    protected: { namespaces: ['vital'], labels: new Map(), priorityAtLeast: 100 },
  }),
);

const podKind = fc.record({
  namespace: fc.constantFrom('a', 'b', 'vital'),
  name: fc.constantFrom('x', 'y'),
  priority: fc.constantFrom(undefined, -1, 0, 100, 2_000_000_000),
  isStatic: fc.boolean(),
  isMirror: fc.boolean(),
  isPlain: fc.boolean(),
  terminating: fc.boolean(),
  limit: fc.option(small),
});

const pods: fc.Arbitrary<readonly Pod[]> = fc.array(podKind, { maxLength: 6 }).map((kinds) =>
  kinds.map(({ namespace, name, priority, isStatic, isMirror, isPlain, terminating, limit }, index) => ({
    ...PLAIN,
    namespace,
    name,
    uid: `u${index}`,
    cgroupUid: `u${index}`,
    isStatic: isStatic && !isPlain,
    isMirror: isMirror && !isPlain,
    terminating: terminating && !isPlain,
    ...(priority === undefined ? {} : { priority }),
    containers: PLAIN.containers.map((container) =>
      limit === null
        ? container
        : { ...container, limits: new Map([['ephemeral-storage', quantityOf(limit)]]) },
    ),
  })),
);

const usage: fc.Arbitrary<PodUsage | undefined> = fc.option(
  fc.record({ memoryWorkingSetBytes: small, processCount: small, ephemeralStorageBytes: small }),
  { nil: undefined },
);
const reading: fc.Arbitrary<Pick<SignalReading, 'available' | 'atMs'> | undefined> = fc.option(
  fc.record(
    { available: fc.bigInt({ min: -1n, max: 12n }), atMs: fc.nat({ max: 20 }) },
    { requiredKeys: ['available'] },
  ),
  { nil: undefined },
);

const looks = fc.array(
  fc.record({
    afterMs: fc.constantFrom(0, 1000, 1000, 2000, 40_000),
    readings: fc.tuple(reading, reading, reading, reading),
    usage: fc.option(fc.array(usage, { minLength: 6, maxLength: 6 }), { nil: undefined }),
    listed: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
    podsAgeMs: fc.constantFrom(0, 0, 0, 60_001),
    ends: fc.constantFrom<EvictionOutcome['kind'] | 'begins'>(
      'begins',
      'begins',
      'gone',
      'refused',
      'dry-run',
    ),
  }),
  { minLength: 1, maxLength: 8 },
);
type Look = Parameters<typeof observationOf>[0];

function observationOf(
  look: {
    readonly readings: readonly (Pick<SignalReading, 'available' | 'atMs'> | undefined)[];
    readonly usage: readonly (PodUsage | undefined)[] | undefined;
    readonly listed: readonly boolean[];
    readonly podsAgeMs: number;
  },
  list: readonly Pod[],
  atMs: number,
): Observation {
  const readings = new Map<Signal, SignalReading>();
  SIGNALS.forEach((name, index) => {
    const one = look.readings[index];
    if (one !== undefined) readings.set(name, { ...one, capacity: 100n, source: 'a test' });
  });
  const measured = look.usage?.flatMap((one, index) =>
    one === undefined ? [] : [[`u${index}`, one] as const],
  );
  return {
    atMs,
    readings,
    pods: list.filter(({ uid }) => look.listed[Number(uid?.slice(1))]),
    podsAgeMs: look.podsAgeMs,
    usage: measured === undefined ? undefined : new Map(measured),
    layout: 'single',
  };
}

interface Seen extends EvictionLook {
  readonly observation: Observation;
}

/** Everything that a drawn day leads to under a policy. */
function play(
  days: readonly (Look & { readonly afterMs: number; readonly ends: EvictionOutcome['kind'] | 'begins' })[],
  list: readonly Pod[],
  policy: EvictionPolicy,
): readonly Seen[] {
  let state: EvictionState = NO_HISTORY;
  let atMs = 0;
  return days.map((day) => {
    atMs += day.afterMs;
    const observation = observationOf(day, list, atMs);
    const look = decideEviction(state, observation, policy);
    state = look.state;
    for (const order of policy.compat === 'kubelet' ? [] : look.decision.evictions) {
      state = day.ends === 'dry-run' ? state : evictionStarted(state, order, atMs);
      if (day.ends !== 'begins') {
        const outcome: EvictionOutcome =
          day.ends === 'gone' || day.ends === 'dry-run' ? { kind: day.ends } : { kind: day.ends, why: 'x' };
        state = evictionEnded(state, order, { outcome, atMs }, policy);
      }
    }
    return { ...look, observation };
  });
}

const toldOf = (seen: readonly Seen[]): unknown =>
  seen.map(({ decision, failed }) => ({
    conditions: decision.conditions,
    met: decision.thresholdsMet.map(({ id }) => id),
    evictions: decision.evictions,
    withheld: decision.withheld,
    failed,
  }));

describe('evictions over a day', () => {
  it('do not depend on the order of pods and thresholds', () => {
    const shuffled = fc.record({ policy: policies, list: pods }).chain(({ policy, list }) =>
      fc.record({
        policy: fc.constant(policy),
        list: fc.constant(list),
        otherList: fc.shuffledSubarray([...list], { minLength: list.length }),
        otherThresholds: fc.shuffledSubarray([...policy.thresholds], { minLength: policy.thresholds.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, looks, ({ policy, list, otherList, otherThresholds }, days) => {
        const other = { ...policy, thresholds: otherThresholds };
        expect(toldOf(play(days, otherList, other))).toEqual(toldOf(play(days, list, policy)));
      }),
    );
  });
  it('never take a critical, static, mirror, protected, terminating, pending or unlisted pod, nor two in one look', () => {
    fc.assert(
      fc.property(policies, pods, looks, (policy, list, days) => {
        for (const { decision, state, observation } of play(days, list, policy)) {
          expect(decision.evictions.length).toBeLessThanOrEqual(1);
          for (const { pod, usage: known } of decision.evictions) {
            expect(isCritical(pod) || pod.terminating).toBe(false);
            expect(pod.namespace).not.toBe('vital');
            expect(pod.priority ?? 0).toBeLessThan(100);
            expect(known !== undefined || policy.unmeasured === 'evict').toBe(true);
            expect([...state.pending.map(podKey), ...state.backOffUntilMs.keys()]).not.toContain(podKey(pod));
            expect(observation.pods).toContain(pod);
            expect(observation.podsAgeMs).toBeLessThanOrEqual(policy.maxPodListAgeMs);
          }
        }
      }),
    );
  });
  it('take nobody for a shortage that a release covers, and nobody without one', () => {
    fc.assert(
      fc.property(policies, pods, looks, (policy, list, days) => {
        for (const { decision, state, observation } of play(days, list, policy)) {
          for (const { cause } of decision.evictions) {
            if (cause.kind === 'storage-limit') continue;
            const { signal: name, value, minReclaim } = cause.threshold;
            expect(observation.readings.get(name)?.available).toBe(cause.available);
            const rules = { signal: name, layout: 'single', compat: 'nodeqos' } as const;
            const comingBack = state.pending.reduce(
              (sum, one) => sum + (measuredUsage(one.usage, rules) ?? 0n),
              0n,
            );
            const reclaim = minReclaim === null || state.pending.length > 0 ? 0n : amountIn(minReclaim, 100n);
            expect(cause.available + comingBack).toBeLessThan(amountIn(value, 100n) + reclaim);
          }
        }
      }),
    );
  });
  it('under the rules of the kubelet take no critical pod, and remember nobody', () => {
    fc.assert(
      fc.property(policies, pods, looks, (policy, list, days) => {
        for (const { decision, state, failed } of play(days, list, { ...policy, compat: 'kubelet' })) {
          expect(decision.evictions.filter(({ pod }) => isCritical(pod))).toEqual([]);
          expect([state.pending.length, state.backOffUntilMs.size, failed.length]).toEqual([0, 0, 0]);
        }
      }),
    );
  });
  it('give every threshold of the policy a status that agrees with what is told', () => {
    fc.assert(
      fc.property(policies, pods, looks, (policy, list, days) => {
        for (const { decision, observation } of play(days, list, policy)) {
          const { thresholds: statuses, thresholdsMet } = decision;
          expect(statuses.map((status) => status.threshold)).toEqual(policy.thresholds);
          for (const status of statuses) {
            const isPast = status.met === true && !status.inGrace;
            expect(thresholdsMet.includes(status.threshold)).toBe(isPast);
            expect(status.met === undefined).toBe(!observation.readings.has(status.threshold.signal));
            expect(status.met !== true || status.metSinceMs !== undefined).toBe(true);
            expect(status.metSinceMs ?? 0).toBeLessThanOrEqual(observation.atMs);
          }
          const served = new Set(
            decision.evictions.map(({ cause }) => cause.kind === 'threshold' && cause.threshold.signal),
          );
          expect(decision.withheld.filter(({ signal: name }) => served.has(name))).toEqual([]);
        }
      }),
    );
  });
});
