import { describe, expect, it } from 'vitest';
import { taintSentences } from '../../../agent/decide/taint-sentences.ts';
import { podTaintEntry, tolerates } from '../../../agent/decide/tolerate.ts';
import type { Taint } from '../../../agent/model/node.ts';
import type { Pod, Toleration } from '../../../agent/model/pod.ts';
import { podOf } from '../../fakes/pods.ts';

const tol = (more: Partial<Toleration> = {}): Toleration => ({
  key: '',
  operator: 'Exists',
  value: '',
  effect: '',
  ...more,
});
const taint = (key: string, effect = 'NoExecute', value = ''): Taint => ({ key, value, effect });
const pod = (...tolerations: readonly Toleration[]): Pod => ({ ...podOf({ name: 'web' }), tolerations });

describe('a toleration matches a taint', () => {
  it.each<[string, Toleration, Taint, boolean]>([
    ['every key and effect', tol(), taint('a'), true],
    ['its key', tol({ key: 'a' }), taint('a'), true],
    ['another key', tol({ key: 'b' }), taint('a'), false],
    ['its effect', tol({ effect: 'NoExecute' }), taint('a'), true],
    ['another effect', tol({ effect: 'NoSchedule' }), taint('a'), false],
    ['Exists, whatever the value', tol({ key: 'a', value: 'x' }), taint('a', 'NoExecute', 'y'), true],
    [
      'Equal with the value',
      tol({ key: 'a', operator: 'Equal', value: 'y' }),
      taint('a', 'NoExecute', 'y'),
      true,
    ],
    [
      'Equal with another value',
      tol({ key: 'a', operator: 'Equal', value: 'x' }),
      taint('a', 'NoExecute', 'y'),
      false,
    ],
    [
      'an empty operator is Equal',
      tol({ key: 'a', operator: '', value: 'y' }),
      taint('a', 'NoExecute', 'y'),
      true,
    ],
    [
      'an empty operator with another value',
      tol({ key: 'a', operator: '', value: '' }),
      taint('a', 'NoExecute', 'y'),
      false,
    ],
    ['an operator that nobody knows', tol({ key: 'a', operator: 'In' }), taint('a'), false],
    ['seconds with NoExecute', tol({ effect: 'NoExecute', tolerationSeconds: 5n }), taint('a'), true],
    ['seconds with every effect', tol({ tolerationSeconds: 5n }), taint('a'), true],
    [
      'seconds with another effect',
      tol({ effect: 'NoSchedule', tolerationSeconds: 5n }),
      taint('a', 'NoSchedule'),
      false,
    ],
  ])('%s', (_what, toleration, one, matches) => {
    expect(tolerates(toleration, one)).toBe(matches);
  });
  it.each<[string, string, string, boolean]>([
    ['Gt', '950', '949', true],
    ['Gt', '950', '950', false],
    ['Gt', '950', '951', false],
    ['Lt', '950', '951', true],
    ['Lt', '950', '950', false],
    ['Lt', '950', '949', false],
    ['Gt', '-1', '-2', true],
    ['Gt', '0', '-1', true],
    ['Gt', '0950', '1', false],
    ['Gt', '+5', '1', false],
    ['Gt', '950x', '1', false],
    ['Gt', ' 5', '1', false],
    ['Gt', '1.5', '1', false],
    ['Gt', '-0', '-1', false],
    ['Gt', '', '-1', false],
    ['Gt', '5', '01', false],
    ['Gt', '9223372036854775807', '1', true],
    ['Gt', '9223372036854775808', '1', false],
    ['Lt', '-9223372036854775808', '1', true],
    ['Lt', '-9223372036854775809', '1', false],
  ])('report 44: %s: a taint of %j and a toleration of %j: %s', (operator, value, bound, matches) => {
    expect(tolerates(tol({ key: 'a', operator, value: bound }), taint('a', 'NoSchedule', value))).toBe(
      matches,
    );
  });
});

