import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../agent/model/pod.ts';
import {
  preemptForCritical,
  type Requirement,
} from '../../../../agent/whatif/kubelet/critical-preemption.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import { container, podOf } from '../../../fakes/pods.ts';

const CRITICAL = podOf({ name: 'critical', spec: { priority: 2_000_000_000 } });

/** A pod with these requests; limits where they are given. */
function pod(name: string, requests: PlainRecord, limits: PlainRecord = {}, more: Partial<Pod> = {}): Pod {
  return { ...podOf({ name, spec: { containers: [container('c', requests, limits)] } }), ...more };
}
const guaranteed = (name: string, amounts: PlainRecord): Pod => pod(name, amounts, amounts);

const BE1 = pod('be1', {});
const BU1 = pod('bu1', { cpu: '100m', memory: '100' });
const BU2 = pod('bu2', { cpu: '300m', memory: '300' });
const G1 = guaranteed('g1', { cpu: '200m', memory: '200' });
const NODE = [BE1, BU1, BU2, G1];

const needs = (amounts: Readonly<Record<string, number>>): readonly Requirement[] =>
  Object.entries(amounts).map(([resource, amount]) => ({ resource, amount: BigInt(amount) }));
const victims = (others: readonly Pod[], amounts: Readonly<Record<string, number>>, preemptor = CRITICAL) => {
  const preemption = preemptForCritical(preemptor, others, needs(amounts));
  return preemption.kind === 'found' ? preemption.victims.map(({ name }) => name) : preemption.unmet;
};

describe('whom the kubelet ends for a critical pod', () => {
  it.each<[string, Readonly<Record<string, number>>, readonly string[]]>([
    ['vZ1: the nearest Burstable one', { memory: 200 }, ['bu2']],
    ['vZ2: of two that both do, the smaller', { memory: 50 }, ['bu1']],
    ['vZ3: the nearest first, then another', { memory: 350 }, ['bu2', 'bu1']],
    [
      'vZ4: Guaranteed ones only where all others are not enough, which then have to free less',
      { memory: 450 },
      ['bu2', 'g1'],
    ],
    ['vZ6: a BestEffort one frees a place', { pods: 1 }, ['be1']],
    ['vZ7: of two resources', { cpu: 100, memory: 250 }, ['bu2']],
    ['all of them, by class', { pods: 4 }, ['be1', 'bu1', 'bu2', 'g1']],
    ['the exact amount of all', { memory: 600 }, ['bu2', 'bu1', 'g1']],
    ['nobody where nothing is needed', {}, []],
  ])('%s', (_what, amounts, expected) => {
    expect(victims(NODE, amounts)).toEqual(expected);
  });
  it.each<[string, Readonly<Record<string, number>>, readonly Requirement[]]>([
    ['vZ5: nobody where all are not enough', { memory: 700 }, needs({ memory: 100 })],
    ['one byte too much', { memory: 601, pods: 1 }, needs({ memory: 1 })],
    ['each resource that is missing', { memory: 700, cpu: 650, pods: 4 }, needs({ memory: 100, cpu: 50 })],
  ])('%s', (_what, amounts, unmet) => {
    expect(victims(NODE, amounts)).toEqual(unmet);
  });
  it('counts each resource by its part: half of one and none of the other is worse than most of both', () => {
    const others = [pod('half', { memory: '500', cpu: '100m' }), pod('most', { memory: '800', cpu: '80m' })];
    expect(victims(others, { memory: 1000, cpu: 100 })).toEqual(['most', 'half']);
  });
  it('an extended resource is one too', () => {
    const others = [
      pod('small', { memory: '1', 'x.com/gpu': 1 }),
      pod('large', { memory: '1', 'x.com/gpu': 2 }),
    ];
    expect(victims(others, { 'x.com/gpu': 2 })).toEqual(['large']);
  });
  it('of equal distance the one with less memory goes, then less cpu, then by namespace and name', () => {
    const others = [
      pod('a', { memory: '20', cpu: '5m' }),
      pod('b', { memory: '10', cpu: '7m' }),
      pod('d', { memory: '10', cpu: '6m' }, {}, { namespace: 'x' }),
      pod('c', { memory: '10', cpu: '6m' }, {}, { namespace: 'x' }),
      pod('z', { memory: '10', cpu: '6m' }, {}, { namespace: 'w' }),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(others, { minLength: 5 }), (shuffled) => {
        expect(victims(shuffled, { pods: 5 })).toEqual(['z', 'c', 'd', 'b', 'a']);
      }),
    );
  });
});

