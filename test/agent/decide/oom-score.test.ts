import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oomScoreAdj } from '../../../agent/decide/oom-score.ts';
import { container, type PodParts, podOf, sidecar } from '../../fakes/pods.ts';

const MI = 1024n * 1024n;
const GI = 1024n * MI;
const CAPACITY = 16n * GI;

function scores(parts: PodParts, capacityBytes = CAPACITY): readonly number[] {
  const pod = podOf(parts);
  return pod.containers.map((one) => oomScoreAdj(pod, one, capacityBytes));
}

/** A Burstable pod of one container with this memory request in bytes. */
function burstable(bytes: bigint): PodParts {
  return { spec: { containers: [container('a', { cpu: '1', memory: bytes })] } };
}

describe('oom_score_adj', () => {
  it.each([
    ['V73: 0', 0n, 999],
    ['V73: 16Mi', 16n * MI, 999],
    ['V73: 17Mi', 17n * MI, 999],
    ['one byte below two thousandths', (2n * CAPACITY) / 1000n, 999],
    ['two thousandths', (2n * CAPACITY) / 1000n + 1n, 998],
    ['V73: 100Mi', 100n * MI, 994],
    ['V73: 1Gi, V78: 938', GI, 938],
    ['V73: 4Gi', 4n * GI, 750],
    ['997 thousandths', (997n * CAPACITY) / 1000n, 4],
    ['just above them', (997n * CAPACITY) / 1000n + 1n, 3],
    ['V73: 16Gi - 1Mi', CAPACITY - MI, 3],
    ['V73: 16Gi', CAPACITY, 3],
    ['more than the machine has', 32n * GI, 3],
    ['the largest request there is', 9223372036854775807n, 3],
  ])('of a Burstable container on 16Gi: %s', (_, request, expected) => {
    expect(scores(burstable(request))).toEqual([expected]);
  });

  it.each([
    ['V74', 128n * GI, 62n * GI, 516],
    ['V74', 128n * GI, 66n * GI, 485],
    ['V75', 1024n * GI, 50n * MI, 999],
    ['V75', 1024n * GI, 2n * GI, 999],
  ])('%s: capacity %d, request %d: %d', (_, capacity, request, expected) => {
    expect(scores(burstable(request), capacity)).toEqual([expected]);
  });

  it('V76: what the pod requests beyond its containers is shared out among them', () => {
    const resources = { requests: { memory: '4Gi' } };
    const containers = [container('a', { memory: '1Gi' }), container('b', { memory: '0' })];
    expect(scores({ spec: { resources, containers } })).toEqual([844, 907]);
    const initContainers = [container('setup')];
    expect(scores({ spec: { resources, containers, initContainers } })).toEqual([938, 875, 938]);
  });

  it('shares nothing where the pod requests no more than its containers, or 0', () => {
    const containers = [container('a', { memory: '1Gi' })];
    expect(scores({ spec: { resources: { limits: { cpu: 1 } }, containers } })).toEqual([938]);
    const zero = { requests: { memory: 0 }, limits: { cpu: 1 } };
    expect(scores({ spec: { resources: zero, containers } })).toEqual([938]);
  });

  it('cuts the share down to whole bytes', () => {
    const parts = {
      spec: {
        resources: { requests: { memory: 2000 } },
        containers: [container('a'), container('b'), container('c')],
      },
    };
    expect(scores(parts, 666_000n)).toEqual([999, 999, 999]);
    expect(scores(parts, 333_000n)).toEqual([998, 998, 998]);
    expect(scores(parts, 333_001n)).toEqual([999, 999, 999]);
  });

  it('V77: a sidecar is no more exposed than the smallest regular container', () => {
    const pod = (request: string): PodParts => ({
      spec: {
        initContainers: [sidecar('proxy', { memory: request })],
        containers: [
          container('a', { memory: '2Gi' }),
          container('b', { memory: '1Gi' }),
          container('c', { memory: '3Gi' }),
        ],
      },
    });
    expect(scores(pod('100Mi'))).toEqual([938, 875, 938, 813]);
    expect(scores(pod('2Gi'))).toEqual([875, 875, 938, 813]);
  });

  it('goes by its own request for a sidecar of a pod without regular containers', () => {
    expect(scores({ spec: { initContainers: [sidecar('proxy', { memory: '1Gi' })] } })).toEqual([938]);
  });

  it('does not spare an ordinary init container', () => {
    const parts = {
      spec: { initContainers: [container('setup')], containers: [container('a', { memory: '1Gi' })] },
    };
    expect(scores(parts)).toEqual([999, 938]);
  });

  it('takes 0 for an ephemeral container, and gives it the share but counts it for none', () => {
    const ephemeralContainers = [container('debug', { memory: '8Gi' })];
    const containers = [container('a', { memory: '1Gi' })];
    expect(scores({ spec: { containers, ephemeralContainers } })).toEqual([938, 999]);
    const resources = { requests: { memory: '2Gi' } };
    expect(scores({ spec: { containers, ephemeralContainers, resources } })).toEqual([875, 938]);
  });

  it('takes 0 for an ephemeral container of a pod that was not read from a document', () => {
    const pod = podOf(burstable(GI));
    const [regular] = pod.containers;
    if (regular === undefined) throw new Error('no container');
    expect(oomScoreAdj(pod, { ...regular, type: 'ephemeral' }, CAPACITY)).toBe(999);
  });

  it('shares nothing in a pod without containers to share with', () => {
    const parts = {
      spec: { resources: { requests: { memory: '2Gi' } }, ephemeralContainers: [container('debug')] },
    };
    expect(scores(parts)).toEqual([999]);
  });

  it('V78: of Guaranteed, BestEffort and critical pods', () => {
    const equal = { cpu: '1', memory: '1Gi' };
    const critical = (priorityClassName: string, priority?: number): PodParts => ({
      spec: {
        priorityClassName,
        ...(priority === undefined ? {} : { priority }),
        containers: [container('a', { memory: '1Gi' })],
      },
    });
    expect(scores({ spec: { containers: [container('a', equal, equal)] } })).toEqual([-997]);
    expect(scores({ spec: { containers: [container('a')] } })).toEqual([1000]);
    expect(scores(critical('system-node-critical', 2_000_001_000))).toEqual([-997]);
    expect(scores(critical('system-cluster-critical', 2_000_000_000))).toEqual([938]);
    expect(scores(critical('system-node-critical'))).toEqual([938]);
    expect(scores(critical('system-node-critical', 1_999_999_999))).toEqual([938]);
  });

  it('of a static pod: only its class name makes it node-critical', () => {
    const metadata = { annotations: { 'kubernetes.io/config.source': 'file' } };
    const containers = [container('a', { memory: '1Gi' })];
    const named = { priorityClassName: 'system-node-critical', containers };
    expect(scores({ metadata, spec: named })).toEqual([-997]);
    expect(scores({ metadata, spec: { containers } })).toEqual([938]);
  });

  it('goes by the class that the status says', () => {
    const parts = { ...burstable(GI), status: { qosClass: 'BestEffort' } };
    expect(scores(parts)).toEqual([1000]);
  });

  it('lies within its bounds and falls with the request', () => {
    const bytes = fc.bigInt({ min: 0n, max: 64n * GI });
    fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        const [a = 0] = scores(burstable(one));
        const [b = 0] = scores(burstable(other));
        expect(a).toBeGreaterThanOrEqual(3);
        expect(a).toBeLessThanOrEqual(999);
        if (one <= other) expect(a).toBeGreaterThanOrEqual(b);
      }),
    );
  });
});
