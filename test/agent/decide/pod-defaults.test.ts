import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withDefaults } from '../../../agent/decide/pod-defaults.ts';
import type { Pod, Resources } from '../../../agent/model/pod.ts';
import { formatQuantity } from '../../../config/numbers/quantity.ts';
import type { PlainRecord } from '../../../config/text/plain-value.ts';
import { container, podOf, sidecar } from '../../fakes/pods.ts';

function texts(resources: Resources | undefined): Record<string, string> | undefined {
  return resources === undefined
    ? undefined
    : Object.fromEntries([...resources].map(([name, amount]) => [name, formatQuantity(amount)]));
}

function shown(spec: PlainRecord): unknown {
  const pod = podOf({ spec });
  return {
    containers: pod.containers.map(({ requests, limits }) => [texts(requests), texts(limits)]),
    pod: [texts(pod.podLevel?.requests), texts(pod.podLevel?.limits)],
  };
}

const NONE = [undefined, undefined];

describe('defaulting of a pod', () => {
  const cases: readonly [string, PlainRecord, unknown][] = [
    [
      'a missing request is the limit, resource by resource',
      {
        containers: [
          container(
            'a',
            { cpu: '100m' },
            { cpu: '1', memory: '1Gi', 'ephemeral-storage': '2Gi', 'example.com/x': 3 },
          ),
        ],
      },
      {
        containers: [
          [
            { cpu: '100m', memory: '1Gi', 'ephemeral-storage': '2Gi', 'example.com/x': '3' },
            { cpu: '1', memory: '1Gi', 'ephemeral-storage': '2Gi', 'example.com/x': '3' },
          ],
        ],
        pod: NONE,
      },
    ],
    [
      'a request of 0 is not missing, a limit of 0 is none',
      { containers: [container('a', { memory: 0 }, { memory: '1Gi', cpu: 0 })] },
      { containers: [[{ memory: '0' }, { memory: '1Gi', cpu: '0' }]], pod: NONE },
    ],
    [
      'init containers and sidecars are filled in too',
      { initContainers: [container('i', {}, { memory: 1 }), sidecar('s', {}, { memory: 2 })] },
      {
        containers: [
          [{ memory: '1' }, { memory: '1' }],
          [{ memory: '2' }, { memory: '2' }],
        ],
        pod: NONE,
      },
    ],
    [
      "a pod's missing request is what its containers request together",
      {
        resources: { limits: { memory: '1Gi' } },
        initContainers: [sidecar('s', { memory: '64Mi' })],
        containers: [container('a', { memory: '128Mi' }), container('b', { cpu: '1' })],
      },
      {
        containers: [
          [{ memory: '64Mi' }, {}],
          [{ memory: '128Mi' }, {}],
          [{ cpu: '1' }, {}],
        ],
        pod: [{ memory: '192Mi', cpu: '1' }, { memory: '1Gi' }],
      },
    ],
    [
      "a pod's missing request is its limit where no container requests anything (row 44)",
      { resources: { limits: { cpu: '1', memory: '1Gi' } }, containers: [container('a')] },
      {
        containers: [[{}, {}]],
        pod: [
          { cpu: '1', memory: '1Gi' },
          { cpu: '1', memory: '1Gi' },
        ],
      },
    ],
    [
      "a pod's missing request is 0 where a container requests 0",
      { resources: { limits: { memory: '1Gi' } }, containers: [container('a', { memory: 0 })] },
      { containers: [[{ memory: '0' }, {}]], pod: [{ memory: '0' }, { memory: '1Gi' }] },
    ],
    [
      "a pod's missing limit is the sum of its containers' where all have one (row 46)",
      {
        resources: { requests: { memory: '512Mi' } },
        containers: [container('a', { cpu: 1, memory: '128Mi' }, { cpu: 2, memory: '1Gi' })],
      },
      {
        containers: [
          [
            { cpu: '1', memory: '128Mi' },
            { cpu: '2', memory: '1Gi' },
          ],
        ],
        pod: [
          { memory: '512Mi', cpu: '1' },
          { memory: '1Gi', cpu: '2' },
        ],
      },
    ],
    [
      "a pod's missing limit stays missing where one container has none (row 27)",
      {
        resources: { limits: { cpu: '2' } },
        containers: [
          container('a', { memory: '100Mi' }, { memory: '200Mi' }),
          container('b', { memory: '100Mi' }),
        ],
      },
      {
        containers: [
          [{ memory: '100Mi' }, { memory: '200Mi' }],
          [{ memory: '100Mi' }, {}],
        ],
        pod: [{ cpu: '2', memory: '200Mi' }, { cpu: '2' }],
      },
    ],
    [
      "a pod's missing limit stays missing where an init container has none or 0",
      {
        resources: { limits: { cpu: '2' } },
        initContainers: [container('i', {}, { memory: 0 })],
        containers: [container('a', {}, { memory: '200Mi' })],
      },
      {
        containers: [
          [{}, { memory: '0' }],
          [{ memory: '200Mi' }, { memory: '200Mi' }],
        ],
        pod: [{ cpu: '2', memory: '200Mi' }, { cpu: '2' }],
      },
    ],
    [
      'a limit of 0 of the pod is none: it gives no request, and the containers give it a limit',
      {
        resources: { limits: { memory: 0, cpu: 0 } },
        containers: [container('a', {}, { memory: '200Mi' })],
      },
      {
        containers: [[{ memory: '200Mi' }, { memory: '200Mi' }]],
        pod: [{ memory: '200Mi' }, { memory: '200Mi', cpu: '0' }],
      },
    ],
    [
      'what the pod states stays as it is',
      {
        resources: { requests: { memory: '1Gi', cpu: 0 }, limits: { memory: '2Gi', cpu: 4 } },
        containers: [container('a', { cpu: 1 }, { cpu: 2, memory: '1Gi' })],
      },
      {
        containers: [
          [
            { cpu: '1', memory: '1Gi' },
            { cpu: '2', memory: '1Gi' },
          ],
        ],
        pod: [
          { memory: '1Gi', cpu: '0' },
          { memory: '2Gi', cpu: '4' },
        ],
      },
    ],
    [
      'only resources that may be stated for a pod go to its level; huge pages are among them',
      {
        resources: { limits: { memory: '1Gi' } },
        containers: [container('a', { 'ephemeral-storage': '1Gi' }, { 'hugepages-2Mi': '4Mi' })],
      },
      {
        containers: [[{ 'ephemeral-storage': '1Gi', 'hugepages-2Mi': '4Mi' }, { 'hugepages-2Mi': '4Mi' }]],
        pod: [
          { memory: '1Gi', 'hugepages-2Mi': '4Mi' },
          { memory: '1Gi', 'hugepages-2Mi': '4Mi' },
        ],
      },
    ],
    [
      'a pod that states nothing gets nothing at its level',
      { resources: {}, containers: [container('a', { memory: '1Gi' })] },
      { containers: [[{ memory: '1Gi' }, {}]], pod: NONE },
    ],
  ];
  it.each(cases)('%s', (_, spec, expected) => {
    expect(shown(spec)).toEqual(expected);
  });

  it('does not count requests of an ephemeral container, which a pod that was not read may hold', () => {
    const read = podOf({ spec: { resources: { limits: { memory: '1Gi' } }, containers: [container('a')] } });
    const amount = new Map(read.podLevel?.limits);
    const pod: Pod = {
      ...read,
      podLevel: { requests: new Map(), limits: amount },
      containers: [
        { name: 'debug', type: 'ephemeral', requests: amount, limits: new Map(), terminated: false },
      ],
    };
    expect(texts(withDefaults(pod).podLevel?.requests)).toEqual({ memory: '1Gi' });
  });

  it('changes nothing when it is done twice', () => {
    const amounts = fc.dictionary(
      fc.constantFrom('cpu', 'memory', 'hugepages-2Mi', 'ephemeral-storage'),
      fc.integer({ min: 0, max: 3 }),
    );
    const resources = fc.record({ requests: amounts, limits: amounts });
    fc.assert(
      fc.property(
        resources,
        fc.array(resources, { maxLength: 4 }),
        fc.nat({ max: 4 }),
        (level, all, init) => {
          const documents = all.map(({ requests, limits }, at) => container(`c${at}`, requests, limits));
          const pod = podOf({
            spec: {
              resources: level,
              initContainers: documents.slice(0, init),
              containers: documents.slice(init),
            },
          });
          expect(withDefaults(pod)).toEqual(pod);
        },
      ),
    );
  });
});
