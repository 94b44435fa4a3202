import { describe, expect, it } from 'vitest';
import { allocatableCopies, sortThresholds } from '../../../config/eviction/threshold-order.ts';
import {
  readThresholds,
  type ThresholdMaps,
  type ThresholdReading,
} from '../../../config/eviction/thresholds.ts';
import type { Amount, Threshold } from '../../../config/signal.ts';
import { formatPath } from '../../../config/text/place.ts';
import type { PlainValue } from '../../../config/text/plain-value.ts';

const PATHS = { hard: ['hard'], soft: ['soft'], softGracePeriod: ['grace'], minimumReclaim: ['reclaim'] };
const SIGNALS =
  'allocatableMemory.available, containerfs.available, containerfs.inodesFree, imagefs.available, imagefs.inodesFree, memory.available, nodefs.available, nodefs.inodesFree, pid.available';
const MI = 1024n * 1024n;

type Maps = { readonly [K in keyof ThresholdMaps]?: PlainValue };

function read(maps: Maps): ThresholdReading {
  return readThresholds(
    { hard: undefined, soft: undefined, softGracePeriod: undefined, minimumReclaim: undefined, ...maps },
    PATHS,
  );
}

function shown(amount: Amount): string {
  return 'quantity' in amount ? amount.quantity.toString() : amount.percentage.toFixed(4);
}

/** Each threshold as one line: signal, type, value, grace, minimum reclaim, and whether it is a copy. */
function summary(thresholds: readonly Threshold[]): readonly string[] {
  return thresholds.map(({ signal, type, value, gracePeriodMs, minReclaim, derived }) =>
    [
      signal,
      type,
      shown(value),
      gracePeriodMs,
      minReclaim === null ? '-' : shown(minReclaim),
      derived ? 'copy' : '',
    ]
      .join(' ')
      .trim(),
  );
}

function told(faults: ThresholdReading['errors']): readonly string[] {
  return faults.map(({ path, message }) => `${formatPath(path)}: ${message}`);
}

