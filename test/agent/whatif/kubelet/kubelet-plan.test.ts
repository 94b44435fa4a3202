import { describe, expect, it } from 'vitest';
import type { Pod, Resources } from '../../../../agent/model/pod.ts';
import { kubeletPreemption } from '../../../../agent/whatif/kubelet/kubelet-plan.ts';
import { requestOf, shortages } from '../../../../agent/whatif/kubelet/shortage.ts';
import { parseQuantity } from '../../../../config/numbers/quantity.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import { container, podOf } from '../../../fakes/pods.ts';

function resources(amounts: Readonly<Record<string, string>>): Resources {
  return new Map(
    Object.entries(amounts).map(([name, text]) => {
      const quantity = parseQuantity(text);
      if (!quantity.ok) throw new Error(quantity.message);
      return [name, quantity.value];
    }),
  );
}
function pod(name: string, requests: PlainRecord, more: Partial<Pod> = {}): Pod {
  return { ...podOf({ name, spec: { containers: [container('c', requests)] } }), ...more };
}
const CRITICAL: Partial<Pod> = { priority: 2_000_000_000 };

describe('what a node lacks for a pod', () => {
  const NODE = resources({ cpu: '1', memory: '1000', pods: '2' });
  it.each<
    [string, PlainRecord, readonly Pod[], Resources, readonly (readonly [string, bigint, bigint, bigint])[]]
  >([
    ['nothing where it fits exactly', { cpu: '1', memory: '1000' }, [], NODE, []],
    ['one thousandth of cpu', { cpu: '1001m' }, [], NODE, [['cpu', 1001n, 0n, 1000n]]],
    [
      'what others hold',
      { memory: '501' },
      [pod('a', { memory: '500' })],
      NODE,
      [['memory', 501n, 500n, 1000n]],
    ],
    ['a place, though nothing is requested', {}, [pod('a', {}), pod('b', {})], NODE, [['pods', 1n, 2n, 2n]]],
    [
      'no place where the node does not say how many it has',
      {},
      [pod('a', {}), pod('b', {})],
      resources({ cpu: '1' }),
      [],
    ],
    [
      'a resource of Kubernetes that it does not name',
      { 'hugepages-2Mi': '2Mi' },
      [],
      NODE,
      [['hugepages-2Mi', 2_097_152n, 0n, 0n]],
    ],
    ['nothing of an extended resource that it does not name', { 'x.com/gpu': 1 }, [], NODE, []],
    [
      'an extended resource that it names',
      { 'x.com/gpu': 1 },
      [],
      resources({ 'x.com/gpu': '0' }),
      [['x.com/gpu', 1n, 0n, 0n]],
    ],
    [
      'what has kubernetes.io in its name is its own',
      { 'node.kubernetes.io/x': 1 },
      [],
      NODE,
      [['node.kubernetes.io/x', 1n, 0n, 0n]],
    ],
    [
      'a name of a quota is its own',
      { 'requests.x.com/gpu': 1 },
      [],
      NODE,
      [['requests.x.com/gpu', 1n, 0n, 0n]],
    ],
    ['nothing of what is requested as 0', { cpu: '0' }, [pod('a', { cpu: '2' })], NODE, []],
    [
      'several, in the order of the kubelet',
      { 'a.com/x': 1, 'ephemeral-storage': '1', memory: '2000', cpu: '2' },
      [pod('a', {}), pod('b', {})],
      resources({ cpu: '1', memory: '1000', pods: '2', 'a.com/x': '0' }),
      [
        ['pods', 1n, 2n, 2n],
        ['cpu', 2000n, 0n, 1000n],
        ['memory', 2000n, 0n, 1000n],
        ['ephemeral-storage', 1n, 0n, 0n],
        ['a.com/x', 1n, 0n, 0n],
      ],
    ],
  ])('%s', (...row) => {
    const [, requests, others, allocatable, expected] = row;
    expect(shortages(pod('new', requests), others, allocatable)).toEqual(
      expected.map(([resource, requested, used, capacity]) => ({ resource, requested, used, capacity })),
    );
  });
  it('amounts are rounded up for the pod as a whole', () => {
    expect(requestOf(pod('a', { cpu: '1500u', memory: '1500m' }), 'cpu')).toBe(2n);
    expect(requestOf(pod('a', { cpu: '1500u', memory: '1500m' }), 'memory')).toBe(2n);
    expect(requestOf(pod('a', {}), 'pods')).toBe(1n);
    expect(requestOf(pod('a', {}), 'memory')).toBe(0n);
  });
});

describe('the preemption of the kubelet itself', () => {
  const NODE = resources({ memory: '1000' });
  const SHORT = { resource: 'memory', requested: 600n, used: 500n, capacity: 1000n };
  const a = pod('a', { memory: '500' });
  it('is not needed where the pod fits', () => {
    expect(kubeletPreemption(pod('new', { memory: '500' }, CRITICAL), [a], NODE)).toEqual({
      outcome: 'not-needed',
    });
  });
  it('is only for critical pods', () => {
    expect(kubeletPreemption(pod('new', { memory: '600' }), [a], NODE)).toEqual({
      outcome: 'not-eligible',
      shortages: [SHORT],
    });
  });
  it('ends as few as it takes', () => {
    expect(kubeletPreemption(pod('new', { memory: '600' }, CRITICAL), [a], NODE)).toEqual({
      outcome: 'planned',
      shortages: [SHORT],
      victims: [a],
    });
  });
  it('ends nobody where it would not be enough', () => {
    const held = { ...a, priority: 2_000_000_000 };
    expect(kubeletPreemption(pod('new', { memory: '600' }, CRITICAL), [held], NODE)).toEqual({
      outcome: 'no-candidate',
      shortages: [SHORT],
      unmet: [{ resource: 'memory', amount: 100n }],
    });
  });
  it.each<[string, readonly Pod[], string]>([
    [
      'pods that have ended hold nothing',
      [
        { ...a, phase: 'Failed' },
        { ...a, phase: 'Succeeded' },
      ],
      'not-needed',
    ],
    ['pods that are on their way out hold what they have', [{ ...a, terminating: true }], 'planned'],
    ['the pod itself is not among the others', [pod('new', { memory: '500' })], 'not-needed'],
    [
      'one of its name in another namespace is',
      [pod('new', { memory: '500' }, { namespace: 'x' })],
      'planned',
    ],
  ])('%s', (_what, pods, outcome) => {
    expect(kubeletPreemption(pod('new', { memory: '600' }, CRITICAL), pods, NODE).outcome).toBe(outcome);
  });
});
