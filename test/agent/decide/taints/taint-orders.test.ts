import { describe, expect, it } from 'vitest';
import {
  chooseForTaints,
  outdatedTaints,
  secondTaintLook,
  type TaintChoiceRules,
} from '../../../../agent/decide/taints/taint-orders.ts';
import type { Taint } from '../../../../agent/model/node.ts';
import type { Pod } from '../../../../agent/model/pod.ts';
import { podOf } from '../../../fakes/pods.ts';
import { rules } from '../../../fakes/ranking.ts';
import { GONE, pod, tolerates } from '../../../fakes/tainted-node.ts';

const VALUED: Taint = { key: 'maintenance', value: 'now', effect: 'NoExecute' };

function choose(due: readonly Pod[], more: Partial<TaintChoiceRules> = {}) {
  const all = {
    taints: [GONE],
    victims: rules('memory.available'),
    because: undefined,
    isWanted: () => true,
    ...more,
  };
  return chooseForTaints(due, all);
}

const named = ({ order, withheld, isMoreDue }: ReturnType<typeof choose>): unknown => ({
  order: order?.pod.name,
  withheld: withheld.map(({ pod: { name }, why }) => `${name}: ${why}`),
  isMoreDue,
});

describe('the pod that goes for a taint', () => {
  it.each<[string, ReturnType<typeof choose>, unknown]>([
    ['is nobody where nobody is due', choose([]), { order: undefined, withheld: [], isMoreDue: false }],
    ['is the first', choose([pod('b'), pod('a')]), { order: 'b', withheld: [], isMoreDue: true }],
    ['is the only one', choose([pod('b')]), { order: 'b', withheld: [], isMoreDue: false }],
    [
      'is the first that may go',
      choose([pod('s', [], { isStatic: true }), pod('b')]),
      {
        order: 'b',
        withheld: ['s: it is a static pod, which the kubelet would start again'],
        isMoreDue: false,
      },
    ],
    [
      'is not one that does not come into question, of which nothing is said',
      choose([pod('s', [], { isStatic: true }), pod('b')], { isWanted: () => false }),
      { order: undefined, withheld: [], isMoreDue: false },
    ],
    [
      'is not one that is held back, of which nothing is said',
      choose([pod('a'), pod('b')], {
        victims: rules('memory.available', {
          heldBack: ({ name }) => (name === 'a' ? 'for now' : undefined),
        }),
      }),
      { order: 'b', withheld: [], isMoreDue: false },
    ],
    [
      'is nobody where there is a reason for all; those with a reason of their own keep it',
      choose([pod('s', [], { isMirror: true }), pod('b')], { because: 'too old' }),
      {
        order: undefined,
        withheld: ['s: it is the mirror of a static pod, which the kubelet would start again', 'b: too old'],
        isMoreDue: false,
      },
    ],
    [
      'is nobody for a taint that lets it stay',
      choose([pod('a', [tolerates()])]),
      { order: undefined, withheld: [], isMoreDue: false },
    ],
  ])('%s', (_what, choice, expected) => {
    expect(named(choice)).toEqual(expected);
  });

  it('goes for the taint that decides, with a sentence that names it', () => {
    const message = 'The node has the taint maintenance=now:NoExecute, which the pod does not tolerate.';
    expect(choose([pod('a', [tolerates(5)])], { taints: [GONE, VALUED] }).order).toEqual({
      pod: pod('a', [tolerates(5)]),
      cause: { kind: 'taint', taint: VALUED, message },
      gracePeriodSeconds: 7,
      usage: undefined,
      candidates: [],
      message,
    });
    expect(choose([pod('a', [tolerates(0)])]).order?.message).toBe(
      'The node has the taint gone:NoExecute, and the time for which the pod tolerates it is over.',
    );
  });

  it('names the taint beside why somebody stays', () => {
    const stays = pod('s', [], { isStatic: true });
    expect(choose([stays], { taints: [VALUED] }).withheld).toEqual([
      { pod: stays, taint: VALUED, why: 'it is a static pod, which the kubelet would start again' },
    ]);
  });

  it.each([
    [7, 7],
    [0, 0],
    [-1, 1],
    [undefined, 30],
  ])('has the grace that a deleted pod has: %s s of its own is %s s', (own, grace) => {
    const spec = own === undefined ? {} : { terminationGracePeriodSeconds: own };
    const one = podOf({ name: 'a', spec });
    expect(choose([one]).order?.gracePeriodSeconds).toBe(grace);
  });
});

it('a second look does not mind other pods, nor other taints', () => {
  const { order } = choose([pod('a')]);
  if (order === undefined) throw new Error('nobody goes');
  const pods = [pod('b', [tolerates()]), pod('a'), pod('c', [], { terminating: true })];
  expect(secondTaintLook(order, { taints: [VALUED], pods })).toEqual({ stands: true });
});

it('taints that are too old have a sentence', () => {
  expect(outdatedTaints(300_000)).toBe('the taints of the node could not be read for longer than 5m0s');
});