describe('what taints mean for a pod', () => {
  it('nothing where there are none', () => {
    expect(podTaintEntry(pod(), [])).toEqual({
      namespace: 'default',
      name: 'web',
      schedulable: true,
      firstUntolerated: null,
      preferNoScheduleCount: 0,
      noExecute: 'stay',
      evictAfterSeconds: null,
      decidedBy: null,
    });
  });
  it('the first one in node order that keeps it away is named', () => {
    const taints = [
      taint('soft', 'PreferNoSchedule'),
      taint('a', 'NoSchedule'),
      taint('b', 'NoSchedule'),
      taint('c'),
    ];
    expect(podTaintEntry(pod(tol({ key: 'a' }), tol({ key: 'c' })), taints)).toMatchObject({
      schedulable: false,
      firstUntolerated: taint('b', 'NoSchedule'),
    });
    expect(podTaintEntry(pod(tol({ key: 'a' }), tol({ key: 'b' })), taints)).toMatchObject({
      schedulable: false,
      firstUntolerated: taint('c'),
    });
  });
  it('PreferNoSchedule taints are counted, against tolerations of that effect or of all', () => {
    const taints = [
      taint('a', 'PreferNoSchedule'),
      taint('b', 'PreferNoSchedule'),
      taint('c', 'PreferNoSchedule'),
    ];
    const tolerations = [
      tol({ key: 'a', effect: 'PreferNoSchedule' }),
      tol({ key: 'b' }),
      tol({ key: 'c', effect: 'NoSchedule' }),
    ];
    expect(podTaintEntry(pod(...tolerations), taints)).toMatchObject({
      preferNoScheduleCount: 1,
      schedulable: true,
    });
    expect(podTaintEntry(pod(), [...taints, taint('d', 'NoSchedule')])).toMatchObject({
      preferNoScheduleCount: 3,
    });
  });

  type Outcome = readonly ['stay' | 'evict-now' | 'evict-after', bigint | null, string | null];
  const only = tol({ key: 'a', effect: 'NoExecute' });
  it.each<[string, readonly Taint[], readonly Toleration[], Outcome]>([
    ['vN1: no NoExecute taint', [taint('a', 'NoSchedule')], [], ['stay', null, null]],
    ['vN2: no toleration', [taint('a')], [], ['evict-now', null, 'a']],
    ['vN3: 100 s', [taint('a')], [{ ...only, tolerationSeconds: 100n }], ['evict-after', 100n, 'a']],
    ['vN4: for ever', [taint('a')], [only], ['stay', null, 'a']],
    ['vN5: a toleration for another taint', [taint('b')], [only], ['evict-now', null, 'b']],
    [
      'vN6: two taints, 1 s and 100 s',
      [taint('a'), taint('b')],
      [tol({ key: 'a', tolerationSeconds: 100n }), tol({ key: 'b', tolerationSeconds: 1n })],
      ['evict-after', 1n, 'b'],
    ],
    ['vN7: two taints, one tolerated', [taint('a'), taint('b')], [only], ['evict-now', null, 'b']],
    [
      'vN9: a toleration of another value',
      [taint('a')],
      [tol({ key: 'a', operator: 'Equal', value: 'x', effect: 'NoExecute', tolerationSeconds: 300n })],
      ['evict-now', null, 'a'],
    ],
    [
      'vN10: the first that matches counts, 600 s before 5 s',
      [taint('a')],
      [tol({ key: 'a', tolerationSeconds: 600n }), tol({ tolerationSeconds: 5n })],
      ['evict-after', 600n, 'a'],
    ],
    [
      'vN11: the first that matches counts, 5 s before 600 s',
      [taint('a')],
      [tol({ tolerationSeconds: 5n }), tol({ key: 'a', tolerationSeconds: 600n })],
      ['evict-after', 5n, 'a'],
    ],
    [
      'vN12: one for ever hides a later one',
      [taint('a')],
      [tol(), tol({ key: 'a', tolerationSeconds: 10n })],
      ['stay', null, 'a'],
    ],
    ['vN13: 0 s', [taint('a')], [tol({ tolerationSeconds: 0n })], ['evict-now', null, 'a']],
    ['vN13: -5 s', [taint('a')], [tol({ tolerationSeconds: -5n })], ['evict-now', null, 'a']],
    ['1 s', [taint('a')], [tol({ tolerationSeconds: 1n })], ['evict-after', 1n, 'a']],
    [
      'vN14: two taints, 60 s and for ever',
      [taint('a'), taint('b')],
      [tol({ key: 'a' }), tol({ key: 'b', tolerationSeconds: 60n })],
      ['evict-after', 60n, 'b'],
    ],
    [
      'two taints of equal time: the first decides',
      [taint('a'), taint('b')],
      [tol({ tolerationSeconds: 60n })],
      ['evict-after', 60n, 'a'],
    ],
  ])('%s', (_what, taints, tolerations, [noExecute, evictAfterSeconds, decider]) => {
    const entry = podTaintEntry(pod(...tolerations), taints);
    expect([entry.noExecute, entry.evictAfterSeconds, entry.decidedBy?.taint.key ?? null]).toEqual([
      noExecute,
      evictAfterSeconds,
      decider,
    ]);
  });
  it('names the toleration that decides without what is empty in it', () => {
    const full = tol({ key: 'a', operator: 'Equal', value: 'v', effect: 'NoExecute', tolerationSeconds: 9n });
    expect(podTaintEntry(pod(full), [taint('a', 'NoExecute', 'v')]).decidedBy).toEqual({
      taint: taint('a', 'NoExecute', 'v'),
      toleration: { key: 'a', operator: 'Equal', value: 'v', effect: 'NoExecute', tolerationSeconds: 9n },
    });
    const empty = { key: '', operator: '', value: '', effect: '' };
    expect(podTaintEntry(pod(empty), [taint('a')]).decidedBy?.toleration).toEqual({ operator: 'Equal' });
    expect(podTaintEntry(pod(), [taint('a')]).decidedBy?.toleration).toBeNull();
  });
});

