import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addedTwice, editTaints, type TaintEdits } from '../../../../agent/decide/taints/edit-taints.ts';
import { taintText } from '../../../../agent/decide/taints/taint-text.ts';
import type { Taint } from '../../../../agent/model/node.ts';

const taint = (key: string, effect = 'NoSchedule', value = ''): Taint => ({ key, value, effect });
const NODE = [taint('a'), taint('a', 'NoExecute'), taint('b', 'NoSchedule', 'x')];
const edit = (edits: Partial<TaintEdits>) => editTaints(NODE, { add: [], remove: [], ...edits });

describe('taints after an edit', () => {
  it.each<[string, Partial<TaintEdits>, readonly Taint[]]>([
    ['nothing to do leaves them', {}, NODE],
    [
      'what is added comes first, in its order',
      { add: [taint('d'), taint('c')] },
      [taint('d'), taint('c'), ...NODE],
    ],
    [
      'a key that is there with another effect is another taint',
      { add: [taint('b', 'NoExecute')] },
      [taint('b', 'NoExecute'), ...NODE],
    ],
    ['vK2: key and effect take one away', { remove: [{ key: 'a', effect: 'NoSchedule' }] }, NODE.slice(1)],
    ['vK3: a key takes every effect of it away', { remove: [{ key: 'a' }] }, NODE.slice(2)],
    ['several removals', { remove: [{ key: 'a' }, { key: 'b', effect: 'NoSchedule' }] }, []],
    [
      'removals come first, so that a value can be changed',
      { add: [taint('b', 'NoSchedule', 'y')], remove: [{ key: 'b' }] },
      [taint('b', 'NoSchedule', 'y'), taint('a'), taint('a', 'NoExecute')],
    ],
  ])('%s', (_what, edits, taints) => {
    expect(edit(edits)).toEqual({ ok: true, value: taints });
  });
  it.each<[string, Partial<TaintEdits>, string]>([
    ['vK11: a key that is not there', { remove: [{ key: 'c' }] }, 'taint "c" not found'],
    [
      'vK11: an effect that is not there',
      { remove: [{ key: 'b', effect: 'NoExecute' }] },
      'taint "b:NoExecute" not found',
    ],
    ['one that is taken away twice', { remove: [{ key: 'b' }, { key: 'b' }] }, 'taint "b" not found'],
    [
      'one that is there, with another value',
      { add: [taint('b', 'NoSchedule', 'y')] },
      'the node already has a taint b:NoSchedule; remove it too if its value is to change',
    ],
    [
      'one that is there as it is',
      { add: [taint('z'), taint('a', 'NoExecute')] },
      'the node already has a taint a:NoExecute; remove it too if its value is to change',
    ],
  ])('%s is refused', (_what, edits, message) => {
    expect(edit(edits)).toEqual({ ok: false, message });
  });
  it('vK10: one that is added twice is found, whatever its value', () => {
    expect(addedTwice([taint('a'), taint('b'), taint('a', 'NoSchedule', 'v')])).toEqual(
      taint('a', 'NoSchedule', 'v'),
    );
    expect(addedTwice([taint('a'), taint('a', 'NoExecute'), taint('b')])).toBeUndefined();
    expect(addedTwice([])).toBeUndefined();
  });
  it('adding and then removing gives back what was there', () => {
    const taints = fc.uniqueArray(
      fc.record({
        key: fc.constantFrom('a', 'b', 'c'),
        value: fc.constantFrom('', 'v'),
        effect: fc.constantFrom('NoSchedule', 'NoExecute'),
      }),
      {
        selector: ({ key, effect }) => `${key}:${effect}`,
      },
    );
    fc.assert(
      fc.property(taints, taints, (before, add) => {
        const added = editTaints(before, { add, remove: [] });
        if (!added.ok) return;
        expect(editTaints(added.value, { add: [], remove: add })).toEqual({ ok: true, value: before });
      }),
    );
  });
});

describe('a taint as text', () => {
  it.each([
    [taint('a', 'NoSchedule', 'v'), 'a=v:NoSchedule'],
    [taint('a', 'NoExecute'), 'a:NoExecute'],
  ])('%j', (one, text) => {
    expect(taintText(one)).toBe(text);
  });
});
