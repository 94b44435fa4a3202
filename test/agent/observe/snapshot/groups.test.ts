import { describe, expect, it } from 'vitest';
import { Failure } from '../../../../agent/exit.ts';
import { readSnapshotTexts } from '../../../../agent/observe/snapshot/read-snapshot.ts';
import type { PlainValue } from '../../../../config/text/plain-value.ts';

/** What a snapshot of one group is refused with: status and sentence; undefined where it is taken. */
function refusal(kind: string, spec: PlainValue): unknown {
  try {
    readSnapshotTexts([{ file: 's.json', text: JSON.stringify({ kind, metadata: { name: 'g' }, spec }) }]);
  } catch (error) {
    if (error instanceof Failure) return [error.status, error.message.replace(/^s\.json:\d+:\d+: /, '')];
    throw error;
  }
  return undefined;
}

describe('the scheduling policy of a group is one of two', () => {
  it.each<[string, string, PlainValue]>([
    ['a gang', 'PodGroup', { gang: { minCount: 1 } }],
    ['basic', 'PodGroup', { basic: {} }],
    ['a gang beside nothing', 'PodGroup', { gang: { minCount: 2 }, basic: null }],
    ['a gang of groups', 'CompositePodGroup', { gang: { minGroupCount: 1 } }],
    ['basic of groups', 'CompositePodGroup', { basic: {} }],
  ])('%s is taken', (_what, kind, schedulingPolicy) => {
    expect(refusal(kind, { schedulingPolicy })).toBeUndefined();
  });

  it.each<[string, string, PlainValue, string]>([
    ['both at once', 'PodGroup', { gang: { minCount: 1 }, basic: {} }, 'gang: {minCount: N}'],
    ['neither', 'PodGroup', {}, 'gang: {minCount: N}'],
    ['one that nobody knows', 'PodGroup', { swarm: {} }, 'gang: {minCount: N}'],
    [
      'both at once, of groups',
      'CompositePodGroup',
      { gang: { minGroupCount: 1 }, basic: {} },
      'gang: {minGroupCount: N}',
    ],
  ])('%s is refused', (_what, kind, schedulingPolicy, gang) => {
    expect(refusal(kind, { schedulingPolicy })).toEqual([
      65,
      `spec.schedulingPolicy: ${kind} g: a scheduling policy is basic: {} or ${gang}, one of them`,
    ]);
  });

  it.each<[string, string, PlainValue, string]>([
    [
      'a gang of none',
      'PodGroup',
      { gang: { minCount: 0 } },
      'spec.schedulingPolicy.gang.minCount: PodGroup g: a gang needs a minimum of at least 1',
    ],
    [
      'a gang of fewer than none',
      'CompositePodGroup',
      { gang: { minGroupCount: -1 } },
      'spec.schedulingPolicy.gang.minGroupCount: CompositePodGroup g: a gang needs a minimum of at least 1',
    ],
    [
      'a gang that counts pods where groups are counted',
      'CompositePodGroup',
      { gang: { minCount: 1 } },
      'spec.schedulingPolicy.gang.minGroupCount: CompositePodGroup g: a gang needs a minimum of at least 1',
    ],
    [
      'a gang without a count',
      'PodGroup',
      { gang: {} },
      'spec.schedulingPolicy.gang.minCount: PodGroup g: a gang needs a minimum of at least 1',
    ],
    [
      'basic that is a word',
      'PodGroup',
      { basic: 'yes' },
      'spec.schedulingPolicy.basic: PodGroup g: expected a map, found a string',
    ],
  ])('%s is refused', (_what, kind, schedulingPolicy, sentence) => {
    expect(refusal(kind, { schedulingPolicy })).toEqual([65, sentence]);
  });
});

describe('the disruption mode of a group is one of two', () => {
  it.each<[string, PlainValue]>([
    ['both at once', { single: {}, all: {} }],
    ['neither', {}],
    ['one that nobody knows', { most: {} }],
    ['a word that nobody knows', 'Group'],
  ])('%s is refused', (_what, disruptionMode) => {
    for (const kind of ['PodGroup', 'CompositePodGroup']) {
      expect(refusal(kind, { disruptionMode })).toEqual([
        65,
        `spec.disruptionMode: ${kind} g: a disruption mode is single: {} or all: {} (in 1.36 Pod or PodGroup), one of them`,
      ]);
    }
  });

  it('and where none is stated, it is none', () => {
    expect(refusal('PodGroup', { disruptionMode: null })).toBeUndefined();
  });
});
