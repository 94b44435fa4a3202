import { describe, expect, it } from 'vitest';
import { type Change, inWriteOrder } from '../../cgroup/write-order.ts';

function change(text: string): Change {
  const [cgroup = '', file = '', from = '', to = ''] = text.split(' ');
  const limit = (word: string) => (word === 'max' ? 'max' : BigInt(word));
  const name = `memory.${file}`;
  if (name !== 'memory.min' && name !== 'memory.low' && name !== 'memory.high') {
    throw new Error(text);
  }
  return { cgroup: cgroup === '-' ? null : cgroup, file: name, from: limit(from), to: limit(to) };
}

describe('inWriteOrder', () => {
  it.each([
    [
      'raises go parents first, whatever the path says, then memory.high, then lowerings children first',
      [
        'k/a low 9 1',
        'k min 9 1',
        'k/a/c min 9 1',
        'z high 9 1',
        'k/a/c low 1 9',
        'k/a high 1 9',
        'k/a/c high max 5',
        'z min 1 9',
        'k low 1 9',
      ],
      [
        'k low 1 9',
        'z min 1 9',
        'k/a/c low 1 9',
        'k/a high 1 9',
        'k/a/c high max 5',
        'z high 9 1',
        'k/a/c min 9 1',
        'k/a low 9 1',
        'k min 9 1',
      ],
    ],
    [
      'the same depth goes by path bytewise, in both directions',
      ['k/b min 0 1', 'k/a min 0 1', 'k/Z min 0 1', 'k/b low 1 0', 'k/a low 1 0', 'k/Z low 1 0'],
      ['k/Z min 0 1', 'k/a min 0 1', 'k/b min 0 1', 'k/Z low 1 0', 'k/a low 1 0', 'k/b low 1 0'],
    ],
    [
      'one cgroup goes min, low, high',
      ['k high max 1', 'k low 0 1', 'k min 0 1'],
      ['k min 0 1', 'k low 0 1', 'k high max 1'],
    ],
    ['what stays sorts as if it were raised', ['k/a min 5 4', 'k/a low 5 5'], ['k/a low 5 5', 'k/a min 5 4']],
    ['max is above every number', ['k/a min max 1', 'k/a low 1 max'], ['k/a low 1 max', 'k/a min max 1']],
    [
      'memory.high goes by path and not by depth',
      ['k/b high max 1', 'k/a/c high max 1', 'k/a high 1 max'],
      ['k/a high 1 max', 'k/a/c high max 1', 'k/b high max 1'],
    ],
    [
      'an unknown cgroup is last in its phase',
      ['- min 1 0', 'k min 1 0', '- high max 1', 'k/a/b/c high max 1', '- min 0 1', 'k/a/b/c min 0 1'],
      ['k/a/b/c min 0 1', '- min 0 1', 'k/a/b/c high max 1', '- high max 1', 'k min 1 0', '- min 1 0'],
    ],
    ['nothing', [], []],
  ])('%s', (_name, given, ordered) => {
    expect(inWriteOrder(given, change)).toEqual(ordered);
    expect(inWriteOrder([...given].reverse(), change)).toEqual(ordered);
  });

  it('keeps the order of what is equal', () => {
    const items = [
      { id: 1, change: change('- min 0 1') },
      { id: 2, change: change('- min 0 1') },
      { id: 3, change: change('- low 0 1') },
    ];
    expect(inWriteOrder(items, (item) => item.change).map(({ id }) => id)).toEqual([1, 2, 3]);
  });
});
