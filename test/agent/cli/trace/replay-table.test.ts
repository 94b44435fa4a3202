import { describe, expect, it } from 'vitest';
import { ComparisonTable, ReplayTable } from '../../../../agent/cli/trace/replay-table.ts';
import type { ReplayedEviction, ReplayedLook } from '../../../../agent/whatif/replay.ts';

const SHORT = { signal: 'memory.available', type: 'hard', value: { quantity: 104857600n } } as const;
const WEB: ReplayedEviction = {
  namespace: 'shop',
  name: 'web',
  uid: null,
  signal: 'memory.available',
  type: 'hard',
  gracePeriodSeconds: 1,
};

function look(atMs: number, parts: Partial<ReplayedLook> = {}): ReplayedLook {
  return { atMs, conditions: [], thresholdsMet: [], evict: null, ...parts };
}

function tableOf(looks: readonly ReplayedLook[], columns = 100): readonly string[] {
  const table = new ReplayTable();
  for (const one of looks) table.add(one);
  return table.text(columns).split('\n');
}

describe('the table of a replay', () => {
  it('says in words that nothing came of a trace', () => {
    expect(tableOf([look(7)])).toEqual([
      'No threshold was past its grace at any time.',
      '1 observation over 0s: 0 evictions.',
      '',
    ]);
  });

  it('has a row for each change, counted from the first observation', () => {
    const short = { conditions: ['MemoryPressure'], thresholdsMet: [SHORT] } as const;
    expect(
      tableOf([
        look(1_000),
        look(2_500, { conditions: ['DiskPressure', 'MemoryPressure'] }),
        look(61_000, { ...short, evict: WEB }),
        look(62_000, { ...short, evict: WEB }),
        look(63_000, short),
        look(64_000, short),
        look(65_000),
      ]),
    ).toEqual([
      'AT    PRESSURE      THRESHOLDS                   EVICTED',
      '1.5s  Disk, Memory  -                            -',
      '1m0s  Memory        memory.available hard 100Mi  shop/web (hard, 1 s)',
      '1m2s  Memory        memory.available hard 100Mi  -',
      '1m4s  -             -                            -',
      '',
      '7 observations over 1m4s: 2 evictions.',
      '',
    ]);
  });

  it.each<[string, Partial<ReplayedLook>, string]>([
    [
      'the signal where several are short',
      {
        thresholdsMet: [
          SHORT,
          { ...SHORT, type: 'soft', value: { percentage: 0.10000000149011612 } },
          { signal: 'pid.available', type: 'hard', value: { quantity: 2048n } },
        ],
        evict: WEB,
      },
      '0s  -         memory.available hard 100Mi, soft 10%, pid.available hard 2048  shop/web (memory.available hard, 1 s)',
    ],
    [
      'the limit of local storage, and all who go for it',
      { evict: { ...WEB, signal: 'emptydirfs.limit' }, alsoEvict: [{ ...WEB, name: 'db' }] },
      '0s  -         -           shop/web (emptydirfs.limit, 1 s), shop/db (memory.available hard, 1 s)',
    ],
    [
      'a name that cannot move the cursor',
      { thresholdsMet: [SHORT], evict: { ...WEB, name: 'a\u001b[2J\nb' } },
      '0s  -         memory.available hard 100Mi  shop/a\\u001b[2J\\u000ab (hard, 1 s)',
    ],
  ])('has %s', (_, parts, row) => {
    expect(tableOf([look(0, parts)], 200)[1]).toBe(row);
  });

  it('has as many rows as a person reads, and says how many are left out', () => {
    const flapping = (count: number): readonly ReplayedLook[] =>
      Array.from({ length: count }, (_, index) =>
        look(index, index % 2 === 0 ? { conditions: ['PIDPressure'] } : {}),
      );
    expect(tableOf(flapping(500)).slice(-4)).toEqual([
      '499ms  -         -           -',
      '',
      '500 observations over 499ms: 0 evictions.',
      '',
    ]);
    expect(tableOf(flapping(501)).slice(-4)).toEqual([
      '... and 1 more change; -o jsonl has them all',
      '',
      '501 observations over 500ms: 0 evictions.',
      '',
    ]);
    expect(tableOf(flapping(502)).at(-4)).toBe('... and 2 more changes; -o jsonl has them all');
  });
});

describe('the table of a comparison', () => {
  function comparedOf(looks: readonly (readonly [ReplayedLook, ReplayedLook])[]): readonly string[] {
    const table = new ComparisonTable({ a: 'now.yaml', b: 'new.yaml' });
    for (const [a, b] of looks) table.add(a, b);
    return table.text(100).split('\n');
  }

  it('says in words that both lead to the same', () => {
    expect(comparedOf([[look(5, { evict: WEB }), look(5, { evict: WEB })]])).toEqual([
      'A is now.yaml, B is new.yaml.',
      '1 observation over 0s: both lead to the same.',
      'A: 1 eviction, B: 1 eviction.',
      '',
    ]);
  });

  it('has both sides where they part otherwise than before, and nothing where they agree', () => {
    const short = { conditions: ['MemoryPressure'], thresholdsMet: [SHORT] } as const;
    expect(
      comparedOf([
        [look(0), look(0)],
        [look(1_000, short), look(1_000)],
        [look(2_000, short), look(2_000)],
        [look(3_000, short), look(3_000, { ...short, evict: WEB })],
        [look(4_000, short), look(4_000, short)],
        [look(5_000, short), look(5_000)],
      ]),
    ).toEqual([
      'A is now.yaml, B is new.yaml.',
      '',
      'AT     PRESSURE  THRESHOLDS                   EVICTED',
      '1s  A  Memory    memory.available hard 100Mi  -',
      '    B  -         -                            -',
      '3s  A  Memory    memory.available hard 100Mi  -',
      '    B  Memory    memory.available hard 100Mi  shop/web (hard, 1 s)',
      '5s  A  Memory    memory.available hard 100Mi  -',
      '    B  -         -                            -',
      '',
      '6 observations over 5s: they part at 4.',
      'A: 0 evictions, B: 1 eviction.',
      '',
    ]);
  });
});
