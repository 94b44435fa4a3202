import { describe, expect, it } from 'vitest';
import {
  isKept,
  type Kept,
  PROPERTIES_OF_INTEREST,
  unitChange,
} from '../../../cgroup/units/unit-properties.ts';

const INFINITY = 18446744073709551615n;
const MIB = 1_048_576n;

/** What systemd keeps for a unit that nobody has set anything of. */
const NOTHING_SET: Kept = new Map<string, bigint | string>([
  ['MemoryMin', 0n],
  ['MemoryLow', 0n],
  ['MemoryHigh', INFINITY],
  ['MemoryMax', INFINITY],
  ['MemorySwapMax', INFINITY],
]);
const NEW_CGROUP = {
  'memory.min': '0\n',
  'memory.low': '0\n',
  'memory.high': 'max\n',
  'memory.max': 'max\n',
  'memory.swap.max': 'max\n',
  'memory.oom.group': '0\n',
};
const HIGH = { file: 'memory.high', limit: 64n * MIB, pageSizeBytes: 4096 } as const;
const SET_HIGH = { name: 'MemoryHigh', value: 64n * MIB };

function keeping(...kept: readonly (readonly [string, bigint | string])[]): Kept {
  return new Map([...NOTHING_SET, ...kept]);
}

it('asks for the properties of the files that systemd writes together', () => {
  expect(PROPERTIES_OF_INTEREST).toEqual([
    'MemoryMin',
    'MemoryLow',
    'MemoryHigh',
    'MemoryMax',
    'MemorySwapMax',
    'MemoryZSwapMax',
    'OOMPolicy',
  ]);
});

describe('what one call has to set', () => {
  it.each([
    ['memory.min', 4096n, { name: 'MemoryMin', value: 4096n }],
    ['memory.low', 0n, { name: 'MemoryLow', value: 0n }],
    ['memory.high', 'max', { name: 'MemoryHigh', value: INFINITY }],
    ['memory.min', 'max', { name: 'MemoryMin', value: INFINITY }],
  ] as const)(
    'is the property of %s alone where the files read what systemd keeps (%s)',
    (file, limit, set) => {
      expect(unitChange({ file, limit, pageSizeBytes: 4096 }, NEW_CGROUP, NOTHING_SET)).toEqual({
        kind: 'set',
        properties: [set],
      });
    },
  );

  it('is also what somebody wrote to min, low and high directly, which the call would undo', () => {
    const files = { ...NEW_CGROUP, 'memory.min': '8388608\n', 'memory.low': '16777216\n' };
    expect(unitChange(HIGH, files, NOTHING_SET)).toEqual({
      kind: 'set',
      properties: [{ name: 'MemoryMin', value: 8n * MIB }, { name: 'MemoryLow', value: 16n * MIB }, SET_HIGH],
    });
    const min = { file: 'memory.min', limit: 0n, pageSizeBytes: 4096 } as const;
    expect(unitChange(min, { ...NEW_CGROUP, 'memory.high': '4096\n' }, NOTHING_SET)).toEqual({
      kind: 'set',
      properties: [
        { name: 'MemoryMin', value: 0n },
        { name: 'MemoryHigh', value: 4096n },
      ],
    });
  });

  it('leaves alone what systemd keeps to the byte and the kernel to the page', () => {
    const files = { ...NEW_CGROUP, 'memory.min': '8388608\n', 'memory.max': '128999424\n' };
    const kept = keeping(['MemoryMin', 8n * MIB + 4095n], ['MemoryMax', 129_000_000n]);
    expect(unitChange(HIGH, files, kept)).toEqual({ kind: 'set', properties: [SET_HIGH] });
    expect(
      unitChange(HIGH, files, keeping(['MemoryMin', 8n * MIB + 4096n], ['MemoryMax', 129_000_000n])),
    ).toEqual({
      kind: 'set',
      properties: [{ name: 'MemoryMin', value: 8n * MIB }, SET_HIGH],
    });
  });

  it('leaves alone a file that is not there or is no limit', () => {
    const files = { 'memory.min': 'nothing\n', 'memory.high': 'max\n' };
    expect(unitChange(HIGH, files, NOTHING_SET)).toEqual({ kind: 'set', properties: [SET_HIGH] });
  });

  it('sets a property that systemd does not tell, since the call would write it', () => {
    const files = { ...NEW_CGROUP, 'memory.min': '4096\n' };
    expect(unitChange(HIGH, files, new Map())).toEqual({
      kind: 'set',
      properties: [{ name: 'MemoryMin', value: 4096n }, { name: 'MemoryLow', value: 0n }, SET_HIGH],
    });
  });
});

describe('no call does it where systemd would change', () => {
  it.each([
    { file: 'memory.max', reads: '157286400', kept: 'max' },
    { file: 'memory.swap.max', reads: '0', kept: 'max' },
    { file: 'memory.oom.group', reads: '1', kept: '0' },
  ] as const)('$file that reads $reads', ({ file, reads, kept }) => {
    expect(unitChange(HIGH, { ...NEW_CGROUP, [file]: `${reads}\n` }, NOTHING_SET)).toEqual({
      kind: 'would-change',
      file,
      reads,
      kept,
    });
  });

  it('memory.max that systemd keeps, by a page', () => {
    const kept = keeping(['MemoryMax', 8192n]);
    const files = (text: string) => ({ ...NEW_CGROUP, 'memory.max': text });
    const change = { kind: 'would-change', file: 'memory.max', kept: '8192' };
    expect(unitChange(HIGH, files('4096\n'), kept)).toEqual({ ...change, reads: '4096' });
    expect(unitChange(HIGH, files('8192\n'), kept).kind).toBe('set');
    expect(unitChange(HIGH, files('12288\n'), kept)).toEqual({ ...change, reads: '12288' });
    expect(unitChange(HIGH, files('odd\n'), kept)).toEqual({ ...change, reads: 'odd' });
  });

  it('memory.zswap.max of a systemd that has it', () => {
    const files = { ...NEW_CGROUP, 'memory.zswap.max': '4096\n' };
    expect(unitChange(HIGH, files, NOTHING_SET).kind).toBe('set');
    expect(unitChange(HIGH, files, keeping(['MemoryZSwapMax', 4096n])).kind).toBe('set');
    expect(unitChange(HIGH, files, keeping(['MemoryZSwapMax', INFINITY]))).toEqual({
      kind: 'would-change',
      file: 'memory.zswap.max',
      reads: '4096',
      kept: 'max',
    });
  });

  it('memory.oom.group, which is 1 for units that end as a whole', () => {
    const kept = keeping(['OOMPolicy', 'kill']);
    const files = (text: string) => ({ ...NEW_CGROUP, 'memory.oom.group': text });
    expect(unitChange(HIGH, files('1\n'), kept).kind).toBe('set');
    expect(unitChange(HIGH, files('0\n'), kept)).toMatchObject({
      kind: 'would-change',
      reads: '0',
      kept: '1',
    });
    expect(unitChange(HIGH, files('0\n'), keeping(['OOMPolicy', 'continue'])).kind).toBe('set');
  });
});

it('knows what systemd keeps already', () => {
  const kept = keeping(['MemoryHigh', 64n * MIB]);
  expect(isKept(HIGH, kept)).toBe(true);
  expect(isKept({ ...HIGH, limit: 'max' }, kept)).toBe(false);
  expect(isKept({ ...HIGH, limit: 'max' }, NOTHING_SET)).toBe(true);
  expect(isKept({ ...HIGH, file: 'memory.low' }, kept)).toBe(false);
});
