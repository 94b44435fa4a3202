import { describe, expect, it } from 'vitest';
import { unended, withClauses } from '../../../agent/decide/clauses.ts';

describe('clauses behind a sentence', () => {
  it.each([
    ['follow one without a full stop', 'a is over', ['b', 'c'], 'a is over; b; c'],
    ['take the full stop away', 'It goes.', ['b'], 'It goes; b'],
    ['take a full stop with blanks away', 'It goes. ', ['b'], 'It goes; b'],
    ['leave dots that stand for more', 'and so on...', ['b'], 'and so on...; b'],
    ['that are none leave it as it is', 'It goes.', [], 'It goes.'],
  ])('%s', (_sentence, sentence, clauses, told) => {
    expect(withClauses(sentence, clauses)).toBe(told);
  });

  it('and what is in the middle of one has dots of its own', () => {
    expect(unended('a.b exceeds 1.5.')).toBe('a.b exceeds 1.5');
  });
});
