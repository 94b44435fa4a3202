import { describe, expect, it } from 'vitest';
import { conditionsOf, pressureTaints } from '../../../agent/decide/conditions.ts';
import {
  compareAmounts,
  isMet,
  servingOrder,
  thresholdDistance,
  thresholdsMet,
} from '../../../agent/decide/thresholds.ts';
import type { Readings } from '../../../agent/model/node.ts';
import { amountIn } from '../../../config/numbers/percent.ts';
import type { Amount, Signal, Threshold } from '../../../config/signal.ts';
import { GI, MI } from '../../fakes/ranking.ts';

const share = (percent: number): Amount => ({ percentage: Math.fround(Math.fround(percent) / 100) });
const amount = (quantity: bigint): Amount => ({ quantity });

function threshold(signal: Signal, value: Amount, more: Partial<Threshold> = {}): Threshold {
  const type = more.type ?? 'hard';
  const id = `${signal} ${type} ${'quantity' in value ? value.quantity : value.percentage}`;
  return { id, signal, type, value, gracePeriodMs: 0, minReclaim: null, derived: false, ...more };
}

function readings(entries: readonly (readonly [Signal, bigint, bigint])[]): Readings {
  return new Map(
    entries.map(([signal, available, capacity]) => [signal, { available, capacity, source: 'test' }]),
  );
}

const memory = (available: bigint, capacity = 8n * GI): Readings =>
  readings([['memory.available', available, capacity]]);

describe('thresholds met at one look', () => {
  const oneGi = threshold('memory.available', amount(GI), { minReclaim: amount(500n * MI) });
  const fifth = threshold('memory.available', share(20), { minReclaim: share(5) });
  it.each<[string, Threshold, Readings, boolean, boolean]>([
    ['V15: 500Mi of 1Gi', oneGi, memory(500n * MI), false, true],
    ['V15: 2Gi of 1Gi', oneGi, memory(2n * GI), false, false],
    ['V16: 1.05Gi with the minimum reclaim', oneGi, memory(1075n * MI), true, true],
    ['V16: 1.05Gi without it', oneGi, memory(1075n * MI), false, false],
    ['V16: 2Gi with the minimum reclaim', oneGi, memory(2n * GI), true, false],
    ['exactly threshold + minimum reclaim', oneGi, memory(1524n * MI), true, false],
    ['one byte below threshold + minimum reclaim', oneGi, memory(1524n * MI - 1n), true, true],
    ['V17: exactly 100Mi', threshold('memory.available', amount(100n * MI)), memory(100n * MI), false, false],
    ['one byte below', threshold('memory.available', amount(100n * MI)), memory(100n * MI - 1n), false, true],
    ['V18: 225Mi of 1000Mi with 20% and 5%', fifth, memory(225n * MI, 1000n * MI), true, true],
    ['V18: 300Mi of 1000Mi with 20% and 5%', fifth, memory(300n * MI, 1000n * MI), true, false],
    [
      'no minimum reclaim, though it is asked for',
      threshold('memory.available', amount(5n)),
      memory(5n),
      true,
      false,
    ],
    [
      'a negative number of bytes under 0.0%',
      threshold('memory.available', share(0)),
      memory(-1n),
      false,
      true,
    ],
    ['0 bytes under 0.0%', threshold('memory.available', share(0)), memory(0n), false, false],
  ])('%s', (_what, one, seen, ...[withMinReclaim, met]) => {
    expect(thresholdsMet([one], seen, withMinReclaim)).toEqual(met ? [one] : []);
    const reading = seen.get('memory.available');
    expect(reading !== undefined && isMet(one, reading, withMinReclaim)).toBe(met);
  });
  it('counts the minimum reclaim only where it is asked for', () => {
    const seen = { available: 1075n * MI, capacity: 8n * GI, source: 'test' };
    expect([isMet(oneGi, seen), isMet(oneGi, seen, true)]).toEqual([false, true]);
    expect(thresholdsMet([oneGi], memory(1075n * MI))).toEqual([]);
  });
  it('V19: of memory at 10% and disk at 40% only memory is met', () => {
    const low = threshold('memory.available', share(20));
    const disk = threshold('nodefs.available', share(30));
    const seen = readings([
      ['memory.available', 100n * MI, 1000n * MI],
      ['nodefs.available', 400n * GI, 1000n * GI],
    ]);
    expect(thresholdsMet([low, disk], seen)).toEqual([low]);
  });
  it('leaves out a signal that was not observed', () => {
    expect(thresholdsMet([oneGi], new Map())).toEqual([]);
    expect(thresholdsMet([threshold('allocatableMemory.available', amount(GI))], memory(0n))).toEqual([]);
  });
  it.each([
    ['10% of 16Gi', 10, 16n * GI, 1717986944n],
    ['20% of 1000Mi', 20, 1000n * MI, 209715203n],
    ['5% of 1048576', 5, 1048576n, 52428n],
  ])('V20: %s', (_what, percent, capacity, quantity) => {
    expect(amountIn(share(percent), capacity)).toBe(quantity);
    const one = threshold('memory.available', share(percent));
    expect(thresholdsMet([one], memory(quantity, capacity))).toEqual([]);
    expect(thresholdsMet([one], memory(quantity - 1n, capacity))).toEqual([one]);
  });
  it('tells the distance to a threshold', () => {
    expect(thresholdDistance(amount(100n), { available: 130n, capacity: 1000n })).toBe(30n);
    expect(thresholdDistance(share(50), { available: 400n, capacity: 1000n })).toBe(-100n);
  });
});

