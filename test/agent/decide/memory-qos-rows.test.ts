import { describe, expect, it } from 'vitest';
import { podEntry } from '../../../agent/decide/pod-entry.ts';
import type { PlainRecord, PlainValue } from '../../../config/text/plain-value.ts';
import { container, podOf, sidecar } from '../../fakes/pods.ts';

/** A container by its memory; cpu makes no difference where it is not said. */
function memory(requests: PlainValue | undefined, limits?: PlainValue): PlainValue {
  return container(
    'c',
    requests === undefined ? {} : { memory: requests },
    limits === undefined ? {} : { memory: limits },
  );
}

function only(...containers: readonly PlainValue[]): PlainRecord {
  return { containers: [...containers] };
}

const NOTHING = container('c');
const EQUAL_512 = { memory: '512Mi' };
const GUARANTEED_256 = container('c', { cpu: '100m', memory: '256Mi' }, { cpu: '100m', memory: '256Mi' });
const POD_LEVEL = {
  requests: { cpu: 1, memory: '128Mi' },
  limits: { cpu: 1, memory: '256Mi' },
};

/** Vectors of Memory QoS by their row: the class, what the pod requests of memory, and its limit, in bytes. */
const ROWS: readonly [string, PlainRecord, readonly [string, bigint, bigint | null]][] = [
  ['rows 1 to 4', only(memory('256Mi', '512Mi')), ['Burstable', 268435456n, 536870912n]],
  ['row 5', only(GUARANTEED_256), ['Guaranteed', 268435456n, 268435456n]],
  ['rows 6, 19, 64 and 65', only(NOTHING), ['BestEffort', 0n, null]],
  ['row 7', only(memory('128Mi', '512Mi'), memory('256Mi', '512Mi')), ['Burstable', 402653184n, 1073741824n]],
  ['row 8', only(memory('128Mi', '256Mi')), ['Burstable', 134217728n, 268435456n]],
  ['rows 9 and 18', only(memory('128Mi')), ['Burstable', 134217728n, null]],
  [
    'row 10',
    only(container('c', { cpu: '50m', memory: '64Mi' }, { cpu: '100m', memory: '512Mi' })),
    ['Burstable', 67108864n, 536870912n],
  ],
  [
    'row 11',
    only(container('c', { cpu: '50m', memory: '480Mi' }, { cpu: '100m', memory: '512Mi' })),
    ['Burstable', 503316480n, 536870912n],
  ],
  [
    'row 12',
    only(container('c', { cpu: '50m', ...EQUAL_512 }, { cpu: '100m', ...EQUAL_512 })),
    ['Burstable', 536870912n, 536870912n],
  ],
  [
    'row 13',
    only(container('c', { cpu: '100m', memory: '128Mi' }, { cpu: '200m', memory: '128Mi' })),
    ['Burstable', 134217728n, 134217728n],
  ],
  ['row 14', only(memory('64Mi', '256Mi')), ['Burstable', 67108864n, 268435456n]],
  ['row 15', only(memory('15Mi', '15Mi')), ['Burstable', 15728640n, 15728640n]],
  ['row 16', only(memory('160Mi', '320Mi')), ['Burstable', 167772160n, 335544320n]],
  ['row 17', only(memory('192Mi', '384Mi')), ['Burstable', 201326592n, 402653184n]],
  [
    'row 20',
    only(container('c', { cpu: '100m', memory: '100Mi' }, { cpu: '200m', memory: '200Mi' })),
    ['Burstable', 104857600n, 209715200n],
  ],
  ['row 21', only(memory('100Mi', '200Mi'), memory('100Mi')), ['Burstable', 209715200n, null]],
  [
    'row 22',
    only(container('c', { cpu: '100m', memory: '100Mi' }, { cpu: '100m', memory: '100Mi' })),
    ['Guaranteed', 104857600n, 104857600n],
  ],
  ['row 23', only(memory('400Mi', '512Mi')), ['Burstable', 419430400n, 536870912n]],
  [
    'row 24',
    { ...only(memory('128Mi', '256Mi')), resources: POD_LEVEL, overhead: { memory: '64Mi' } },
    ['Burstable', 201326592n, 335544320n],
  ],
  [
    'row 25',
    { ...only(memory('128Mi', '256Mi')), resources: POD_LEVEL },
    ['Burstable', 134217728n, 268435456n],
  ],
  [
    'row 26',
    { ...only(memory('100Mi')), resources: { limits: { cpu: 2 } } },
    ['Burstable', 104857600n, null],
  ],
  [
    'row 27',
    { ...only(memory('100Mi', '200Mi'), memory('100Mi')), resources: { limits: { cpu: 2 } } },
    ['Burstable', 209715200n, null],
  ],
  ['row 28', only(memory('256Mi', '1Gi')), ['Burstable', 268435456n, 1073741824n]],
  [
    'row 29',
    only(container('c', { cpu: 1, ...EQUAL_512 }, { cpu: 1, ...EQUAL_512 })),
    ['Guaranteed', 536870912n, 536870912n],
  ],
  ['row 30', only(memory('512Mi')), ['Burstable', 536870912n, null]],
  ['row 31', only(memory(undefined, '512Mi')), ['Burstable', 536870912n, 536870912n]],
  ['row 32', only(memory(0, '512Mi')), ['Burstable', 0n, 536870912n]],
  ['row 33', only(container('c', { cpu: '100m' })), ['Burstable', 0n, null]],
  ['row 34', only(container('c', { cpu: 0, memory: 0 }, { cpu: 0, memory: 0 })), ['BestEffort', 0n, null]],
  ['row 35', only(GUARANTEED_256, NOTHING), ['Burstable', 268435456n, null]],
  [
    'row 36',
    {
      initContainers: [container('i', { cpu: 1, memory: '1Gi' }, { cpu: 1, memory: '1Gi' })],
      ...only(GUARANTEED_256),
    },
    ['Guaranteed', 1073741824n, 1073741824n],
  ],
  ['row 37', { initContainers: [container('i')], ...only(GUARANTEED_256) }, ['Burstable', 268435456n, null]],
  [
    'row 38',
    {
      initContainers: [
        sidecar('s', { memory: '64Mi' }, { memory: '128Mi' }),
        container('i', EQUAL_512, EQUAL_512),
      ],
      ...only(memory('128Mi', '256Mi')),
    },
    ['Burstable', 603979776n, 671088640n],
  ],
  [
    'row 39',
    {
      initContainers: [container('i', EQUAL_512), sidecar('s', { memory: '64Mi' })],
      ...only(memory('128Mi')),
    },
    ['Burstable', 536870912n, null],
  ],
  [
    'row 40',
    { ...only(memory('256Mi', '512Mi')), overhead: { memory: '120Mi' } },
    ['Burstable', 394264576n, 662700032n],
  ],
  [
    'row 41',
    { ...only(GUARANTEED_256), overhead: { memory: '120Mi' } },
    ['Guaranteed', 394264576n, 394264576n],
  ],
  // The overhead counts in the pod's own request; the plan gives a BestEffort pod nothing for it.
  ['row 42', { ...only(NOTHING), overhead: { memory: '120Mi' } }, ['BestEffort', 125829120n, null]],
  [
    'row 43',
    {
      ...only(NOTHING, NOTHING),
      resources: { requests: { cpu: 1, memory: '1Gi' }, limits: { cpu: 1, memory: '1Gi' } },
    },
    ['Guaranteed', 1073741824n, 1073741824n],
  ],
  [
    'row 44',
    { ...only(NOTHING), resources: { limits: { cpu: 1, memory: '1Gi' } } },
    ['Guaranteed', 1073741824n, 1073741824n],
  ],
  [
    'row 45',
    { ...only(NOTHING), resources: { requests: EQUAL_512, limits: { memory: '1Gi' } } },
    ['Burstable', 536870912n, 1073741824n],
  ],
  [
    'row 46',
    {
      ...only(container('c', { cpu: 1, memory: '128Mi' }, { cpu: 2, memory: '1Gi' })),
      resources: { requests: EQUAL_512 },
    },
    ['Burstable', 536870912n, 1073741824n],
  ],
  ['row 47', only(memory(100000001, 200000003)), ['Burstable', 100000001n, 200000003n]],
  ['row 48', only(memory('100M', '200M')), ['Burstable', 100000000n, 200000000n]],
  ['row 49', only(memory('100m', '1Mi')), ['Burstable', 1n, 1048576n]],
  ['row 50', only(memory('100Mi', 104859648)), ['Burstable', 104857600n, 104859648n]],
  ['row 51', only(memory('100Mi', 104865792)), ['Burstable', 104857600n, 104865792n]],
  ['row 52', only(memory(0, 4000)), ['Burstable', 0n, 4000n]],
  ['row 53', only(memory('256Mi', '512Mi')), ['Burstable', 268435456n, 536870912n]],
  ['row 54', only(memory('128Mi', '256Mi')), ['Burstable', 134217728n, 268435456n]],
  ['row 55', only(memory('2Gi')), ['Burstable', 2147483648n, null]],
  ['row 56', only(memory('128Mi')), ['Burstable', 134217728n, null]],
  ['row 57', only(memory(0, '45Mi')), ['Burstable', 0n, 47185920n]],
  ['rows 58, 60, 61 and 63', only(memory('500Mi', '1000Mi')), ['Burstable', 524288000n, 1048576000n]],
  ['rows 59 and 62', only(memory('850Mi', '1000Mi')), ['Burstable', 891289600n, 1048576000n]],
  ['row 66', only(memory('256Mi', '256Mi'), NOTHING), ['Burstable', 268435456n, null]],
];

describe('Memory QoS vectors: class, request and limit of the pod', () => {
  it.each(ROWS)('%s', (_, spec, expected) => {
    const { qosClass, memoryRequestBytes, memoryLimitBytes } = podEntry(podOf({ spec }), undefined);
    expect([qosClass, memoryRequestBytes, memoryLimitBytes]).toEqual(expected);
  });
});
