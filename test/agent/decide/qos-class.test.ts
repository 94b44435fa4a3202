import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeQosClass, qosClassInForce } from '../../../agent/decide/qos-class.ts';
import { container, type PodParts, podOf, sidecar } from '../../fakes/pods.ts';

const GUARANTEED = { cpu: '100m', memory: '256Mi' };

describe('the class of a pod', () => {
  const cases: readonly [string, PodParts, string][] = [
    ['no containers', { spec: {} }, 'BestEffort'],
    ['row 6: nothing stated', { spec: { containers: [container('a')] } }, 'BestEffort'],
    [
      'row 34: zeros are nothing',
      { spec: { containers: [container('a', { cpu: 0, memory: '0' }, { cpu: '0m', memory: 0 })] } },
      'BestEffort',
    ],
    [
      'ephemeral storage is nothing',
      {
        spec: {
          containers: [container('a', { 'ephemeral-storage': '2Gi' }, { 'ephemeral-storage': '4Gi' })],
        },
      },
      'BestEffort',
    ],
    [
      'huge pages are nothing',
      { spec: { containers: [container('a', {}, { 'hugepages-2Mi': '2Mi' })] } },
      'BestEffort',
    ],
    [
      'row 5: equal in cpu and memory',
      { spec: { containers: [container('a', GUARANTEED, GUARANTEED)] } },
      'Guaranteed',
    ],
    [
      'limits alone become requests',
      { spec: { containers: [container('a', {}, GUARANTEED)] } },
      'Guaranteed',
    ],
    [
      'amounts are compared, not their texts',
      {
        spec: {
          containers: [container('a', { cpu: '0.5', memory: '1Gi' }, { cpu: '500m', memory: '1024Mi' })],
        },
      },
      'Guaranteed',
    ],
    [
      'row 1: memory request below its limit',
      {
        spec: { containers: [container('a', { memory: '256Mi', cpu: 1 }, { memory: '512Mi', cpu: 1 })] },
      },
      'Burstable',
    ],
    [
      'row 12: equal memory and different cpu',
      {
        spec: {
          containers: [container('a', { memory: '512Mi', cpu: '50m' }, { memory: '512Mi', cpu: '100m' })],
        },
      },
      'Burstable',
    ],
    [
      'row 15: equal memory and no cpu',
      { spec: { containers: [container('a', {}, { memory: '15Mi' })] } },
      'Burstable',
    ],
    ['equal cpu and no memory', { spec: { containers: [container('a', {}, { cpu: '1' })] } }, 'Burstable'],
    ['row 33: a cpu request only', { spec: { containers: [container('a', { cpu: '100m' })] } }, 'Burstable'],
    [
      'row 9: a memory request only',
      { spec: { containers: [container('a', { memory: '128Mi' })] } },
      'Burstable',
    ],
    [
      'row 32: a request of 0 below a limit',
      { spec: { containers: [container('a', { memory: 0 }, { memory: '512Mi' })] } },
      'Burstable',
    ],
    [
      'report 11: cpu 0 is no cpu',
      { spec: { containers: [container('a', { cpu: 0, memory: '50Mi' }, { cpu: 0, memory: '50Mi' })] } },
      'Burstable',
    ],
    [
      'row 35: one container without anything',
      { spec: { containers: [container('a', GUARANTEED, GUARANTEED), container('b')] } },
      'Burstable',
    ],
    [
      'row 36: init container and container both equal',
      {
        spec: {
          initContainers: [container('setup', { cpu: 1, memory: '1Gi' }, { cpu: 1, memory: '1Gi' })],
          containers: [container('a', GUARANTEED, GUARANTEED)],
        },
      },
      'Guaranteed',
    ],
    [
      'row 37, report 10: an init container without limits',
      {
        spec: { initContainers: [container('setup')], containers: [container('a', GUARANTEED, GUARANTEED)] },
      },
      'Burstable',
    ],
    [
      'a sidecar without limits',
      { spec: { initContainers: [sidecar('proxy')], containers: [container('a', GUARANTEED, GUARANTEED)] } },
      'Burstable',
    ],
    [
      'requests of an init container only',
      { spec: { initContainers: [container('setup', { cpu: 1 })], containers: [container('a')] } },
      'Burstable',
    ],
    [
      'an ephemeral container is not looked at',
      {
        spec: {
          containers: [container('a', GUARANTEED, GUARANTEED)],
          ephemeralContainers: [container('debug')],
        },
      },
      'Guaranteed',
    ],
    [
      'overhead is not looked at (row 42)',
      { spec: { overhead: { memory: '120Mi', cpu: '1' }, containers: [container('a')] } },
      'BestEffort',
    ],
    [
      'row 43: the pod states equal amounts, containers nothing',
      {
        spec: {
          resources: { requests: { cpu: 1, memory: '1Gi' }, limits: { cpu: 1, memory: '1Gi' } },
          containers: [container('a'), container('b')],
        },
      },
      'Guaranteed',
    ],
    [
      'row 44: the pod states limits only',
      { spec: { resources: { limits: { cpu: 1, memory: '1Gi' } }, containers: [container('a')] } },
      'Guaranteed',
    ],
    [
      'the pod states equal amounts, containers different ones',
      {
        spec: {
          resources: { limits: { cpu: 1, memory: '200Mi' }, requests: { cpu: 1, memory: '200Mi' } },
          containers: [container('a', { cpu: '500m', memory: '50Mi' }, { cpu: '500m', memory: '100Mi' })],
        },
      },
      'Guaranteed',
    ],
    [
      'row 24: the pod states a request below its limit',
      {
        spec: {
          resources: { requests: { cpu: 1, memory: '128Mi' }, limits: { cpu: 1, memory: '256Mi' } },
          containers: [container('a')],
        },
      },
      'Burstable',
    ],
    [
      'row 45: the pod states memory only',
      {
        spec: {
          resources: { requests: { memory: '512Mi' }, limits: { memory: '1Gi' } },
          containers: [container('a')],
        },
      },
      'Burstable',
    ],
    [
      'the pod states equal memory only, its containers are equal in both',
      { spec: { resources: { limits: { memory: '1Gi' } }, containers: [container('a', { cpu: '1' }, {})] } },
      'Burstable',
    ],
    [
      'row 26: the pod states a cpu limit only',
      { spec: { resources: { limits: { cpu: '2' } }, containers: [container('a', { memory: '100Mi' })] } },
      'Burstable',
    ],
    [
      'the pod states huge pages, its containers are equal in both',
      {
        spec: {
          resources: { limits: { 'hugepages-2Mi': '2Mi' } },
          containers: [container('a', GUARANTEED, GUARANTEED)],
        },
      },
      'Guaranteed',
    ],
    [
      'an empty statement of the pod is none',
      {
        spec: {
          resources: { requests: {}, limits: {} },
          containers: [container('a', GUARANTEED, GUARANTEED)],
        },
      },
      'Guaranteed',
    ],
    [
      'a statement of the pod about ephemeral storage alone is none',
      {
        spec: {
          resources: { requests: { 'ephemeral-storage': '1Gi' } },
          containers: [container('a', GUARANTEED, GUARANTEED)],
        },
      },
      'Guaranteed',
    ],
    [
      'the pod states zeros and its containers nothing',
      { spec: { resources: { requests: { cpu: 0, memory: 0 } }, containers: [container('a')] } },
      'BestEffort',
    ],
  ];
  it.each(cases)('%s', (_, parts, expected) => {
    expect(computeQosClass(podOf(parts))).toBe(expected);
  });

  it('is Guaranteed exactly where every container has equal positive cpu and memory', () => {
    const amount = fc.integer({ min: 0, max: 2 });
    const resources = fc.record({ cpu: amount, memory: amount }, { requiredKeys: [] });
    const one = fc.record({ requests: resources, limits: resources });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 4 }), fc.nat({ max: 4 }), (all, init) => {
        const documents = all.map(({ requests, limits }, at) => container(`c${at}`, requests, limits));
        const pod = podOf({
          spec: { initContainers: documents.slice(0, init), containers: documents.slice(init) },
        });
        const effective = all.map(({ requests, limits }) => ({
          requests: { ...limits, ...requests },
          limits,
        }));
        const amounts = effective.flatMap(({ requests, limits }) =>
          [requests.cpu, requests.memory, limits.cpu, limits.memory].map((value) => value ?? 0),
        );
        const isFull = effective.every(({ limits }) => (limits.cpu ?? 0) > 0 && (limits.memory ?? 0) > 0);
        const sum = (kind: 'requests' | 'limits', resource: 'cpu' | 'memory'): number =>
          effective.reduce((total, { [kind]: own }) => total + (own[resource] ?? 0), 0);
        const isEqual =
          sum('requests', 'cpu') === sum('limits', 'cpu') &&
          sum('requests', 'memory') === sum('limits', 'memory');
        const expected = amounts.every((value) => value === 0)
          ? 'BestEffort'
          : isFull && isEqual
            ? 'Guaranteed'
            : 'Burstable';
        expect(computeQosClass(pod)).toBe(expected);
      }),
    );
  });
});

describe('the class that is in force', () => {
  it('is what the status says', () => {
    const parts = { spec: { containers: [container('a')] }, status: { qosClass: 'Guaranteed' } };
    expect(qosClassInForce(podOf(parts))).toBe('Guaranteed');
  });
  it('is computed where the status says nothing that is a class', () => {
    const parts = { spec: { containers: [container('a')] }, status: { qosClass: 'qosClassValue' } };
    expect(qosClassInForce(podOf(parts))).toBe('BestEffort');
  });
});
