import { describe, expect, it } from 'vitest';
import type { JournalFailure, LimitWrite, WriteResult } from '../../cgroup/apply.ts';
import {
  allowance,
  type BackOff,
  isRefusal,
  NO_BACK_OFF,
  noteOutcome,
  placesPutOff,
} from '../../cgroup/back-off.ts';

const WRITE: LimitWrite = { cgroup: 'k', file: 'memory.min', desired: '4096' };

function failed(cgroup: string, code: string, desired = '4096'): WriteResult<LimitWrite> {
  return {
    write: { ...WRITE, cgroup, desired },
    outcome: 'failed',
    error: `${cgroup} says ${code}`,
    code,
  };
}

function ended(cgroup: string, outcome: 'written' | 'vanished'): WriteResult<LimitWrite> {
  return { write: { ...WRITE, cgroup }, outcome, error: null };
}

type Step = [nowMs: number, results: readonly WriteResult<LimitWrite>[], journal?: 'kept' | JournalFailure];

/** The state after the steps, and how many results of each were news. */
function after(...steps: readonly Step[]): { readonly backOff: BackOff; readonly news: readonly number[] } {
  let backOff = NO_BACK_OFF;
  const news: number[] = [];
  for (const [nowMs, results, journal] of steps) {
    const noted = noteOutcome(backOff, { results, journal }, nowMs);
    backOff = noted.backOff;
    news.push(noted.news.length);
  }
  return { backOff, news };
}

const NO_SPACE: JournalFailure = { code: 'ENOSPC', message: 'no space left' };
const NOT_KEPT = 'nothing is written, since the old values cannot be kept: no space left';

