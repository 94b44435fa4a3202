import { describe, expect, it } from 'vitest';
import { formatFinding } from '../../config/finding.ts';
import { conditionOf, isSignal, SIGNALS } from '../../config/signal.ts';

describe('signals', () => {
  it('stand for a condition each', () => {
    expect(SIGNALS.map((signal) => `${signal} ${conditionOf(signal)}`)).toEqual([
      'allocatableMemory.available MemoryPressure',
      'containerfs.available DiskPressure',
      'containerfs.inodesFree DiskPressure',
      'imagefs.available DiskPressure',
      'imagefs.inodesFree DiskPressure',
      'memory.available MemoryPressure',
      'nodefs.available DiskPressure',
      'nodefs.inodesFree DiskPressure',
      'pid.available PIDPressure',
    ]);
  });

  it('are nine, and nothing else is one', () => {
    expect(SIGNALS.every(isSignal)).toBe(true);
    expect(['swap.available', 'memory', '', 'Memory.available'].some(isSignal)).toBe(false);
  });
});

describe('formatFinding', () => {
  it('leaves out what is not known', () => {
    const finding = { file: 'f', path: 'a.b', message: 'm' };
    expect(formatFinding({ ...finding, line: 1, column: 2 })).toBe('f:1:2: a.b: m');
    expect(formatFinding({ ...finding, line: 1 })).toBe('f:1: a.b: m');
    expect(formatFinding(finding)).toBe('f: a.b: m');
    expect(formatFinding({ ...finding, path: '' })).toBe('f: m');
  });
});
