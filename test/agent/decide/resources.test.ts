import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aggregateLimit,
  memoryLimitBytes,
  memoryRequestBytes,
  podMemoryLimitBytes,
  podMemoryRequestBytes,
  podRequest,
} from '../../../agent/decide/resources.ts';
import { quantityToInteger, quantityToMilli } from '../../../config/numbers/quantity.ts';
import type { PlainRecord } from '../../../config/text/plain-value.ts';
import { container, type PodParts, podOf, sidecar } from '../../fakes/pods.ts';

const MI = 1024n * 1024n;
const GI = 1024n * MI;

function requestMi(parts: PodParts, resource = 'memory'): number {
  return Number(quantityToInteger(podRequest(podOf(parts), resource)) / MI);
}

describe('the request of a pod', () => {
  const cases: readonly [string, PodParts, number][] = [
    ['is 0 without containers', { spec: {} }, 0],
    ['is 0 where nothing is requested', { spec: { containers: [container('a')] } }, 0],
    [
      'adds up regular containers',
      { spec: { containers: [container('a', { memory: '100Mi' }), container('b', { memory: '28Mi' })] } },
      128,
    ],
    [
      'is the peak of an init container that needs more than the rest (row 36)',
      {
        spec: {
          initContainers: [container('setup', { memory: '1Gi' })],
          containers: [container('a', { memory: '256Mi' })],
        },
      },
      1024,
    ],
    [
      'is not changed by an init container that needs less',
      {
        spec: {
          initContainers: [container('setup', { memory: '100Mi' })],
          containers: [container('a', { memory: '256Mi' })],
        },
      },
      256,
    ],
    [
      'adds no two ordinary init containers, which run one after the other',
      {
        spec: {
          initContainers: [container('one', { memory: '300Mi' }), container('two', { memory: '200Mi' })],
          containers: [container('a', { memory: '50Mi' })],
        },
      },
      300,
    ],
    [
      'adds a sidecar to an init container that stands after it (row 38)',
      {
        spec: {
          initContainers: [sidecar('proxy', { memory: '64Mi' }), container('setup', { memory: '512Mi' })],
          containers: [container('a', { memory: '128Mi' })],
        },
      },
      576,
    ],
    [
      'does not add a sidecar to an init container that stands before it (row 39)',
      {
        spec: {
          initContainers: [container('setup', { memory: '512Mi' }), sidecar('proxy', { memory: '64Mi' })],
          containers: [container('a', { memory: '128Mi' })],
        },
      },
      512,
    ],
    [
      'adds sidecars to regular containers',
      {
        spec: {
          initContainers: [sidecar('one', { memory: '64Mi' }), sidecar('two', { memory: '32Mi' })],
          containers: [container('a', { memory: '128Mi' })],
        },
      },
      224,
    ],
    [
      'is that of its sidecars where nothing else requests anything',
      { spec: { initContainers: [sidecar('one', { memory: '64Mi' })], containers: [container('a')] } },
      64,
    ],
    [
      'leaves ephemeral containers out',
      {
        spec: {
          containers: [container('a', { memory: '128Mi' })],
          ephemeralContainers: [container('debug', { memory: '1Gi' })],
        },
      },
      128,
    ],
    [
      'has overhead on top (row 40)',
      { spec: { overhead: { memory: '120Mi' }, containers: [container('a', { memory: '256Mi' })] } },
      376,
    ],
    [
      'is the overhead of a pod that requests nothing (row 42)',
      { spec: { overhead: { memory: '120Mi' }, containers: [container('a')] } },
      120,
    ],
    [
      'is what the pod itself states, not what its containers need (row 24)',
      {
        spec: {
          resources: { requests: { memory: '300Mi' } },
          containers: [container('a', { memory: '128Mi' })],
        },
      },
      300,
    ],
    [
      'is what the pod itself states with overhead on top',
      {
        spec: {
          overhead: { memory: '64Mi' },
          resources: { requests: { memory: '128Mi' }, limits: { memory: '256Mi' } },
          containers: [container('a', { memory: '100Mi' })],
        },
      },
      192,
    ],
    [
      'is a 0 that the pod itself states',
      {
        spec: {
          resources: { requests: { memory: 0 }, limits: { cpu: 1 } },
          containers: [container('a', { memory: '128Mi' })],
        },
      },
      0,
    ],
    [
      'is the aggregate where the pod states another resource (row 26)',
      { spec: { resources: { limits: { cpu: '2' } }, containers: [container('a', { memory: '100Mi' })] } },
      100,
    ],
  ];
  it.each(cases)('%s', (_, parts, expected) => {
    expect(requestMi(parts)).toBe(expected);
  });

  it('is exact before it is rounded up once', () => {
    const pod = podOf({
      spec: { containers: ['a', 'b', 'c'].map((name) => container(name, { memory: '0.4', cpu: '0.1m' })) },
    });
    expect(podMemoryRequestBytes(pod)).toBe(2n);
    expect(quantityToMilli(podRequest(pod, 'cpu'))).toBe(1n);
  });

  it('saturates at the largest int64 when huge requests add up', () => {
    const pod = podOf({
      spec: { containers: [container('a', { memory: '7Ei' }), container('b', { memory: '7Ei' })] },
    });
    expect(podMemoryRequestBytes(pod)).toBe(9223372036854775807n);
  });

  it('does not depend on the order of regular containers', () => {
    const amount = fc.integer({ min: 0, max: 5000 });
    const list = fc.array(amount, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(list, amount, fc.nat(), (amounts, init, turn) => {
        const at = turn % amounts.length;
        const turned = [...amounts.slice(at), ...amounts.slice(0, at)].reverse();
        const request = (values: readonly number[]): bigint =>
          podMemoryRequestBytes(
            podOf({
              spec: {
                initContainers: [container('i', { memory: init })],
                containers: values.map((memory, index) => container(`c${index}`, { memory })),
              },
            }),
          );
        expect(request(turned)).toBe(request(amounts));
      }),
    );
  });

  it('is never below any container nor below what runs at once', () => {
    const one = fc.record({
      memory: fc.integer({ min: 0, max: 1000 }),
      type: fc.constantFrom('regular', 'init', 'sidecar'),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 8 }), (all) => {
        const regular = all.filter(({ type }) => type === 'regular');
        const started = all.filter(({ type }) => type !== 'regular');
        const pod = podOf({
          spec: {
            initContainers: started.map(({ memory, type }, at) =>
              type === 'sidecar' ? sidecar(`i${at}`, { memory }) : container(`i${at}`, { memory }),
            ),
            containers: regular.map(({ memory }, at) => container(`c${at}`, { memory })),
          },
        });
        const running = all
          .filter(({ type }) => type !== 'init')
          .reduce((sum, { memory }) => sum + memory, 0);
        const total = podMemoryRequestBytes(pod);
        expect(total).toBeGreaterThanOrEqual(BigInt(running));
        for (const { memory } of all) expect(total).toBeGreaterThanOrEqual(BigInt(memory));
        expect(total).toBeLessThanOrEqual(BigInt(all.reduce((sum, { memory }) => sum + memory, 0)));
      }),
    );
  });
});