describe('taints in sentences', () => {
  const said = (taints: readonly Taint[], ...tolerations: readonly Toleration[]): readonly string[] =>
    taintSentences(podTaintEntry(pod(...tolerations), taints));
  const TOLERATED = 'It tolerates every taint of the node that keeps pods away.';
  it.each<[string, readonly Taint[], readonly Toleration[], readonly string[]]>([
    ['none', [], [], [TOLERATED]],
    [
      'one that keeps it away',
      [taint('a', 'NoSchedule', 'x')],
      [],
      ['It would not be scheduled here again: it does not tolerate a=x:NoSchedule.'],
    ],
    [
      'one that is only avoided',
      [taint('a', 'PreferNoSchedule')],
      [],
      [TOLERATED, 'The scheduler avoids the node for it: PreferNoSchedule taints not tolerated: 1.'],
    ],
    [
      'one that evicts at once',
      [taint('a')],
      [],
      [
        'It would not be scheduled here again: it does not tolerate a:NoExecute.',
        'a:NoExecute evicts it at once: nothing tolerates it.',
      ],
    ],
    [
      'one that evicts at once by 0 s',
      [taint('a')],
      [tol({ tolerationSeconds: 0n })],
      [TOLERATED, 'a:NoExecute evicts it at once, by its toleration every key Exists 0 s.'],
    ],
    [
      'one that evicts later',
      [taint('a')],
      [tol({ key: 'a', effect: 'NoExecute', tolerationSeconds: 300n })],
      [TOLERATED, 'a:NoExecute evicts it after 300 s, by its toleration a Exists NoExecute 300 s.'],
    ],
    [
      'one that it may outstay',
      [taint('a', 'NoExecute', 'v')],
      [tol({ key: 'a', operator: 'Equal', value: 'v' })],
      [TOLERATED, 'It stays in spite of a=v:NoExecute, by its toleration a Equal v.'],
    ],
  ])('%s', (_what, taints, tolerations, sentences) => {
    expect(said(taints, ...tolerations)).toEqual(sentences);
  });
});
