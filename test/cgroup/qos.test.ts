import { describe, expect, it } from 'vitest';
import type { Limit } from '../../cgroup/memory-files.ts';
import { memoryHighBytes } from '../../cgroup/memory-high.ts';
import { cgroupLayout } from '../../cgroup/paths.ts';
import { desiredMemoryQos } from '../../cgroup/qos.ts';
import type { QosInputs, QosPod } from '../../cgroup/qos-pod.ts';
import { POLICY } from '../fakes/planning.ts';

const MI = 1048576n;

function inputs(changes: { readonly [K in keyof QosInputs]?: Partial<QosInputs[K]> } = {}): QosInputs {
  return {
    node: { allocatableBytes: 16106127360n, pageSizeBytes: 4096, reserved: [], ...changes.node },
    policy: { ...POLICY, ...changes.policy },
    layout: cgroupLayout('systemd', '/'),
  };
}

function pod(qosClass: QosPod['qosClass'], requestMi: bigint, changes: Partial<QosPod> = {}): QosPod {
  const requestBytes = requestMi * MI;
  return {
    namespace: 'shop',
    name: 'web',
    uid: 'u',
    qosClass,
    requestBytes,
    limitBytes: null,
    podLevel: false,
    podLevelLimitBytes: null,
    cgroup: 'pod',
    containers: [{ name: 'app', requestBytes, limitBytes: null, cgroup: 'pod/app' }],
    ...changes,
  };
}

function withLimit(qosClass: QosPod['qosClass'], requestMi: bigint, limitMi: bigint): QosPod {
  const limitBytes = limitMi * MI;
  const containers = [{ name: 'app', requestBytes: requestMi * MI, limitBytes, cgroup: 'pod/app' }];
  return pod(qosClass, requestMi, { limitBytes, containers });
}

/** `cgroup file = value: reason` of each value. */
function lines(pods: readonly QosPod[], given: QosInputs): readonly string[] {
  return desiredMemoryQos(pods, given).map(
    ({ cgroup, file, desired, reason }) => `${cgroup ?? '-'} ${file} ${desired}: ${reason}`,
  );
}

function values(pods: readonly QosPod[], given: QosInputs, cgroup: string): readonly Limit[] {
  return desiredMemoryQos(pods, given)
    .filter((value) => value.cgroup === cgroup)
    .map(({ desired }) => desired);
}

describe('memoryHighBytes (7.2, limit 1000 and factor 0.9 in pages of 1Mi)', () => {
  it.each([
    [0n, 900n],
    [100n, 910n],
    [200n, 920n],
    [300n, 930n],
    [400n, 940n],
    [500n, 950n],
    [600n, 960n],
    [700n, 970n],
    [800n, 980n],
    [900n, 990n],
    [1000n, undefined],
  ])('7.2: a request of %sMi gives %s', (request, high) => {
    const bytes = memoryHighBytes(request * MI, 1000n * MI, 0.9, 1048576);
    expect(bytes === undefined ? undefined : bytes / MI).toBe(high);
  });

  it.each([
    [500n, 0.6, 800n],
    [800n, 0.6, 920n],
    [1000n, 0.6, undefined],
    [500n, 0.8, 900n],
    [850n, 0.8, 970n],
    [500n, 0.4, 700n],
  ])('7.2: a request of %sMi with factor %s gives %s', (request, factor, high) => {
    const bytes = memoryHighBytes(request * MI, 1000n * MI, factor, 1048576);
    expect(bytes === undefined ? undefined : bytes / MI).toBe(high);
  });

  it('vQ1: 256Mi of 1Gi at 0.9 is 993211187, and 993210368 in whole pages', () => {
    expect(memoryHighBytes(256n * MI, 1024n * MI, 0.9, 1)).toBe(993211187n);
    expect(memoryHighBytes(256n * MI, 1024n * MI, 0.9, 4096)).toBe(993210368n);
  });

  it('is nothing below the request, at it, and at 0', () => {
    expect(memoryHighBytes(8192n, 100n, 0.9, 4096)).toBeUndefined();
    expect(memoryHighBytes(4096n, 8191n, 1, 4096)).toBeUndefined();
    expect(memoryHighBytes(4096n, 8192n, 1, 4096)).toBe(8192n);
    expect(memoryHighBytes(0n, 4095n, 1, 4096)).toBeUndefined();
    expect(memoryHighBytes(0n, 4096n, 1, 4096)).toBe(4096n);
  });
});

const T1 = [pod('Guaranteed', 128n), withLimit('Burstable', 128n, 256n), pod('Burstable', 256n)];