describe('the memory limit of a pod', () => {
  const cases: readonly [string, PodParts, bigint | null][] = [
    ['is none without containers', { spec: {} }, null],
    ['is none where no container has one', { spec: { containers: [container('a')] } }, null],
    [
      'adds up the limits of all containers (row 7)',
      {
        spec: {
          containers: [container('a', {}, { memory: '512Mi' }), container('b', {}, { memory: '512Mi' })],
        },
      },
      GI,
    ],
    [
      'is none where one container has none (row 21)',
      { spec: { containers: [container('a', {}, { memory: '200Mi' }), container('b')] } },
      null,
    ],
    [
      'is none where a limit of 0 is no limit',
      {
        spec: { containers: [container('a', {}, { memory: '200Mi' }), container('b', {}, { memory: '0' })] },
      },
      null,
    ],
    [
      'is none where one init container has none (row 37)',
      {
        spec: {
          initContainers: [container('setup')],
          containers: [container('a', {}, { memory: '256Mi' })],
        },
      },
      null,
    ],
    [
      'does not ask ephemeral containers for one',
      {
        spec: {
          containers: [container('a', {}, { memory: '256Mi' })],
          ephemeralContainers: [container('debug')],
        },
      },
      256n * MI,
    ],
    [
      'is the peak of the start, sidecars beside an init container after them (row 38)',
      {
        spec: {
          initContainers: [
            sidecar('proxy', {}, { memory: '128Mi' }),
            container('setup', {}, { memory: '512Mi' }),
          ],
          containers: [container('a', {}, { memory: '256Mi' })],
        },
      },
      640n * MI,
    ],
    [
      'has overhead on top (row 40)',
      {
        spec: {
          overhead: { memory: '120Mi' },
          containers: [container('a', { memory: '256Mi' }, { memory: '512Mi' })],
        },
      },
      662700032n,
    ],
    [
      'is not made of overhead alone (row 42)',
      { spec: { overhead: { memory: '120Mi' }, containers: [container('a')] } },
      null,
    ],
    [
      'is what the pod states, with overhead (row 24)',
      {
        spec: {
          overhead: { memory: '64Mi' },
          resources: { limits: { memory: '256Mi', cpu: 1 }, requests: { memory: '128Mi', cpu: 1 } },
          containers: [container('a', { memory: '128Mi' }, { memory: '200Mi' })],
        },
      },
      335544320n,
    ],
    [
      'is what the pod states where its containers state nothing (row 43)',
      { spec: { resources: { limits: { memory: '1Gi', cpu: 1 } }, containers: [container('a')] } },
      GI,
    ],
    [
      'is none where the pod states a cpu limit only and a container has no limit (row 27)',
      {
        spec: {
          resources: { limits: { cpu: '2' } },
          containers: [
            container('a', { memory: '100Mi' }, { memory: '200Mi' }),
            container('b', { memory: '100Mi' }),
          ],
        },
      },
      null,
    ],
    [
      'is that of the containers where the pod states 0, which is none',
      {
        spec: {
          resources: { limits: { memory: 0, cpu: 1 } },
          containers: [container('a', {}, { memory: '200Mi' })],
        },
      },
      200n * MI,
    ],
    [
      'saturates at the largest int64',
      {
        spec: {
          containers: [container('a', {}, { memory: '7Ei' }), container('b', {}, { memory: '7Ei' })],
        },
      },
      9223372036854775807n,
    ],
  ];
  it.each(cases)('%s', (_, parts, expected) => {
    expect(podMemoryLimitBytes(podOf(parts))).toBe(expected);
  });

  it('is none for ephemeral containers alone', () => {
    const pod = podOf({ spec: { ephemeralContainers: [container('debug')] } });
    expect(aggregateLimit(pod.containers, 'memory')).toBeUndefined();
  });
});

describe("a container's own memory", () => {
  const bytes = (requests: PlainRecord, limits: PlainRecord): readonly [bigint, bigint | null] => {
    const [only] = podOf({ spec: { containers: [container('a', requests, limits)] } }).containers;
    if (only === undefined) throw new Error('no container');
    return [memoryRequestBytes(only), memoryLimitBytes(only)];
  };
  it.each([
    ['nothing stated', {}, {}, [0n, null]],
    [
      'fractions of a byte are rounded up',
      { memory: '1.1Gi' },
      { memory: '1.2Gi' },
      [1181116007n, 1288490189n],
    ],
    ['512m is half a byte', { memory: '512m' }, { memory: '512m' }, [1n, 1n]],
    ['a limit of 0 is none', {}, { memory: 0 }, [0n, null]],
    ['a request is its limit where it is missing', {}, { memory: '1Ki' }, [1024n, 1024n]],
    ['a request of 0 is not missing', { memory: 0 }, { memory: '1Ki' }, [0n, 1024n]],
  ])('%s', (_, requests, limits, expected) => {
    expect(bytes(requests, limits)).toEqual(expected);
  });
});
