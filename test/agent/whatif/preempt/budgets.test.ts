import { describe, expect, it } from 'vitest';
import { GroupTree } from '../../../../agent/decide/group-tree.ts';
import { Budgets } from '../../../../agent/whatif/preempt/budgets.ts';
import { BY_IMPORTANCE } from '../../../../agent/whatif/preempt/importance.ts';
import { preemptionUnits } from '../../../../agent/whatif/preempt/units.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import { budgetFor, podGroupNamed, podNamed, snapshotOf } from '../../../fakes/cluster.ts';

const FOO = { app: 'foo' };

/** A pod that runs, and the more important the smaller its number. */
function numbered(at: number, parts: Parameters<typeof podNamed>[1] = {}): PlainRecord {
  return podNamed(`v${at}`, { node: 'n1', priority: 100 - at, labels: FOO, ...parts });
}

/** The names of violating units, of the others, and of the pods that would break a budget. */
function split(...objects: readonly PlainRecord[]): readonly (readonly string[])[] {
  const snapshot = snapshotOf(...objects);
  const units = preemptionUnits(snapshot.pods, new GroupTree(snapshot), '1.37').toSorted(BY_IMPORTANCE);
  const { violating, others, violatingPods } = new Budgets(snapshot.budgets).split(units);
  return [violating, others, [...violatingPods]].map((all) => all.map(({ name }) => name));
}

const selectorOnly = (selector: PlainRecord | null): PlainRecord => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'any', namespace: 'default' },
  spec: { selector },
  status: { disruptionsAllowed: 0 },
});

describe('budgets', () => {
  it.each<readonly [string, readonly PlainRecord[], readonly (readonly string[])[]]>([
    [
      'vD21: an empty selector matches nothing, a pod without labels least of all',
      [numbered(1, { labels: {} }), numbered(2), selectorOnly({})],
      [[], ['v1', 'v2'], []],
    ],
    ['no selector matches nothing either', [numbered(1), selectorOnly(null)], [[], ['v1'], []]],
    [
      'vD22: a pod that two budgets match breaks one of them and counts once',
      [numbered(1), budgetFor('pdb1', FOO, 1), budgetFor('pdb2', FOO, 0)],
      [['v1'], [], ['v1']],
    ],
    [
      'vD23: of two victims of a budget that allows one the second breaks it',
      [numbered(1), numbered(2), budgetFor('pdb', FOO, 1)],
      [['v2'], ['v1'], ['v2']],
    ],
    [
      'vD24: budgets of other namespaces do not count',
      [numbered(1), budgetFor('pdb', FOO, 0, { namespace: 'other' })],
      [[], ['v1'], []],
    ],
    [
      'those with other labels do not count',
      [numbered(1), budgetFor('pdb', { app: 'bar' }, 0)],
      [[], ['v1'], []],
    ],
    [
      'a budget that was used up leaves those after it as they are',
      [
        numbered(1),
        numbered(2, { labels: { app: 'foo', tier: 'front' } }),
        numbered(3, { labels: { tier: 'front' } }),
        budgetFor('a', FOO, 1),
        budgetFor('b', { tier: 'front' }, 1),
      ],
      [['v2'], ['v1', 'v3'], ['v2']],
    ],
    [
      'one that is negative already is broken by the first',
      [numbered(1), budgetFor('pdb', FOO, -2)],
      [['v1'], [], ['v1']],
    ],
    [
      'a budget without status allows nothing',
      [numbered(1), { ...budgetFor('pdb', FOO, 0), status: null }],
      [['v1'], [], ['v1']],
    ],
    [
      'a selector that the API would not take matches nothing',
      [
        numbered(1),
        selectorOnly({ matchLabels: FOO, matchExpressions: [{ key: 'app', operator: 'Gt', values: ['1'] }] }),
      ],
      [[], ['v1'], []],
    ],
    [
      'a whole group is against a budget if one of its pods is',
      [
        podGroupNamed('job', { disruptionMode: { all: {} }, priority: 100 }),
        numbered(1, { spec: { schedulingGroup: { podGroupName: 'job' } } }),
        numbered(2, { spec: { schedulingGroup: { podGroupName: 'job' } } }),
        budgetFor('pdb', FOO, 1),
      ],
      [['job'], [], ['v2']],
    ],
  ])('%s', (_, objects, expected) => {
    expect(split(...objects)).toEqual(expected);
  });
});