describe('who may be ended', () => {
  const ended = (preemptor: Partial<Pod>, other: Partial<Pod>): boolean =>
    preemptForCritical({ ...podOf(), ...preemptor }, [{ ...BE1, ...other }], needs({ pods: 1 })).kind ===
    'found';
  const NODE_CRITICAL = 2_000_001_000;
  it.each<[string, Partial<Pod>, Partial<Pod>, boolean]>([
    ['one that is not critical, for one that is', { isStatic: true }, { priority: 1_999_999_999 }, true],
    ['one without a priority, for a static one', { isStatic: true }, {}, true],
    ['a critical one of lower priority', { priority: NODE_CRITICAL }, { priority: 2_000_000_000 }, true],
    ['a critical one of equal priority', { priority: NODE_CRITICAL }, { priority: NODE_CRITICAL }, false],
    ['a critical one of higher priority', { priority: 2_000_000_000 }, { priority: NODE_CRITICAL }, false],
    ['a static one of lower priority', { priority: NODE_CRITICAL }, { isStatic: true, priority: 5 }, true],
    ['a static one without a priority', { priority: NODE_CRITICAL }, { isStatic: true }, false],
    [
      'a mirror for a static one without a priority',
      { isStatic: true },
      { isMirror: true, priority: 5 },
      false,
    ],
  ])('%s: %#', (_what, preemptor, other, expected) => {
    expect(ended(preemptor, other)).toBe(expected);
  });
});

describe('whoever is ended', () => {
  const amount = fc.integer({ min: 0, max: 5 });
  const others = fc
    .array(fc.record({ memory: amount, cpu: amount, isGuaranteed: fc.boolean() }), { maxLength: 8 })
    .map((pods) =>
      pods.map(({ memory, cpu, isGuaranteed }, at) => {
        const requests = { memory: String(memory), cpu: `${cpu}m` };
        return isGuaranteed ? guaranteed(`p${at}`, requests) : pod(`p${at}`, requests);
      }),
    );
  const freed = (pods: readonly Pod[], resource: string): number =>
    pods.reduce((sum, one) => {
      const quantity = one.containers[0]?.requests.get(resource);
      const factor = resource === 'cpu' ? 3 : 0;
      return (
        sum + (quantity === undefined ? 0 : Number(quantity.unscaled) * 10 ** (quantity.exponent + factor))
      );
    }, 0);

  it('frees enough, and does not depend on the order of the pods', () => {
    fc.assert(
      fc.property(
        others,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 12 }),
        (pods, memory, cpu) => {
          const requirements = needs({ memory, cpu });
          const preemption = preemptForCritical(CRITICAL, pods, requirements);
          const isEnough = freed(pods, 'memory') >= memory && freed(pods, 'cpu') >= cpu;
          expect(preemption.kind).toBe(isEnough ? 'found' : 'not-enough');
          if (preemption.kind === 'found') {
            expect(freed(preemption.victims, 'memory')).toBeGreaterThanOrEqual(memory);
            expect(freed(preemption.victims, 'cpu')).toBeGreaterThanOrEqual(cpu);
          }
          expect(preemptForCritical(CRITICAL, pods.toReversed(), requirements)).toEqual(preemption);
        },
      ),
    );
  });
});