describe('serving order', () => {
  const sorted = (thresholds: readonly Threshold[]): readonly string[] =>
    thresholds.toSorted(servingOrder).map((one) => `${one.signal} ${one.type}`);
  const hard = (signal: Signal): Threshold => threshold(signal, amount(1n));
  const soft = (signal: Signal): Threshold =>
    threshold(signal, amount(1n), { type: 'soft', gracePeriodMs: 1 });

  it('V27: memory goes before process IDs and disk, and process IDs before disk', () => {
    expect(sorted([hard('nodefs.available'), hard('pid.available'), hard('memory.available')])).toEqual([
      'memory.available hard',
      'pid.available hard',
      'nodefs.available hard',
    ]);
    expect(
      sorted([hard('nodefs.available'), hard('pid.available'), hard('allocatableMemory.available')]),
    ).toEqual(['allocatableMemory.available hard', 'pid.available hard', 'nodefs.available hard']);
  });
  it('puts a hard disk threshold before a soft memory one', () => {
    expect(sorted([soft('memory.available'), hard('nodefs.available')])).toEqual([
      'nodefs.available hard',
      'memory.available soft',
    ]);
  });
  it('goes by signal name within a resource', () => {
    expect(
      sorted([hard('nodefs.inodesFree'), hard('imagefs.available'), hard('containerfs.available')]),
    ).toEqual(['containerfs.available hard', 'imagefs.available hard', 'nodefs.inodesFree hard']);
    expect(sorted([hard('memory.available'), hard('allocatableMemory.available')])).toEqual([
      'allocatableMemory.available hard',
      'memory.available hard',
    ]);
  });
  it('goes by value within a signal, amounts before shares, then by id', () => {
    const values = [share(20), amount(7n), share(10), amount(5n)];
    expect(values.toSorted(compareAmounts)).toEqual([amount(5n), amount(7n), share(10), share(20)]);
    const two = [
      { ...hard('pid.available'), id: 'b' },
      { ...hard('pid.available'), id: 'a' },
    ];
    expect(two.toSorted(servingOrder).map(({ id }) => id)).toEqual(['a', 'b']);
    const byValue = [threshold('pid.available', amount(9n)), threshold('pid.available', amount(10n))];
    expect(byValue.toReversed().toSorted(servingOrder)).toEqual(byValue);
  });
  it('gives equal amounts no order', () => {
    expect(compareAmounts(amount(5n), amount(5n))).toBe(0);
    expect(compareAmounts(share(5), share(5))).toBe(0);
  });
  it('is the order in which met thresholds are given', () => {
    const all = [soft('memory.available'), hard('memory.available')];
    expect(thresholdsMet(all, memory(0n))).toEqual([all[1], all[0]]);
  });
});

describe('conditions', () => {
  it('are each named once, sorted, soft ones too', () => {
    expect(
      conditionsOf([
        threshold('pid.available', amount(1n)),
        threshold('nodefs.available', amount(1n)),
        threshold('imagefs.inodesFree', amount(1n)),
        threshold('memory.available', amount(1n), { type: 'soft' }),
      ]),
    ).toEqual(['DiskPressure', 'MemoryPressure', 'PIDPressure']);
  });
  it('are none where nothing is met', () => {
    expect(conditionsOf([])).toEqual([]);
  });
  it('bring a taint each', () => {
    expect(pressureTaints(['DiskPressure', 'MemoryPressure', 'PIDPressure'])).toEqual([
      { key: 'node.kubernetes.io/disk-pressure', value: '', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/memory-pressure', value: '', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/pid-pressure', value: '', effect: 'NoSchedule' },
    ]);
  });
});
