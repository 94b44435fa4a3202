import { describe, expect, it } from 'vitest';
import {
  isPodLevelResource,
  podMemoryRequestBytes,
  rankingRequest,
} from '../../../agent/decide/resources.ts';
import { quantityToInteger } from '../../../config/numbers/quantity.ts';
import { container, type PodParts, podOf } from '../../fakes/pods.ts';

const MI = 1024n * 1024n;
const GI = 1024n * MI;

describe('the request that pods are ranked by', () => {
  const ranked = (parts: PodParts, resource: string, compatibility: 'nodeqos' | 'kubelet'): bigint =>
    quantityToInteger(rankingRequest(podOf(parts), resource, compatibility));

  it('V88: the kubelet does not see ephemeral storage of a pod with resources of its own, nodeqos does', () => {
    const parts = {
      spec: {
        resources: { limits: { cpu: '1' } },
        containers: [container('a', { 'ephemeral-storage': '10Gi' })],
      },
    };
    expect(ranked(parts, 'ephemeral-storage', 'kubelet')).toBe(0n);
    expect(ranked(parts, 'ephemeral-storage', 'nodeqos')).toBe(10n * GI);
  });

  it('is that of the containers in both modes where the pod states nothing', () => {
    const parts = { spec: { containers: [container('a', { 'ephemeral-storage': '2Gi', memory: '1Gi' })] } };
    for (const mode of ['nodeqos', 'kubelet'] as const) {
      expect(ranked(parts, 'ephemeral-storage', mode)).toBe(2n * GI);
      expect(ranked(parts, 'memory', mode)).toBe(GI);
    }
  });

  it("is the pod's own statement in both modes", () => {
    const parts = {
      spec: { resources: { requests: { memory: '2Gi' } }, containers: [container('a', { memory: '1Gi' })] },
    };
    expect(ranked(parts, 'memory', 'nodeqos')).toBe(2n * GI);
    expect(ranked(parts, 'memory', 'kubelet')).toBe(2n * GI);
  });

  it.each(['nodeqos', 'kubelet'] as const)(
    'F11: overhead counts only where something is requested (%s)',
    (mode) => {
      const overhead = { memory: '64Mi' };
      const requesting = { spec: { overhead, containers: [container('a', { memory: '1Mi' })] } };
      const idle = { spec: { overhead, containers: [container('a')] } };
      expect(ranked(requesting, 'memory', mode)).toBe(65n * MI);
      expect(ranked(idle, 'memory', mode)).toBe(0n);
      expect(podMemoryRequestBytes(podOf(idle))).toBe(64n * MI);
    },
  );

  it('has no overhead of a resource that has none', () => {
    const parts = { spec: { overhead: { cpu: '1' }, containers: [container('a', { memory: '1Mi' })] } };
    expect(ranked(parts, 'memory', 'nodeqos')).toBe(MI);
  });
});

describe('resources that may be stated for a whole pod', () => {
  it.each([
    ['cpu', true],
    ['memory', true],
    ['hugepages-2Mi', true],
    ['hugepages', false],
    ['x-hugepages-2Mi', false],
    ['ephemeral-storage', false],
    ['nvidia.com/gpu', false],
  ])('%s: %s', (resource, expected) => {
    expect(isPodLevelResource(resource)).toBe(expected);
  });
});