describe('node and tier (7.3)', () => {
  it.each([
    ['T1: Guaranteed and Burstable', T1, 'TieredReservation', [536870912n, 402653184n, 402653184n]],
    ['T2: BestEffort alone', [pod('BestEffort', 0n)], 'TieredReservation', [0n, 0n, 0n]],
    ['T3: Burstable by cpu alone', [pod('Burstable', 0n)], 'TieredReservation', [0n, 0n, 0n]],
    ['T4: no pods', [], 'TieredReservation', [0n, 0n, 0n]],
    ['T8: policy None', T1, 'None', [0n, 0n, 0n]],
    [
      'a BestEffort pod with a request of its runtime class adds nothing',
      [pod('BestEffort', 9n)],
      'TieredReservation',
      [0n, 0n, 0n],
    ],
  ] as const)('%s', (_name, pods, memoryReservationPolicy, [rootMin, rootLow, tierLow]) => {
    const given = inputs({ policy: { memoryReservationPolicy } });
    expect(values(pods, given, 'kubepods.slice')).toEqual([rootMin, rootLow]);
    expect(values(pods, given, 'kubepods.slice/kubepods-burstable.slice')).toEqual([tierLow]);
  });

  it('T9: the gate is not asked; what policy None says is what it would reset to', () => {
    expect(lines([], inputs({ policy: { memoryReservationPolicy: 'None' } }))).toEqual([
      'kubepods.slice memory.min 0: 0: memoryReservationPolicy is None',
      'kubepods.slice memory.low 0: 0: memoryReservationPolicy is None',
      'kubepods.slice/kubepods-burstable.slice memory.low 0: 0: memoryReservationPolicy is None',
    ]);
  });

  it('sums are floored once, after summing', () => {
    const odd = { requestBytes: 6000n };
    const pods = [pod('Burstable', 0n, odd), pod('Guaranteed', 0n, odd)];
    expect(lines(pods, inputs()).slice(0, 3)).toEqual([
      'kubepods.slice memory.min 8192: floor_page(Guaranteed requests 6000 + Burstable requests 6000) = 8192',
      'kubepods.slice memory.low 4096: floor_page(Burstable requests 6000) = 4096',
      'kubepods.slice/kubepods-burstable.slice memory.low 4096: floor_page(Burstable requests 6000) = 4096',
    ]);
  });

  it('T15: an enforced reservation is protected whatever the policy', () => {
    const reserved = [{ name: 'kube-reserved', cgroup: 'kube.slice', bytes: 536870913n }] as const;
    const given = inputs({ node: { reserved }, policy: { memoryReservationPolicy: 'None' } });
    expect(lines([], given)[2]).toBe(
      'kube.slice memory.min 536870912: floor_page(kube-reserved memory 536870913) = 536870912',
    );
  });

  it('a sum beyond what a kernel can hold is max', () => {
    const huge = { requestBytes: 9223372036854775807n };
    expect(
      values([pod('Burstable', 0n, huge), pod('Burstable', 0n, huge)], inputs(), 'kubepods.slice'),
    ).toEqual(['max', 'max']);
  });
});