describe('readThresholds', () => {
  it('V1: hard and soft with grace and reclaim, and the copy', () => {
    const { thresholds, errors, warnings } = read({
      hard: { 'memory.available': '150Mi' },
      soft: { 'memory.available': '300Mi' },
      softGracePeriod: { 'memory.available': '30s' },
      minimumReclaim: { 'memory.available': '0' },
    });
    expect(sortThresholds([...thresholds, ...allocatableCopies(thresholds)])).toEqual([
      {
        id: 'allocatableMemory.available hard 150Mi',
        signal: 'allocatableMemory.available',
        type: 'hard',
        value: { quantity: 150n * MI },
        gracePeriodMs: 0,
        minReclaim: { quantity: 0n },
        derived: true,
      },
      {
        id: 'memory.available hard 150Mi',
        signal: 'memory.available',
        type: 'hard',
        value: { quantity: 150n * MI },
        gracePeriodMs: 0,
        minReclaim: { quantity: 0n },
        derived: false,
      },
      {
        id: 'memory.available soft 300Mi',
        signal: 'memory.available',
        type: 'soft',
        value: { quantity: 300n * MI },
        gracePeriodMs: 30_000,
        minReclaim: { quantity: 0n },
        derived: false,
      },
    ]);
    expect([errors, warnings]).toEqual([[], []]);
  });

  it.each<[string, Maps, readonly string[]]>([
    [
      'V2: percentages with a reclaim in percent',
      {
        hard: { 'memory.available': '10%' },
        soft: { 'memory.available': '30%' },
        softGracePeriod: { 'memory.available': '30s' },
        minimumReclaim: { 'memory.available': '5%' },
      },
      ['memory.available hard 0.1000 0 0.0500', 'memory.available soft 0.3000 30000 0.0500'],
    ],
    [
      'V3: disks',
      {
        hard: { 'imagefs.available': '15%', 'nodefs.available': '10.5%' },
        soft: { 'imagefs.available': '30%', 'nodefs.available': '20.5%' },
        softGracePeriod: { 'imagefs.available': '30s', 'nodefs.available': '30s' },
      },
      [
        'imagefs.available hard 0.1500 0 -',
        'nodefs.available hard 0.1050 0 -',
        'imagefs.available soft 0.3000 30000 -',
        'nodefs.available soft 0.2050 30000 -',
      ],
    ],
    [
      'V4: 0% turns off, without a grace too',
      { hard: { 'memory.available': '0%' }, soft: { 'memory.available': '0%' } },
      [],
    ],
    [
      'V5: 100% turns off',
      { hard: { 'memory.available': '100%' }, soft: { 'memory.available': '100%' } },
      [],
    ],
    [
      'fractions are rounded up',
      { hard: { 'memory.available': '1.1Gi' } },
      ['memory.available hard 1181116007 0 -'],
    ],
    [
      'a reclaim above 100%',
      { hard: { 'pid.available': '1k' }, minimumReclaim: { 'pid.available': '150%' } },
      ['pid.available hard 1000 0 1.5000'],
    ],
    [
      'allocatableMemory by hand',
      { hard: { 'allocatableMemory.available': '1Gi' } },
      ['allocatableMemory.available hard 1073741824 0 -'],
    ],
    ['nothing', {}, []],
    [
      'maps of wrong types, which are told of elsewhere',
      { hard: 'nil', soft: [1], softGracePeriod: 3, minimumReclaim: null },
      [],
    ],
    [
      'values of wrong types, which are told of elsewhere',
      { hard: { 'memory.available': 5, 'nodefs.available': true } },
      [],
    ],
  ])('%s', (_name, maps, expected) => {
    const reading = read(maps);
    expect(summary(reading.thresholds)).toEqual(expected);
    expect(told([...reading.errors, ...reading.warnings])).toEqual([]);
  });

  const unsupported = (signal: string): string =>
    `${JSON.stringify(signal)} is not an eviction signal; the signals are ${SIGNALS}`;
  const notPercent = (text: string): string =>
    `${JSON.stringify(text)} is not a percentage; write digits and one percent sign, such as 10% or 2.5%`;
  const notQuantity = (text: string): string =>
    `${JSON.stringify(text)} is not a quantity; write a number such as 512Mi, 1.5Gi, 200m or 1e9`;

  it.each<[string, Maps, readonly string[]]>([
    [
      'V6: an unknown signal',
      { hard: { 'mem.available': '1Gi' } },
      [`hard.mem.available: ${unsupported('mem.available')}`],
    ],
    [
      'V7: a negative amount',
      { hard: { 'memory.available': '-150Mi' } },
      ['hard.memory.available: a threshold must be above 0, and -150Mi is not; to turn it off write "0%"'],
    ],
    [
      'V7: a negative percentage',
      { hard: { 'memory.available': '-15%' } },
      ['hard.memory.available: a threshold must be from 0% to 100%, and -15% is not'],
    ],
    [
      'V7: more than all',
      { hard: { 'memory.available': '150%' } },
      ['hard.memory.available: a threshold must be from 0% to 100%, and 150% is not'],
    ],
    [
      'V8: soft without grace',
      { soft: { 'memory.available': '300Mi' } },
      ['soft.memory.available: a soft threshold needs a grace period; add memory.available to grace'],
    ],
    [
      'V8: a negative grace, told once',
      { soft: { 'memory.available': '300Mi' }, softGracePeriod: { 'memory.available': '-30s' } },
      ['grace.memory.available: the grace period -30s is negative; write 0s or more'],
    ],
    [
      'V8: a negative reclaim',
      { hard: { 'memory.available': '1Gi' }, minimumReclaim: { 'memory.available': '-300Mi' } },
      ['reclaim.memory.available: a minimum reclaim must not be negative, and -300Mi is; for none write "0"'],
    ],
    [
      'V9: one that is good and one that is unknown',
      { hard: { 'memory.available': '150Mi', 'mem.available': '150Mi' } },
      [`hard.mem.available: ${unsupported('mem.available')}`],
    ],
    [
      'V10: 0',
      { hard: { 'memory.available': '0' } },
      ['hard.memory.available: a threshold must be above 0, and 0 is not; to turn it off write "0%"'],
    ],
    [
      'V10: a reclaim of 0%',
      { hard: { 'memory.available': '1Gi' }, minimumReclaim: { 'memory.available': '0%' } },
      [
        'reclaim.memory.available: a minimum reclaim in percent must be above 0%, and 0% is not; for none write "0" or remove it',
      ],
    ],
    [
      'V10: swap.available',
      { hard: { 'swap.available': '1Gi' } },
      [`hard.swap.available: ${unsupported('swap.available')}`],
    ],
    [
      'V11: two percent signs',
      { hard: { 'memory.available': '10%%' } },
      [`hard.memory.available: ${notPercent('10%%')}`],
    ],
    [
      'V12: words',
      { hard: { 'memory.available': 'blah', 'nodefs.available': 'foo%' } },
      [`hard.memory.available: ${notQuantity('blah')}`, `hard.nodefs.available: ${notPercent('foo%')}`],
    ],
    ['an empty text', { hard: { 'memory.available': '' } }, [`hard.memory.available: ${notQuantity('')}`]],
    [
      'null, which is the empty text',
      { hard: { 'memory.available': null } },
      [`hard.memory.available: ${notQuantity('')}`],
    ],
    [
      'a reclaim that is no amount',
      { hard: { 'memory.available': '1Gi' }, minimumReclaim: { 'memory.available': 'x%' } },
      [`reclaim.memory.available: ${notPercent('x%')}`],
    ],
    [
      'a reclaim that is no quantity',
      { hard: { 'memory.available': '1Gi' }, minimumReclaim: { 'memory.available': 'x' } },
      [`reclaim.memory.available: ${notQuantity('x')}`],
    ],
    [
      'a grace without unit',
      { soft: { 'memory.available': '1Gi' }, softGracePeriod: { 'memory.available': '30' } },
      ['grace.memory.available: "30" is not a duration: a unit is missing; units are h, m, s, ms, us and ns'],
    ],
    [
      'unknown signals in the other maps, all at once',
      { softGracePeriod: { a: '1s' }, minimumReclaim: { b: '0' }, soft: { c: '1Gi' } },
      [`grace.a: ${unsupported('a')}`, `reclaim.b: ${unsupported('b')}`, `soft.c: ${unsupported('c')}`],
    ],
  ])('refuses %s', (_name, maps, expected) => {
    expect(told(read(maps).errors)).toEqual(expected);
  });

  it.each<[string, Maps, readonly string[], readonly string[]]>([
    [
      'V11: 0.0% is never met',
      { hard: { 'memory.available': '0.0%' } },
      ['memory.available hard 0.0000 0 -'],
      ['hard.memory.available: 0.0% is a threshold that is never met; to turn it off write "0%"'],
    ],
    [
      'V11: 100.0% is always met',
      { hard: { 'memory.available': '100.0%' } },
      ['memory.available hard 1.0000 0 -'],
      ['hard.memory.available: 100.0% is a threshold that is always met; to turn it off write "100%"'],
    ],
    [
      'soft with a grace of 0s is hard',
      { soft: { 'memory.available': '1Gi' }, softGracePeriod: { 'memory.available': '0s' } },
      ['memory.available hard 1073741824 0 -'],
      [
        'soft.memory.available: a soft threshold with a grace period of 0s acts as a hard one; write it as one or give it a grace period',
      ],
    ],
    [
      'containerfs thresholds are left out',
      {
        hard: { 'containerfs.available': '10%' },
        soft: { 'containerfs.inodesFree': '5%' },
        softGracePeriod: { 'containerfs.inodesFree': '1m' },
      },
      [],
      [
        'hard.containerfs.available: the kubelet sets containerfs thresholds itself and leaves this one out; remove it',
        'soft.containerfs.inodesFree: the kubelet sets containerfs thresholds itself and leaves this one out; remove it',
      ],
    ],
    [
      'entries without a threshold',
      {
        softGracePeriod: { 'memory.available': '1m' },
        minimumReclaim: { 'nodefs.available': '1Gi', 'allocatableMemory.available': '1' },
        hard: { 'memory.available': '1Gi' },
      },
      ['memory.available hard 1073741824 0 -'],
      [
        'grace.memory.available: has no effect: there is no soft threshold for memory.available; add one or remove this',
        'reclaim.nodefs.available: has no effect: there is no threshold for nodefs.available; add one or remove this',
      ],
    ],
    [
      'a reclaim for a soft threshold alone counts',
      {
        soft: { 'memory.available': '1Gi' },
        softGracePeriod: { 'memory.available': '1m' },
        minimumReclaim: { 'memory.available': '1' },
      },
      ['memory.available soft 1073741824 60000 1'],
      [],
    ],
  ])('warns: %s', (_name, maps, thresholds, warnings) => {
    const reading = read(maps);
    expect(summary(reading.thresholds)).toEqual(thresholds);
    expect(told(reading.warnings)).toEqual(warnings);
    expect(reading.errors).toEqual([]);
  });
});

