import { describe, expect, it } from 'vitest';
import { absoluteAllocatableBytes, statusAllocatableBytes } from '../../cgroup/allocatable.ts';
import { parsePercent } from '../../config/numbers/percent.ts';
import type { Amount, Threshold } from '../../config/signal.ts';
import { HARD_100MI, quantity } from '../fakes/planning.ts';

const GI16 = 17179869184n;

function reservations(kube: string, system: string) {
  return {
    kubeReserved: new Map([['memory', quantity(kube)]]),
    systemReserved: new Map([['memory', quantity(system)]]),
  };
}

function hard(value: Amount): Threshold {
  return { ...HARD_100MI, value };
}

function percent(text: string): Amount {
  const parsed = parsePercent(text);
  return parsed.ok ? { percentage: parsed.value } : { quantity: -1n };
}

describe('allocatable memory', () => {
  it.each([
    ['N1', GI16, '512Mi', '512Mi', HARD_100MI, 16106127360n, 16001269760n],
    ['N2: 5% as a 32-bit float', GI16, '512Mi', '512Mi', hard(percent('5%')), 16106127360n, 15247133888n],
    ['N3: 10% as a 32-bit float', GI16, '512Mi', '512Mi', hard(percent('10%')), 16106127360n, 14388140416n],
    ['N4', 3973447680n, '1.5Gi', '0', HARD_100MI, 2362834944n, 2257977344n],
    [
      'N5: whether pods are enforced changes nothing',
      GI16,
      '512Mi',
      '512Mi',
      HARD_100MI,
      16106127360n,
      16001269760n,
    ],
    ['N6: never below 0', 1073741824n, '600Mi', '600Mi', HARD_100MI, 0n, 0n],
    ['a byte too much set aside', 10n, '11', '0', HARD_100MI, 0n, 0n],
    ['N7', 16671842304n, '0', '0', HARD_100MI, 16671842304n, 16566984704n],
    [
      'a reservation of less than a byte is rounded away',
      1000n,
      '100m',
      '0',
      hard({ quantity: 1n }),
      1000n,
      999n,
    ],
    ['two halves of a byte are a byte', 1000n, '500m', '500m', hard({ quantity: 1n }), 999n, 998n],
  ])('%s', (...[, capacity, kube, system, threshold, absolute, status]) => {
    const reserved = reservations(kube, system);
    expect(absoluteAllocatableBytes(capacity, reserved)).toBe(absolute);
    expect(statusAllocatableBytes(capacity, reserved, [threshold], 0n)).toBe(status);
  });

  const none = { kubeReserved: new Map(), systemReserved: new Map() };

  it('only the hard threshold of memory.available counts, and not its copy', () => {
    const others: Threshold[] = [
      { ...HARD_100MI, type: 'soft', value: { quantity: 500n } },
      { ...HARD_100MI, signal: 'nodefs.available', value: { quantity: 500n } },
      { ...HARD_100MI, derived: true, value: { quantity: 500n } },
    ];
    expect(statusAllocatableBytes(1000n, none, others, 0n)).toBe(1000n);
    expect(statusAllocatableBytes(1000n, none, [...others, hard({ quantity: 7n })], 0n)).toBe(993n);
  });

  it('huge pages are taken off the status, not off what the formula uses', () => {
    expect(statusAllocatableBytes(1000n, none, [], 400n)).toBe(600n);
    expect(statusAllocatableBytes(1000n, none, [], 1001n)).toBe(0n);
    expect(absoluteAllocatableBytes(1000n, none)).toBe(1000n);
  });
});
