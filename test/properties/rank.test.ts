import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Candidate, candidateOf, type RankingRules } from '../../agent/decide/candidate.ts';
import { evictionOrder, rankPods } from '../../agent/decide/rank.ts';
import type { Pod, PodUsage } from '../../agent/model/pod.ts';
import { quantityOf } from '../../config/numbers/quantity.ts';
import { SIGNALS } from '../../config/signal.ts';
import { podOf } from '../fakes/pods.ts';
import { rules } from '../fakes/ranking.ts';

// Small ranges, so that ties and near ties are common.
const small = fc.bigInt({ min: 0n, max: 3n });
const maybe = fc.option(small, { nil: undefined });
const BASE = podOf({ spec: { containers: [{ name: 'main' }] } });

const usageOf: fc.Arbitrary<PodUsage | undefined> = fc.option(
  fc
    .record({
      memoryWorkingSetBytes: maybe,
      processCount: maybe,
      ephemeralStorageBytes: maybe,
      inodes: maybe,
      rootfsBytes: maybe,
      logsInodes: maybe,
    })
    .map((usage) => Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined))),
  { nil: undefined },
);

const podAndUsage = fc
  .record({
    namespace: fc.constantFrom('a', 'b'),
    name: fc.constantFrom('x', 'y'),
    priority: fc.constantFrom(undefined, -1, 0, 7, 2_000_000_000),
    memory: maybe,
    storage: maybe,
    terminating: fc.boolean(),
    usage: usageOf,
  })
  .map(({ namespace, name, priority, memory, storage, terminating, usage }) => {
    const requests = new Map([
      ...(memory === undefined ? [] : [['memory', quantityOf(memory)] as const]),
      ...(storage === undefined ? [] : [['ephemeral-storage', quantityOf(storage)] as const]),
    ]);
    const containers = BASE.containers.map((container) => ({ ...container, requests }));
    const pod: Pod = {
      ...BASE,
      namespace,
      name,
      terminating,
      containers,
      ...(priority === undefined ? {} : { priority }),
    };
    return { pod, usage };
  });

/** Pods with UIDs of their own, what they use, and the same pods in another order. */
const nodes = fc.array(podAndUsage, { maxLength: 12 }).chain((drawn) => {
  const pods = drawn.map(({ pod }, index) => ({ ...pod, uid: `u${index}`, cgroupUid: `u${index}` }));
  const usage = new Map(
    drawn.flatMap((one, index) => (one.usage === undefined ? [] : [[`u${index}`, one.usage]])),
  );
  return fc.record({
    pods: fc.constant<readonly Pod[]>(pods),
    shuffled: fc.shuffledSubarray(pods, { minLength: pods.length, maxLength: pods.length }),
    usage: fc.constant(usage as ReadonlyMap<string, PodUsage>),
  });
});

const allRules: fc.Arbitrary<RankingRules> = fc
  .record({
    signal: fc.constantFrom(...SIGNALS),
    layout: fc.constantFrom('single' as const, 'dedicated-imagefs' as const, 'split' as const),
    compat: fc.constantFrom('nodeqos' as const, 'kubelet' as const),
    unmeasured: fc.constantFrom('skip' as const, 'evict' as const),
  })
  .map(({ signal, ...more }) => rules(signal, more));

describe('ranking', () => {
  it('does not depend on the order of its input', () => {
    fc.assert(
      fc.property(nodes, allRules, ({ pods, shuffled, usage }, ranking) => {
        expect(rankPods(shuffled, usage, ranking)).toEqual(rankPods(pods, usage, ranking));
      }),
    );
  });
  it('is a total order: of two pods exactly one goes first, and three never go in a circle', () => {
    fc.assert(
      fc.property(nodes, allRules, ({ pods, usage }, ranking) => {
        const order = evictionOrder(ranking.signal);
        const candidates: readonly Candidate[] = pods.map((pod) => candidateOf(pod, usage, ranking));
        const sign = (a: Candidate, b: Candidate): number => Math.sign(order(a, b));
        for (const a of candidates) {
          for (const b of candidates) {
            expect(sign(a, b) + sign(b, a)).toBe(0);
            expect(sign(a, b) === 0).toBe(a === b);
            for (const c of candidates) {
              if (sign(a, b) < 0 && sign(b, c) < 0) expect(sign(a, c)).toBe(-1);
            }
          }
        }
      }),
      { numRuns: 40 },
    );
  });
  it('never lets a critical pod go, and numbers everybody from 1', () => {
    fc.assert(
      fc.property(nodes, allRules, ({ pods, usage }, ranking) => {
        const order = rankPods(pods, usage, ranking);
        expect(order.map(({ rank }) => rank)).toEqual(order.map((_, index) => index + 1));
        expect(order.filter((entry) => entry.critical && entry.evictable)).toEqual([]);
        expect(order).toHaveLength(pods.length);
      }),
    );
  });
});