const threshold = (
  signal: Threshold['signal'],
  type: Threshold['type'],
  value: Amount,
  gracePeriodMs = 0,
): Threshold => ({
  id: `${signal} ${type}`,
  signal,
  type,
  value,
  gracePeriodMs,
  minReclaim: null,
  derived: false,
});

describe('the copies on allocatableMemory.available', () => {
  it('V13: are made of hard memory thresholds only', () => {
    const none = [
      threshold('imagefs.available', 'hard', { percentage: 0.1 }),
      threshold('memory.available', 'soft', { quantity: 1n }, 30_000),
    ];
    expect(allocatableCopies(none)).toEqual([]);
  });

  it('V14: are made of every one, with its reclaim', () => {
    const two: readonly Threshold[] = [
      threshold('memory.available', 'hard', { quantity: 150n * MI }),
      {
        ...threshold('memory.available', 'hard', { quantity: 200n * MI }),
        minReclaim: { quantity: 1024n * MI },
      },
    ];
    expect(summary(allocatableCopies(two))).toEqual([
      'allocatableMemory.available hard 157286400 0 - copy',
      'allocatableMemory.available hard 209715200 0 1073741824 copy',
    ]);
  });
});

describe('the order of thresholds', () => {
  it('is by signal, hard before soft, amounts before percentages, size, grace, copies last', () => {
    const sorted: readonly Threshold[] = [
      threshold('allocatableMemory.available', 'hard', { quantity: 1n }),
      { ...threshold('allocatableMemory.available', 'hard', { quantity: 1n }), derived: true },
      threshold('memory.available', 'hard', { quantity: 1n }),
      threshold('memory.available', 'hard', { quantity: 2n }),
      threshold('memory.available', 'hard', { quantity: 9007199254740993n }),
      threshold('memory.available', 'hard', { percentage: 0.1 }),
      threshold('memory.available', 'hard', { percentage: 0.2 }),
      threshold('memory.available', 'soft', { quantity: 1n }, 1000),
      threshold('memory.available', 'soft', { quantity: 1n }, 2000),
      { ...threshold('nodefs.available', 'hard', { quantity: 1n }), id: 'a' },
      { ...threshold('nodefs.available', 'hard', { quantity: 1n }), id: 'b' },
      threshold('pid.available', 'hard', { quantity: 1n }),
    ];
    expect(sortThresholds(sorted.toReversed())).toEqual(sorted);
    expect(sortThresholds(sorted)).toEqual(sorted);
  });
});
