import { describe, expect, it } from 'vitest';
import { parseTasks, readProc } from '../../../agent/observe/proc.ts';
import { LiteralTree } from '../../fakes/literal-tree.ts';

const LINE = 'avg10=1.50 avg60=0.20 avg300=0.00 total=12345';
const AVERAGES = { avg10: 1.5, avg60: 0.2, avg300: 0, totalUs: 12345n };

describe('/proc', () => {
  it('tells process limits, tasks and pressure', () => {
    const files = new LiteralTree({
      'proc/loadavg': '0.00 0.01 0.05 3/1414 4711\n',
      'proc/sys/kernel/pid_max': '4194304\n',
      'proc/sys/kernel/threads-max': '125722\n',
      'proc/pressure/memory': `some ${LINE}\nfull ${LINE}\n`,
    });
    expect(readProc(files)).toEqual({
      pidMax: 4194304n,
      threadsMax: 125722n,
      tasks: 1414n,
      memoryPressure: { some: AVERAGES, full: AVERAGES },
    });
  });
  it('leaves out what is not there', () => {
    expect(readProc(new LiteralTree({}))).toEqual({});
  });
  it.each([
    ['PSI that is off: the file opens and does not read', '!EOPNOTSUPP'],
    ['an empty file', ''],
    ['a file with full alone', `full ${LINE}\n`],
  ])('report 39: %s is no pressure information', (_what, text) => {
    expect(readProc(new LiteralTree({ 'proc/pressure/memory': text })).memoryPressure).toBeUndefined();
  });
  it('takes pressure without full', () => {
    const files = new LiteralTree({ 'proc/pressure/memory': `some ${LINE}` });
    expect(readProc(files).memoryPressure).toEqual({ some: AVERAGES });
  });
  it.each([
    ['0.00 0.01 0.05 1/234 5', 234n],
    ['0.00 0.01 0.05 1/234\n', 234n],
    ['0.00 0.01 0.05 234 5', undefined],
    ['0.00 0.01 1/234 5', undefined],
    ['', undefined],
    ['0.00 0.01 0.05 1/x 5', undefined],
    ['0.00 0.01 0.05 1/23x 5', undefined],
  ])('%j has %s tasks', (text, tasks) => {
    expect(parseTasks(text)).toBe(tasks);
  });
});
