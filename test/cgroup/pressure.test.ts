import { describe, expect, it } from 'vitest';
import { parsePressure } from '../../cgroup/pressure.ts';

const SOME = 'some avg10=1.50 avg60=0.25 avg300=12.00 total=9007199254740993';
const some = { avg10: 1.5, avg60: 0.25, avg300: 12, totalUs: 9007199254740993n };
const FULL = 'full avg10=0.00 avg60=0.00 avg300=0.10 total=7';
const full = { avg10: 0, avg60: 0, avg300: 0.1, totalUs: 7n };

describe('parsePressure', () => {
  it.each([
    ['both lines', `${SOME}\n${FULL}\n`, { some, full }],
    ['no line feed at the end', `${SOME}\n${FULL}`, { some, full }],
    ['cpu before 5.13 has no full', `${SOME}\n`, { some }],
    ['irq has no some', `${FULL}\n`, { full }],
    ['lines in the other order', `${FULL}\n${SOME}\n`, { some, full }],
    ['a line that is not understood', `${SOME} x\n${FULL}\n`, { full }],
  ])('%s', (_name, text, pressure) => {
    expect(parsePressure(text)).toStrictEqual(pressure);
  });

  it.each(['', '\n', 'junk', `x${SOME}`, 'some avg10=1 avg60=0 avg300=0 total=0'])(
    '%j is no pressure information, which is not no pressure',
    (text) => {
      expect(parsePressure(text)).toBeUndefined();
    },
  );
});