describe('a place that could not be written', () => {
  it('waits five seconds, then twice as long each time, up to five minutes', () => {
    const waits: number[] = [];
    let backOff = NO_BACK_OFF;
    let nowMs = 1000;
    for (let failures = 0; failures < 8; failures += 1) {
      backOff = noteOutcome(backOff, { results: [failed('k', 'EBUSY')], journal: 'kept' }, nowMs).backOff;
      const { untilMs = 0 } = backOff.places.get('k/memory.min') ?? {};
      waits.push(untilMs - nowMs);
      expect(placesPutOff(backOff, untilMs - 1)).toEqual(new Set(['k/memory.min']));
      expect(placesPutOff(backOff, untilMs)).toEqual(new Set());
      nowMs = untilMs;
    }
    expect(waits).toEqual([5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  });

  it('is told once, and again when it is another failure or another value', () => {
    const { news } = after(
      [0, [failed('k', 'EBUSY')]],
      [9000, [failed('k', 'EBUSY')]],
      [90_000, [failed('k', 'EINVAL')]],
      [190_000, [failed('k', 'EINVAL', '8192')]],
      [290_000, [failed('k', 'EINVAL', '8192')]],
    );
    expect(news).toEqual([1, 0, 1, 1, 0]);
  });

  it.each(['written', 'vanished'] as const)('waits no more once it is %s, which is news', (outcome) => {
    const { backOff, news } = after([0, [failed('k', 'EBUSY')]], [9000, [ended('k', outcome)]]);
    expect(backOff).toEqual(NO_BACK_OFF);
    expect(news).toEqual([1, 1]);
  });

  it('is forgotten when its wait ended five minutes ago and it was not tried again', () => {
    const start: Step = [0, [failed('k', 'EBUSY')]];
    expect(after(start, [304_999, []]).backOff.places.size).toBe(1);
    expect(after(start, [305_000, []]).backOff.places.size).toBe(0);
  });

  it('does not keep others from being written when the value was what the system did not like', () => {
    const codes = ['EINVAL', 'EBUSY', 'EREADBACK', 'EIO'];
    const { backOff } = after([0, codes.map((code, index) => failed(`k${index}`, code))]);
    expect(backOff.obstacle).toBeUndefined();
    expect(backOff.places.size).toBe(4);
    expect(allowance(backOff, 64, 1)).toBe(64);
  });
});

describe('a tree that cannot be written', () => {
  const refused = (count: number, from = 0): readonly WriteResult<LimitWrite>[] =>
    Array.from({ length: count }, (_, index) => failed(`k${from + index}`, 'EROFS'));

  it('is what three refusals in a row mean, in one batch or in several', () => {
    const obstacle = { part: 'cgroups', sentence: 'k2 says EROFS', untilMs: 5007, forMs: 5000 };
    expect(after([7, refused(2)]).backOff.obstacle).toBeUndefined();
    expect(after([7, refused(3)]).backOff.obstacle).toEqual(obstacle);
    const several = after([1, refused(1)], [2, refused(1, 1)], [7, refused(1, 2)]);
    expect(several.backOff.obstacle).toEqual(obstacle);
    expect(several.news).toEqual([1, 1, 1]);
  });

  it.each(['EROFS', 'EACCES', 'EPERM'])('counts %s as a refusal', (code) => {
    expect(isRefusal(failed('k', code))).toBe(true);
    expect(after([0, ['a', 'b', 'c'].map((cgroup) => failed(cgroup, code))]).backOff.obstacle).toBeDefined();
  });

  it('is no refusal that a write went well, or failed otherwise', () => {
    expect(isRefusal(failed('k', 'EBUSY'))).toBe(false);
    expect(isRefusal({ ...ended('k', 'vanished'), code: 'EROFS' })).toBe(false);
  });

  it('does not mean it when one was written in between; a cgroup that is gone says nothing', () => {
    const [first, second, third] = refused(3);
    const rows = (between: WriteResult<LimitWrite>) =>
      after([0, [first, second, between, third].filter((result) => result !== undefined)]).backOff;
    expect(rows(ended('x', 'written'))).toMatchObject({ obstacle: undefined, refusalsInARow: 1 });
    expect(rows(ended('x', 'vanished'))).toMatchObject({ obstacle: { part: 'cgroups' }, refusalsInARow: 3 });
  });

  it('is tried with one write after the wait, waits twice as long, and says the same', () => {
    const first = after([0, refused(3)]);
    expect(allowance(first.backOff, 64, 4999)).toBe(0);
    expect(allowance(first.backOff, 64, 5000)).toBe(1);
    expect(allowance(first.backOff, 0, 5000)).toBe(0);
    const second = after([0, refused(3)], [5000, refused(1, 3)]);
    expect(second.news).toEqual([3, 0]);
    expect(second.backOff.obstacle).toEqual({
      part: 'cgroups',
      sentence: 'k2 says EROFS',
      untilMs: 15_000,
      forMs: 10_000,
    });
  });

  it('does not wait longer for refusals that come while it waits', () => {
    const { backOff } = after([0, refused(9)], [4999, refused(2, 9)]);
    expect(backOff.obstacle).toMatchObject({ sentence: 'k2 says EROFS', untilMs: 5000, forMs: 5000 });
  });

  it('can be written again with the first write that works', () => {
    const { backOff, news } = after([0, refused(3)], [5000, [ended('k0', 'written')]]);
    expect(backOff).toMatchObject({ obstacle: undefined, refusalsInARow: 0 });
    expect(allowance(backOff, 64, 5000)).toBe(64);
    expect(news).toEqual([3, 1]);
  });
});

describe('a journal that cannot be kept', () => {
  it('waits, and says why', () => {
    const { backOff } = after([0, [], NO_SPACE]);
    expect(backOff.obstacle).toEqual({ part: 'journal', sentence: NOT_KEPT, untilMs: 5000, forMs: 5000 });
    expect(allowance(backOff, 64, 4999)).toBe(0);
    expect(allowance(backOff, 64, 5000)).toBe(1);
  });

  it('waits twice as long the next time, with what it says then', () => {
    const readOnly = { code: 'EROFS', message: 'read-only' };
    expect(after([0, [], NO_SPACE], [5000, [], readOnly]).backOff.obstacle).toEqual({
      part: 'journal',
      sentence: 'nothing is written, since the old values cannot be kept: read-only',
      untilMs: 15_000,
      forMs: 10_000,
    });
  });

  it('is an obstacle until it is kept, whatever else is known by then', () => {
    expect(after([0, [], NO_SPACE], [1, []]).backOff.obstacle).toBeDefined();
    expect(after([0, [], NO_SPACE], [5000, [failed('k', 'EBUSY')], 'kept']).backOff.obstacle).toBeUndefined();
  });

  it('is another obstacle than a tree, which a journal that is kept does not take away', () => {
    const refusals = ['a', 'b', 'c'].map((cgroup) => failed(cgroup, 'EROFS'));
    const both = after([0, refusals], [5000, [], NO_SPACE]).backOff.obstacle;
    expect(both).toEqual({ part: 'journal', sentence: NOT_KEPT, untilMs: 10_000, forMs: 5000 });
    expect(after([0, refusals], [5000, [], 'kept']).backOff.obstacle).toMatchObject({ part: 'cgroups' });
  });
});
