import { describe, expect, it } from 'vitest';
import { taintFault } from '../../../config/taints/taint.ts';

const GOOD = { key: 'example.com/team', value: 'a', effect: 'NoSchedule' };
const NAME =
  'a key is 1 to 63 letters, digits, dashes, underscores and dots, and begins and ends with a letter or digit';
const EFFECTS = 'give NoSchedule, PreferNoSchedule, NoExecute, written like that';

describe('a taint of a Node', () => {
  it.each(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])(
    'of effect %s is one, with a value or without',
    (effect) => {
      expect(taintFault({ ...GOOD, effect })).toBeUndefined();
      expect(taintFault({ ...GOOD, value: '', effect })).toBeUndefined();
    },
  );

  it.each([
    ['without a key', { key: '' }, 'key', `"" is no key of a taint: ${NAME}`],
    ['of a key that is none', { key: 'a b' }, 'key', `"a b" is no key of a taint: ${NAME}`],
    [
      'of a value that is none',
      { value: '-' },
      'value',
      '"-" is no value of a taint: a value is at most 63 letters, digits, dashes, underscores and dots, and begins and ends with a letter or digit',
    ],
    ['without an effect', { effect: '' }, 'effect', `a taint needs an effect; ${EFFECTS}`],
    [
      'T11: of an effect with a letter more',
      { effect: 'NoScheduler' },
      'effect',
      `"NoScheduler" is no effect of a taint; ${EFFECTS}`,
    ],
    [
      'of an effect in other letters',
      { effect: 'noexecute' },
      'effect',
      `"noexecute" is no effect of a taint; ${EFFECTS}`,
    ],
    [
      'with several faults is refused for its key first',
      { key: '', effect: '' },
      'key',
      `"" is no key of a taint: ${NAME}`,
    ],
  ])('%s is refused', (_what, change, field, message) => {
    expect(taintFault({ ...GOOD, ...change })).toEqual({ field, message });
  });
});
