import { describe, expect, it } from 'vitest';
import { tolerationWarnings } from '../../../../agent/decide/taints/toleration-warnings.ts';
import type { Toleration } from '../../../../agent/model/pod.ts';
import { podOf } from '../../../fakes/pods.ts';

const tol = (more: Partial<Toleration>): Toleration => ({
  key: 'a',
  operator: 'Exists',
  value: '',
  effect: '',
  ...more,
});
const said = (...tolerations: readonly Toleration[]) =>
  tolerationWarnings({ ...podOf(), tolerations }).map(({ code, message, pod }) => [code, pod, message]);

describe('what is wrong with tolerations', () => {
  it.each<[string, Toleration]>([
    ['Exists', tol({})],
    ['Equal', tol({ operator: 'Equal' })],
    ['no operator', tol({ operator: '' })],
    ['seconds with NoExecute', tol({ effect: 'NoExecute', tolerationSeconds: 0n })],
    ['no key with Exists', tol({ key: '' })],
    ['another effect without seconds', tol({ effect: 'NoSchedule' })],
  ])('nothing: %s', (_what, toleration) => {
    expect(said(toleration)).toEqual([]);
  });
  it.each<[string, Toleration, string, string]>([
    [
      'vT9: an operator that nobody knows',
      tol({ operator: 'In', tolerationSeconds: 5n, effect: 'NoSchedule' }),
      'unknown-toleration-operator',
      'pod default/web: its toleration of a has the operator "In", which matches nothing; there are Exists, Equal, Gt and Lt',
    ],
    [
      'seconds with NoSchedule',
      tol({ effect: 'NoSchedule', tolerationSeconds: 0n, operator: 'Gt', key: '' }),
      'toleration-seconds-ignored',
      'pod default/web: its toleration of every key has tolerationSeconds with the effect NoSchedule, which the API refuses, so it matches nothing; seconds go with NoExecute',
    ],
    [
      'seconds without an effect',
      tol({ tolerationSeconds: 0n }),
      'toleration-seconds-without-effect',
      'pod default/web: its toleration of a has tolerationSeconds and no effect, which the API refuses; it is taken as one of every effect, and the seconds count for NoExecute: write that effect',
    ],
    [
      'T11: an effect with a letter more',
      tol({ effect: 'NoScheduler' }),
      'unknown-toleration-effect',
      'pod default/web: its toleration of a has the effect "NoScheduler", which no taint has, so it matches nothing; there are NoSchedule, PreferNoSchedule, NoExecute',
    ],
    [
      'T8: a value with Exists',
      tol({ value: 'v' }),
      'toleration-value-ignored',
      'pod default/web: its toleration of a has the operator Exists and the value "v", which the API refuses; the value counts for nothing: remove it, or write Equal',
    ],
    ...['', 'Equal', 'Gt'].map((operator): [string, Toleration, string, string] => [
      `no key with the operator ${JSON.stringify(operator)}`,
      tol({ key: '', operator }),
      'toleration-without-key',
      'pod default/web: its toleration of every key has no key and another operator than Exists, which the API refuses; it is taken as one of every key: write Exists or a key',
    ]),
    ...['Gt', 'Lt'].map((operator): [string, Toleration, string, string] => [
      `vL8: ${operator} depends on a gate, which is off in a cluster as it comes; it would match nothing there`,
      tol({ operator }),
      'alpha-toleration-operator',
      `pod default/web: its toleration of a has the operator ${operator}, which needs the alpha gate TaintTolerationComparisonOperators; it is taken as if that were on`,
    ]),
  ])('%s', (_what, toleration, code, message) => {
    expect(said(toleration)).toEqual([[code, 'default/web', message]]);
  });
  it('each is told, in their order', () => {
    expect(said(tol({ operator: 'Gt' }), tol({}), tol({ operator: 'x' })).map(([code]) => code)).toEqual([
      'alpha-toleration-operator',
      'unknown-toleration-operator',
    ]);
  });
});
