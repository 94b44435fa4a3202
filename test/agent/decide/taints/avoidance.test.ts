import { describe, expect, it } from 'vitest';
import { avoidanceScores } from '../../../../agent/decide/taints/avoidance.ts';
import { podTaintEntry } from '../../../../agent/decide/tolerate.ts';
import type { Taint } from '../../../../agent/model/node.ts';
import type { Toleration } from '../../../../agent/model/pod.ts';
import { podOf } from '../../../fakes/pods.ts';

const soft = (text: string): Taint => {
  const [key = '', value = ''] = text.split('=');
  return { key, value, effect: 'PreferNoSchedule' };
};
const equal = (key: string, value: string, effect: string): Toleration => ({
  key,
  operator: 'Equal',
  value,
  effect,
});
const scores = (tolerations: readonly Toleration[], nodes: readonly (readonly Taint[])[]) =>
  avoidanceScores(
    nodes.map((taints) => BigInt(podTaintEntry({ ...podOf(), tolerations }, taints).preferNoScheduleCount)),
  );

describe('how much the scheduler likes nodes for their PreferNoSchedule taints', () => {
  it.each<[string, readonly Toleration[], readonly (readonly Taint[])[], readonly bigint[]]>([
    [
      'vP1 (recalled): one is tolerated, the other not',
      [equal('foo', 'bar', 'PreferNoSchedule')],
      [[soft('foo=bar')], [soft('foo=blah')]],
      [100n, 0n],
    ],
    [
      'vP2 (recalled): all are tolerated',
      [equal('a', '1', 'PreferNoSchedule'), equal('b', '2', 'PreferNoSchedule')],
      [[], [soft('a=1')], [soft('a=1'), soft('b=2')]],
      [100n, 100n, 100n],
    ],
    [
      'vP3 (recalled): none, one and two are not',
      [],
      [[], [soft('a=1')], [soft('a=1'), soft('b=2')]],
      [100n, 50n, 0n],
    ],
    [
      'vP5 (recalled): tolerations of NoSchedule do not help, and taints of NoSchedule do not count',
      [equal('a', '1', 'NoSchedule'), equal('b', '2', 'NoSchedule')],
      [[], [{ key: 'a', value: '1', effect: 'NoSchedule' }], [soft('a=1'), soft('b=2')]],
      [100n, 100n, 0n],
    ],
  ])('%s', (_what, tolerations, nodes, expected) => {
    expect(scores(tolerations, nodes)).toEqual(expected);
  });
  it.each<[string, readonly bigint[], readonly bigint[]]>([
    ['vP4: a third is rounded down', [1n, 3n], [67n, 0n]],
    ['the order of the nodes is kept', [3n, 0n, 1n, 3n], [0n, 100n, 67n, 0n]],
    ['no nodes', [], []],
  ])('%s', (_what, counts, expected) => {
    expect(avoidanceScores(counts)).toEqual(expected);
  });
});
