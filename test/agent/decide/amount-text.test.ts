import { describe, expect, it } from 'vitest';
import { amountText, isInBytes, valueText } from '../../../agent/decide/amount-text.ts';

describe('amounts for a person', () => {
  it.each([
    ['memory.available', true, '1Ki'],
    ['allocatableMemory.available', true, '1Ki'],
    ['nodefs.available', true, '1Ki'],
    ['imagefs.available', true, '1Ki'],
    ['containerfs.available', true, '1Ki'],
    ['nodefs.inodesFree', false, '1024'],
    ['imagefs.inodesFree', false, '1024'],
    ['containerfs.inodesFree', false, '1024'],
    ['pid.available', false, '1024'],
  ] as const)('%s is in bytes: %s', (signal, inBytes, text) => {
    expect(isInBytes(signal)).toBe(inBytes);
    expect(amountText(signal, 1024n)).toBe(text);
    expect(valueText(signal, { quantity: 1024n })).toBe(text);
  });
  it('shows a share as it was written, without the noise of its 32 bits', () => {
    expect(valueText('memory.available', { percentage: 0.10499999672174454 })).toBe('10.5%');
    expect(valueText('pid.available', { percentage: 0.10000000149011612 })).toBe('10%');
  });
});
