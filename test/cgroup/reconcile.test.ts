import { describe, expect, it } from 'vitest';
import type { MemoryFile } from '../../cgroup/memory-files.ts';
import type { PlanEntry } from '../../cgroup/plan.ts';
import { type ReconcileLimits, writesOfTick } from '../../cgroup/reconcile.ts';

function entry(text: string): PlanEntry {
  const [cgroup = '', word = ''] = text.split(' ');
  const file = `memory.${word}` as MemoryFile;
  return {
    level: 'pod',
    namespace: null,
    pod: null,
    uid: null,
    container: null,
    qosClass: null,
    cgroup: cgroup === '-' ? null : cgroup,
    file,
    current: '0',
    desired: '4096',
    action: 'write',
    reason: '',
  };
}

const DIFFERING = ['k min', 'k/a min', '- min', 'k/a high', 'k/b high', 'k/b low', 'k low'].map(entry);
const NONE: ReadonlySet<string> = new Set();

function chosen(limits: Partial<ReconcileLimits>): readonly string[] {
  return writesOfTick(DIFFERING, {
    leftAlone: NONE,
    putOff: NONE,
    inFlight: NONE,
    budget: 64,
    ...limits,
  }).map(({ cgroup, file }) => `${cgroup} ${file.slice('memory.'.length)}`);
}

const ALL = ['k min', 'k/a min', 'k/a high', 'k/b high', 'k/b low', 'k low'];

describe('what is written in one tick', () => {
  it.each<[string, Partial<ReconcileLimits>, readonly string[]]>([
    ['all that differ, as they come, but for those whose cgroup is not known', {}, ALL],
    ['no more than there may be', { budget: 3 }, ALL.slice(0, 3)],
    ['nothing with nothing allowed', { budget: 0 }, []],
    ['all of them at once where nothing bounds it', { budget: Number.POSITIVE_INFINITY }, ALL],
    [
      'not what is left alone',
      { leftAlone: new Set(['k/a/memory.min', 'k/memory.low']) },
      ['k min', ...ALL.slice(2, 5)],
    ],
    [
      'not what failed a while ago',
      { putOff: new Set(['k/b/memory.high']) },
      [...ALL.slice(0, 3), 'k/b low', 'k low'],
    ],
    [
      'not what is being written',
      { inFlight: new Set(['k/a/memory.high']) },
      [...ALL.slice(0, 2), ...ALL.slice(3)],
    ],
    [
      'no min or low after one that is being written, while memory.high goes on',
      { inFlight: new Set(['k/memory.min']) },
      ['k/a high', 'k/b high'],
    ],
    [
      'what is passed over does not count as written',
      { budget: 1, leftAlone: new Set(['k/memory.min']), putOff: new Set(['k/a/memory.min']) },
      ['k/a high'],
    ],
    ['a lowering waits for the one before it', { inFlight: new Set(['k/b/memory.low']) }, ALL.slice(0, 4)],
  ])('%s', (_, limits, expected) => {
    expect(chosen(limits)).toEqual(expected);
  });

  it('gives the entries themselves', () => {
    const [first] = writesOfTick(DIFFERING, { leftAlone: NONE, putOff: NONE, inFlight: NONE, budget: 1 });
    expect(first).toBe(DIFFERING[0]);
  });
});
