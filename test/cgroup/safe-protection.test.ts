import { describe, expect, it } from 'vitest';
import type { Limit } from '../../cgroup/memory-files.ts';
import { cgroupLayout } from '../../cgroup/paths.ts';
import { desiredMemoryQos } from '../../cgroup/qos.ts';
import type { QosPod } from '../../cgroup/qos-pod.ts';
import { POLICY } from '../fakes/planning.ts';

const PAGE = 4096n;

function guaranteed(changes: Partial<QosPod> = {}): QosPod {
  return {
    namespace: 'a',
    name: 'b',
    uid: 'u',
    qosClass: 'Guaranteed',
    requestBytes: 100n * PAGE,
    limitBytes: 100n * PAGE,
    podLevel: false,
    podLevelLimitBytes: null,
    cgroup: 'pod',
    containers: [{ name: 'app', requestBytes: 100n * PAGE, limitBytes: 100n * PAGE, cgroup: 'pod/app' }],
    ...changes,
  };
}

function minOf(pods: readonly QosPod[], cgroup: string, currentRootMin?: Limit): string {
  const value = desiredMemoryQos(pods, {
    node: {
      allocatableBytes: undefined,
      pageSizeBytes: 4096,
      reserved: [],
      ...(currentRootMin === undefined ? {} : { currentRootMin }),
    },
    policy: { ...POLICY, protection: 'safe', headroom: 0.05 },
    layout: cgroupLayout('cgroupfs', '/'),
  }).find((desired) => desired.cgroup === cgroup && desired.file === 'memory.min');
  return `${value?.desired}: ${value?.reason}`;
}

describe('protection safe', () => {
  it('leaves the headroom of the limit unprotected in container and pod', () => {
    const formula = '389120: floor_page(min(request 409600, limit 409600 x (1 - 0.05))) = 389120';
    expect(minOf([guaranteed()], 'pod/app')).toBe(formula);
    expect(minOf([guaranteed()], 'pod')).toBe(formula.replace('request', 'pod request'));
  });

  it('a limit far above the request leaves the request whole', () => {
    const pod = guaranteed({ limitBytes: 200n * PAGE });
    expect(minOf([pod], 'pod')).toBe(
      '409600: floor_page(min(pod request 409600, limit 819200 x (1 - 0.05))) = 409600',
    );
  });

  it('the result is floored to a page', () => {
    const pod = guaranteed({ requestBytes: 8191n, limitBytes: 100n * PAGE });
    expect(minOf([pod], 'pod')).toBe(
      '4096: floor_page(min(pod request 8191, limit 409600 x (1 - 0.05))) = 4096',
    );
  });

  it('a pod-level limit stands in for the container, and without any limit the request counts', () => {
    const containers = [{ name: 'app', requestBytes: 100n * PAGE, limitBytes: null, cgroup: 'pod/app' }];
    expect(minOf([guaranteed({ containers, podLevelLimitBytes: 100n * PAGE })], 'pod/app')).toBe(
      '389120: floor_page(min(request 409600, limit 409600 x (1 - 0.05))) = 389120',
    );
    expect(minOf([guaranteed({ containers })], 'pod/app')).toBe(
      '409600: floor_page(request 409600) = 409600',
    );
  });

  it('the root follows the working sets of Guaranteed pods, at most their requests', () => {
    const pods = [
      guaranteed({ workingSetBytes: 10n * PAGE + 7n }),
      guaranteed({ workingSetBytes: 300n * PAGE }),
      guaranteed({ qosClass: 'Burstable', workingSetBytes: 5n * PAGE }),
    ];
    expect(minOf(pods, 'kubepods')).toBe(
      '450560: floor_page(sum of min(working set, request) of Guaranteed pods 450567) = 450560',
    );
  });

  it('a working set that is not known counts as the request', () => {
    expect(minOf([guaranteed()], 'kubepods')).toBe(
      '409600: floor_page(sum of min(working set, request) of Guaranteed pods 409600) = 409600',
    );
  });

  const target = 'floor_page(sum of min(working set, request) of Guaranteed pods 409600) = 409600';

  it.each([
    [430080n, `430080: ${target}; 430080 is within 5% of it and stays`],
    [389120n, `389120: ${target}; 389120 is within 5% of it and stays`],
    [409600n, `409600: ${target}; 409600 is within 5% of it and stays`],
    [434176n, `409600: ${target}`],
    [385024n, `409600: ${target}`],
    [0n, `409600: ${target}`],
    ['max', `409600: ${target}`],
  ] as const)('a root of %s is left alone within 5%% and moved beyond', (current, expected) => {
    expect(minOf([guaranteed()], 'kubepods', current)).toBe(expected);
  });

  it('policy None clears the root', () => {
    const value = desiredMemoryQos([guaranteed()], {
      node: { allocatableBytes: 1n, pageSizeBytes: 4096, reserved: [], currentRootMin: 409600n },
      policy: { ...POLICY, protection: 'safe', memoryReservationPolicy: 'None' },
      layout: cgroupLayout('cgroupfs', '/'),
    })[0];
    expect(value?.desired).toBe(0n);
  });
});