describe('pods and containers, each value with its reason', () => {
  const of = (given: QosPod, changes: Parameters<typeof inputs>[0] = {}) =>
    lines([given], inputs(changes)).filter((line) => line.startsWith('pod'));

  it('a Burstable pod with a limit', () => {
    expect(of(withLimit('Burstable', 256n, 1024n))).toEqual([
      'pod memory.min 0: 0: a Burstable pod is protected by memory.low',
      'pod memory.low 268435456: floor_page(pod request 268435456) = 268435456',
      'pod memory.high max: max: the pod has no pod-level resources',
      'pod/app memory.min 0: 0: a Burstable pod is protected by memory.low',
      'pod/app memory.low 268435456: floor_page(request 268435456) = 268435456',
      'pod/app memory.high 993210368: floor_page(268435456 + 0.9 x (1073741824 - 268435456)) = 993210368',
    ]);
  });

  it('a Guaranteed pod', () => {
    expect(of(withLimit('Guaranteed', 1n, 1n))).toEqual([
      'pod memory.min 1048576: floor_page(pod request 1048576) = 1048576',
      'pod memory.low 0: 0: a Guaranteed pod is protected by memory.min',
      'pod memory.high max: max: a Guaranteed pod is not throttled',
      'pod/app memory.min 1048576: floor_page(request 1048576) = 1048576',
      'pod/app memory.low 0: 0: a Guaranteed pod is protected by memory.min',
      'pod/app memory.high max: max: a Guaranteed pod is not throttled',
    ]);
  });

  it('a BestEffort pod', () => {
    expect(of(pod('BestEffort', 0n))).toEqual([
      'pod memory.min 0: 0: a BestEffort pod is not protected',
      'pod memory.low 0: 0: a BestEffort pod is not protected',
      'pod memory.high max: max: the pod has no pod-level resources',
      'pod/app memory.min 0: 0: a BestEffort pod is not protected',
      'pod/app memory.low 0: 0: a BestEffort pod is not protected',
      'pod/app memory.high 14495514624: floor_page(0 + 0.9 x (16106127360 - 0)) = 14495514624 (no limit: node allocatable)',
    ]);
  });

  it('a Burstable pod without a memory request', () => {
    expect(of(pod('Burstable', 0n)).slice(0, 2)).toEqual([
      'pod memory.min 0: 0: no memory request',
      'pod memory.low 0: 0: no memory request',
    ]);
  });

  it('policy None without a factor says so everywhere', () => {
    const policy = { memoryReservationPolicy: 'None', memoryThrottlingFactor: null } as const;
    expect(of(withLimit('Burstable', 1n, 2n), { policy })).toEqual([
      'pod memory.min 0: 0: memoryReservationPolicy is None',
      'pod memory.low 0: 0: memoryReservationPolicy is None',
      'pod memory.high max: max: no memoryThrottlingFactor',
      'pod/app memory.min 0: 0: memoryReservationPolicy is None',
      'pod/app memory.low 0: 0: memoryReservationPolicy is None',
      'pod/app memory.high max: max: no memoryThrottlingFactor',
    ]);
  });

  const high = (given: QosPod, changes: Parameters<typeof inputs>[0] = {}) => of(given, changes).at(-1);

  it('why there is no memory.high', () => {
    expect(high(withLimit('Burstable', 1n, 1n))).toBe(
      'pod/app memory.high max: max: request equals limit (1048576)',
    );
    expect(high(pod('Burstable', 1n), { node: { allocatableBytes: undefined } })).toBe(
      'pod/app memory.high max: max: no limit, and node allocatable is not known',
    );
    expect(high(pod('Burstable', 1n), { node: { allocatableBytes: 0n } })).toBe(
      'pod/app memory.high max: floor_page(1048576 + 0.9 x (0 - 1048576)) = 102400 (no limit: node allocatable), not above the request 1048576: max',
    );
    expect(high(pod('BestEffort', 0n), { node: { allocatableBytes: 4096n } })).toBe(
      'pod/app memory.high max: floor_page(0 + 0.9 x (4096 - 0)) = 0 (no limit: node allocatable), nothing to run in: max',
    );
  });

  it('a pod-level limit stands in for a container without its own, and throttles the pod', () => {
    const podLevel = { podLevel: true, limitBytes: 1024n * MI, podLevelLimitBytes: 1024n * MI };
    const containers = [
      { name: 'a', requestBytes: 0n, limitBytes: null, cgroup: 'pod/a' },
      { name: 'b', requestBytes: 128n * MI, limitBytes: 512n * MI, cgroup: 'pod/b' },
      { name: 'c', requestBytes: 1024n * MI, limitBytes: null, cgroup: 'pod/c' },
    ];
    const given = pod('Burstable', 512n, { ...podLevel, containers });
    expect(of(given).filter((line) => line.includes('memory.high'))).toEqual([
      'pod memory.high 1020051456: floor_page(536870912 + 0.9 x (1073741824 - 536870912)) = 1020051456',
      'pod/a memory.high 966365184: floor_page(0 + 0.9 x (1073741824 - 0)) = 966365184 (pod-level limit)',
      'pod/b memory.high 496603136: floor_page(134217728 + 0.9 x (536870912 - 134217728)) = 496603136',
      'pod/c memory.high max: max: request equals limit (1073741824)',
    ]);
    expect(of({ ...given, qosClass: 'Guaranteed' }).filter((line) => line.includes('memory.high '))).toEqual([
      'pod memory.high max: max: a Guaranteed pod is not throttled',
      'pod/a memory.high max: max: a Guaranteed pod is not throttled',
      'pod/b memory.high max: max: a Guaranteed pod is not throttled',
      'pod/c memory.high max: max: a Guaranteed pod is not throttled',
    ]);
  });

  it('pod-level resources without a memory limit do not throttle the pod', () => {
    expect(of(pod('Burstable', 1n, { podLevel: true }))[2]).toBe(
      'pod memory.high max: max: the pod declares no memory limit',
    );
  });

  it('says whose each value is', () => {
    const owners = desiredMemoryQos([pod('Burstable', 1n)], inputs()).map((value) => ({
      level: value.level,
      namespace: value.namespace,
      pod: value.pod,
      uid: value.uid,
      container: value.container,
      qosClass: value.qosClass,
      cgroup: value.cgroup,
      file: value.file,
    }));
    expect(owners).toEqual([
      {
        level: 'node',
        namespace: null,
        pod: null,
        uid: null,
        container: null,
        qosClass: null,
        cgroup: 'kubepods.slice',
        file: 'memory.min',
      },
      {
        level: 'node',
        namespace: null,
        pod: null,
        uid: null,
        container: null,
        qosClass: null,
        cgroup: 'kubepods.slice',
        file: 'memory.low',
      },
      {
        level: 'qos',
        namespace: null,
        pod: null,
        uid: null,
        container: null,
        qosClass: 'Burstable',
        cgroup: 'kubepods.slice/kubepods-burstable.slice',
        file: 'memory.low',
      },
      ...['memory.min', 'memory.low', 'memory.high'].map((file) => ({
        level: 'pod',
        namespace: 'shop',
        pod: 'web',
        uid: 'u',
        container: null,
        qosClass: 'Burstable',
        cgroup: 'pod',
        file,
      })),
      ...['memory.min', 'memory.low', 'memory.high'].map((file) => ({
        level: 'container',
        namespace: 'shop',
        pod: 'web',
        uid: 'u',
        container: 'app',
        qosClass: 'Burstable',
        cgroup: 'pod/app',
        file,
      })),
    ]);
  });
});
