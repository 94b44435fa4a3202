import { describe, expect, it } from 'vitest';
import {
  asTheKernelKeeps,
  compareLimits,
  floorToPage,
  formatLimit,
  greatestLimitBytes,
  kernelDefault,
  MEMORY_FILES,
  parseLimit,
} from '../../cgroup/memory-files.ts';

describe('parseLimit', () => {
  it.each([
    ['0\n', 0n],
    ['0', 0n],
    ['max\n', 'max'],
    ['max', 'max'],
    ['4096\n', 4096n],
    ['9\n', 9n],
    ['123456789012345', 123456789012345n],
    ['123456789012345\n', 123456789012345n],
    ['1234567890123456\n', 1234567890123456n],
    ['9223372036854771712\n', 9223372036854771712n],
    ['18446744073709551615', 18446744073709551615n],
  ])('%j is %s', (text, limit) => {
    expect(parseLimit(text)).toBe(limit);
  });

  it.each([
    '',
    '\n',
    ' ',
    'MAX',
    'maximum',
    'ma',
    'max ',
    '-1',
    '+1',
    ' 1',
    '1 ',
    '1.5',
    '1e3',
    '0x10',
    '1\n2',
    '12a',
    '/',
    ':',
    '9223372036854771712x',
    '1234567890123456\n\n',
    '-234567890123456789',
    'x234567890123456789',
  ])('%j is not known', (text) => {
    expect(parseLimit(text)).toBeUndefined();
  });
});

describe('formatLimit', () => {
  it.each([
    [0n, '0'],
    [4096n, '4096'],
    ['max', 'max'],
    [9223372036854771712n, '9223372036854771712'],
  ] as const)('%s is written %s', (limit, text) => {
    expect(formatLimit(limit)).toBe(text);
  });
});

describe('whole pages', () => {
  it.each([
    [0n, 4096, 0n],
    [4095n, 4096, 0n],
    [4096n, 4096, 4096n],
    [8191n, 4096, 4096n],
    [65535n, 65536, 0n],
    [65537n, 65536, 65536n],
  ])('%s with pages of %s is %s', (bytes, page, floored) => {
    expect(floorToPage(bytes, page)).toBe(floored);
  });

  it('the greatest limit below max depends on the page', () => {
    expect(greatestLimitBytes(4096)).toBe(9223372036854771712n);
    expect(greatestLimitBytes(65536)).toBe(9223372036854710272n);
  });

  it.each([
    [9223372036854771711n, 9223372036854767616n],
    [9223372036854771712n, 'max'],
    [9223372036854775807n, 'max'],
    [18446744073709551614n, 'max'],
    [8191n, 4096n],
  ] as const)('the kernel reads back %s as %s', (bytes, kept) => {
    expect(asTheKernelKeeps(bytes, 4096)).toBe(kept);
  });
});

describe('compareLimits', () => {
  it.each([
    [1n, 1n, 0],
    ['max', 'max', 0],
    [1n, 2n, -1],
    [2n, 1n, 1],
    [1n, 'max', -1],
    ['max', 1n, 1],
  ] as const)('%s against %s is %s', (a, b, order) => {
    expect(compareLimits(a, b)).toBe(order);
  });
});

describe('the files', () => {
  it('are the three that Memory QoS owns, in the order of writing', () => {
    expect(MEMORY_FILES).toEqual(['memory.min', 'memory.low', 'memory.high']);
  });

  it('have the defaults of a new cgroup', () => {
    expect(MEMORY_FILES.map(kernelDefault)).toEqual([0n, 0n, 'max']);
  });
});
