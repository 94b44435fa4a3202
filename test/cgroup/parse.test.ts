import { describe, expect, it } from 'vitest';
import {
  flatKeyedValue,
  parseCgroupEvents,
  parseCounter,
  parseFlatKeyed,
  parseMemoryEvents,
  parseProcs,
  parseSwapEvents,
  parseSwapFiles,
  workingSetInText,
} from '../../cgroup/parse.ts';

describe('parseFlatKeyed', () => {
  it('takes keys in any order and leaves out what it does not understand', () => {
    const text = 'anon 12\nfile 34\nodd\n key 5\nbad x\nnuma N0=3 N1=4\nnegative -7\nempty \nlast 9';
    expect([...parseFlatKeyed(text)]).toEqual([
      ['anon', 12n],
      ['file', 34n],
      ['negative', 0n],
      ['last', 9n],
    ]);
  });

  it('keeps counters beyond 2^53 exact', () => {
    expect(parseFlatKeyed('pgfault 9007199254740993\n').get('pgfault')).toBe(9007199254740993n);
  });

  it('an empty text has no keys', () => {
    expect(parseFlatKeyed('').size).toBe(0);
  });
});

describe('flatKeyedValue', () => {
  it.each([
    ['inactive_file 5\nx 1\n', 5n],
    ['x 1\ninactive_file 5\n', 5n],
    ['x 1\ninactive_file 5', 5n],
    ['total_inactive_file 7\n', undefined],
    ['x 1\ntotal_inactive_file 7\n', undefined],
    ['x 1\ninactive_file_x 5\n', undefined],
    ['x 1\ninactive_file five\n', undefined],
    ['', undefined],
  ])('inactive_file of %j is %s', (text, value) => {
    expect(flatKeyedValue(text, 'inactive_file')).toBe(value);
  });
});

describe('parseCounter', () => {
  it.each([
    ['5', 5n],
    [' 5\n', 5n],
    ['-5', 0n],
    ['-', undefined],
    ['--5', undefined],
    ['', undefined],
    ['max', undefined],
    ['5x', undefined],
    ['x5', undefined],
    ['-5x', undefined],
  ])('%j is %s', (text, value) => {
    expect(parseCounter(text)).toBe(value);
  });
});

describe('event files', () => {
  it('memory.events, with a counter of a newer kernel', () => {
    const text = 'low 1\nhigh 2\nmax 3\noom 4\noom_kill 5\noom_group_kill 6\nsock_throttled 7\n';
    expect(parseMemoryEvents(text)).toEqual({
      low: 1n,
      high: 2n,
      max: 3n,
      oom: 4n,
      oomKill: 5n,
      oomGroupKill: 6n,
    });
  });

  it('memory.events of an old kernel lacks keys, and they stay absent', () => {
    expect(Object.entries(parseMemoryEvents('low 0\nhigh 2\n'))).toEqual([
      ['low', 0n],
      ['high', 2n],
    ]);
  });

  it('memory.swap.events', () => {
    expect(parseSwapEvents('high 1\nmax 2\nfail 3\n')).toEqual({ high: 1n, max: 2n, fail: 3n });
    expect(Object.keys(parseSwapEvents(''))).toEqual([]);
  });

  it.each([
    ['populated 1\nfrozen 0\n', { populated: true, frozen: false }],
    ['populated 0\nfrozen 1\n', { populated: false, frozen: true }],
    ['populated 1\n', { populated: true }],
    ['', {}],
  ])('cgroup.events %j', (text, events) => {
    expect(parseCgroupEvents(text)).toStrictEqual(events);
  });
});

describe('parseProcs', () => {
  it.each([
    ['', []],
    ['1\n', [1]],
    ['20\n3\n20\n', [3, 20]],
    ['0\n7\n', [7]],
    ['x\n-3\n4 5\n6\n', [6]],
    ['99999999999999999999\n8', [8]],
  ])('%j', (text, pids) => {
    expect(parseProcs(text)).toEqual(pids);
  });
});

describe('parseSwapFiles', () => {
  it('reads what is there', () => {
    const texts = { current: '4096\n', high: 'max\n', max: '0\n', peak: '8192\n' };
    expect(parseSwapFiles(texts)).toStrictEqual({
      currentBytes: 4096n,
      high: 'max',
      max: 0n,
      peakBytes: 8192n,
    });
  });

  it('leaves out files that are missing or empty', () => {
    expect(parseSwapFiles({ current: undefined, high: undefined, max: '', peak: undefined })).toStrictEqual(
      {},
    );
  });
});

describe('workingSetBytes', () => {
  it.each([
    [100n, 'inactive_file 30\n', 70n],
    [100n, 'inactive_file 100\n', 0n],
    [100n, 'inactive_file 101\n', 0n],
    [100n, 'anon 3\n', undefined],
    [100n, undefined, undefined],
    [undefined, 'inactive_file 30\n', undefined],
  ])('%s bytes with %j is %s', (current, stat, bytes) => {
    expect(workingSetInText(current, stat)).toBe(bytes);
  });
});
