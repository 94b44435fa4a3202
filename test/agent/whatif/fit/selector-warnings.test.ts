import { describe, expect, it } from 'vitest';
import { affinityWarnings, budgetWarnings } from '../../../../agent/whatif/fit/selector-warnings.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import { budgetFor, nodeNamed, planFor, podNamed, snapshotOf } from '../../../fakes/cluster.ts';

const affinity = (...nodeSelectorTerms: readonly PlainRecord[]): PlainRecord => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const label = (operator: string, ...values: readonly string[]): PlainRecord => ({
  matchExpressions: [{ key: 'zone', operator, values }],
});
const field = (key: string, operator: string, ...values: readonly string[]): PlainRecord => ({
  matchFields: [{ key, operator, values }],
});
const messagesFor = (spec: PlainRecord): readonly string[] =>
  snapshotOf(podNamed('p', { spec }))
    .pods.flatMap(affinityWarnings)
    .map(({ message }) => message);
const budgetSaid = (selector: PlainRecord) =>
  budgetWarnings(snapshotOf({ ...budgetFor('b', {}, 0), spec: { selector } }).budgets);

describe('required node affinity that the API refuses', () => {
  it.each([
    ['no terms', affinity(), 'has no terms', 'it'],
    [
      'an unknown operator',
      affinity(label('Is', 'a')),
      'has the operator "Is"; there are In, NotIn, Exists, DoesNotExist, Gt and Lt',
      'such a term',
    ],
    ['In without values', affinity(label('In')), 'has the operator In without values', 'such a term'],
    [
      'NotIn without values',
      affinity(label('NotIn')),
      'has the operator NotIn without values',
      'such a term',
    ],
    [
      'Exists with a value',
      affinity(label('Exists', 'a')),
      'has the operator Exists with values',
      'such a term',
    ],
    [
      'DoesNotExist with a value in the second term',
      affinity(label('Exists'), label('DoesNotExist', 'a')),
      'has the operator DoesNotExist with values',
      'such a term',
    ],
    [
      'Gt with a word',
      affinity(label('Gt', 'x')),
      'has the operator Gt without one whole number',
      'such a term',
    ],
    [
      'Lt with two numbers',
      affinity(label('Lt', '1', '2')),
      'has the operator Lt without one whole number',
      'such a term',
    ],
    [
      'another field',
      affinity(field('spec.x', 'In', 'n')),
      'asks for the field "spec.x"; only metadata.name is one',
      'such a term',
    ],
    [
      'a name with another operator',
      affinity(field('metadata.name', 'Exists', 'n')),
      'asks for metadata.name by more than In or NotIn with one value',
      'such a term',
    ],
    [
      'two names',
      affinity(field('metadata.name', 'NotIn', 'n', 'm')),
      'asks for metadata.name by more than In or NotIn with one value',
      'such a term',
    ],
  ])('%s is told', (_, spec, fault, what) => {
    expect(messagesFor(spec)).toEqual([
      `pod default/p: its required node affinity ${fault}; the API refuses that, and no node meets ${what} here`,
    ]);
  });

  it.each([
    ['what it takes', affinity(label('Lt', '-4'), label('NotIn', 'a'), field('metadata.name', 'NotIn', 'n'))],
    ['no affinity', {}],
    ['a term that says nothing', affinity({})],
  ])('nothing is told of %s', (_, spec) => {
    expect(messagesFor(spec)).toEqual([]);
  });
});

describe('selectors of disruption budgets that the API refuses', () => {
  it.each([
    [
      'an operator for numbers',
      label('Gt', '1'),
      'has the operator "Gt"; there are In, NotIn, Exists and DoesNotExist',
    ],
    ['In without values', label('In'), 'has the operator In without values'],
  ])('%s is told', (_, selector, fault) => {
    expect(budgetSaid(selector)).toEqual([
      {
        code: 'budget-selector-refused',
        message: `PodDisruptionBudget default/b: its selector ${fault}; the API refuses that, and it matches no pod here`,
        cgroup: null,
        pod: null,
      },
    ]);
  });

  it('nothing is told of those that it takes, and of budgets without one', () => {
    expect([budgetSaid(label('Exists')), budgetSaid({})]).toEqual([[], []]);
  });
});

it('a plan for a pod has both', () => {
  const plan = planFor(
    snapshotOf(podNamed('p', { spec: affinity() }), nodeNamed('n'), {
      ...budgetFor('b', {}, 0),
      spec: { selector: label('In') },
    }),
  );
  expect(plan.warnings.map(({ code }) => code)).toEqual(['node-affinity-refused', 'budget-selector-refused']);
});
