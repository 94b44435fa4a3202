import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  lookAtTaints,
  NO_TAINT_EVICTIONS,
  type TaintEvictionState,
} from '../../../../agent/decide/taints/taint-evictions.ts';
import type { Taint } from '../../../../agent/model/node.ts';
import type { Pod, Toleration } from '../../../../agent/model/pod.ts';
import { podOf } from '../../../fakes/pods.ts';

const TAINT: Taint = { key: 'a', value: '', effect: 'NoExecute' };
const OTHER: Taint = { key: 'b', value: '', effect: 'NoExecute' };
const SOFT: Taint = { key: 'a', value: '', effect: 'NoSchedule' };
/** Tolerates key a for so many seconds, or for ever. */
const tolerating = (seconds?: number, key = 'a'): Toleration => ({
  key,
  operator: 'Exists',
  value: '',
  effect: '',
  ...(seconds === undefined ? {} : { tolerationSeconds: BigInt(seconds) }),
});
const pod = (tolerations: readonly Toleration[], more: Partial<Pod> = {}): Pod => ({
  ...podOf({ name: 'web', metadata: { uid: 'u1' } }),
  tolerations,
  ...more,
});

/** One look: milliseconds, taints, pods. */
type Look = readonly [number, readonly Taint[], readonly Pod[]];

/** After each look the deadlines and the names of those that are due. */
function story(...looks: readonly Look[]): readonly (readonly [Record<string, number>, readonly string[]])[] {
  let state: TaintEvictionState = NO_TAINT_EVICTIONS;
  return looks.map(([atMs, taints, pods]) => {
    const look = lookAtTaints(state, { atMs, taints, pods });
    state = look.state;
    return [Object.fromEntries(state.deadlinesMs), look.due.map(({ name }) => name)];
  });
}

describe('who has to go for NoExecute taints', () => {
  it.each<[string, readonly Look[], ReturnType<typeof story>]>([
    ['vN1: nobody without such a taint', [[0, [], [pod([])]]], [[{}, []]]],
    [
      'vN21: nobody for a NoSchedule taint that comes while it runs',
      [
        [0, [], [pod([])]],
        [5, [SOFT], [pod([])]],
      ],
      [
        [{}, []],
        [{}, []],
      ],
    ],
    ['vN2: one without a toleration, at once', [[7, [TAINT], [pod([])]]], [[{ u1: 7 }, ['web']]]],
    [
      'vN3: one that tolerates it for 100 s, after that',
      [
        [7, [TAINT], [pod([tolerating(100)])]],
        [100_006, [TAINT], [pod([tolerating(100)])]],
        [100_007, [TAINT], [pod([tolerating(100)])]],
      ],
      [
        [{ u1: 100_007 }, []],
        [{ u1: 100_007 }, []],
        [{ u1: 100_007 }, ['web']],
      ],
    ],
    ['vN4: nobody that tolerates it for ever', [[7, [TAINT], [pod([tolerating()])]]], [[{}, []]]],
    [
      'vN5: one that tolerates another taint, at once',
      [[0, [OTHER], [pod([tolerating()])]]],
      [[{ u1: 0 }, ['web']]],
    ],
    [
      'vN6: after the shorter of two times',
      [[0, [TAINT, OTHER], [pod([tolerating(100), tolerating(1, 'b')])]]],
      [[{ u1: 1000 }, []]],
    ],
    [
      'vN7: at once where one of two is not tolerated',
      [[0, [TAINT, OTHER], [pod([tolerating()])]]],
      [[{ u1: 0 }, ['web']]],
    ],
    [
      'vN8: nobody where the taint goes before the time is over, and the time starts anew when it comes again',
      [
        [0, [TAINT], [pod([tolerating(1)])]],
        [900, [], [pod([tolerating(1)])]],
        [2000, [TAINT], [pod([tolerating(1)])]],
      ],
      [
        [{ u1: 1000 }, []],
        [{}, []],
        [{ u1: 3000 }, []],
      ],
    ],
    ['vN13: at once with 0 s', [[3, [TAINT], [pod([tolerating(0)])]]], [[{ u1: 3 }, ['web']]]],
    ['vN13: at once with -5 s', [[3, [TAINT], [pod([tolerating(-5)])]]], [[{ u1: 3 }, ['web']]]],
    [
      'vN15: a longer toleration does not help once the time runs',
      [
        [0, [TAINT], [pod([tolerating(1)])]],
        [500, [TAINT], [pod([tolerating(100)])]],
        [1000, [TAINT], [pod([tolerating(100)])]],
      ],
      [
        [{ u1: 1000 }, []],
        [{ u1: 1000 }, []],
        [{ u1: 1000 }, ['web']],
      ],
    ],
    [
      'a shorter one, and one of 0 s, do not hurt',
      [
        [0, [TAINT], [pod([tolerating(100)])]],
        [500, [TAINT], [pod([tolerating(1)])]],
        [1500, [TAINT], [pod([tolerating(0)])]],
      ],
      [
        [{ u1: 100_000 }, []],
        [{ u1: 100_000 }, []],
        [{ u1: 100_000 }, []],
      ],
    ],
    [
      'vN16: one whose toleration is taken away, at once',
      [
        [0, [TAINT], [pod([tolerating(100)])]],
        [500, [TAINT], [pod([])]],
      ],
      [
        [{ u1: 100_000 }, []],
        [{ u1: 500 }, ['web']],
      ],
    ],
    [
      'nobody that comes to tolerate it for ever',
      [
        [0, [TAINT], [pod([tolerating(1)])]],
        [500, [TAINT], [pod([tolerating()])]],
        [1500, [TAINT], [pod([tolerating(2)])]],
      ],
      [
        [{ u1: 1000 }, []],
        [{}, []],
        [{ u1: 3500 }, []],
      ],
    ],
    [
      'one that stays in spite of it is due at each look, as long as it was',
      [
        [0, [TAINT], [pod([])]],
        [10, [TAINT], [pod([])]],
      ],
      [
        [{ u1: 0 }, ['web']],
        [{ u1: 0 }, ['web']],
      ],
    ],
    [
      'one that is overdue stays as overdue as it was when its toleration goes',
      [
        [0, [TAINT], [pod([tolerating(1)])]],
        [5000, [TAINT], [pod([])]],
      ],
      [
        [{ u1: 1000 }, []],
        [{ u1: 1000 }, ['web']],
      ],
    ],
    [
      'nobody that is terminating already',
      [[0, [TAINT], [pod([], { terminating: true })]]],
      [[{ u1: 0 }, []]],
    ],
    [
      'nobody that has ended',
      [[0, [TAINT], [pod([], { phase: 'Failed' }), pod([], { phase: 'Succeeded' })]]],
      [[{}, []]],
    ],
    [
      'one that is gone is forgotten, and one made anew under its name starts anew',
      [
        [0, [TAINT], [pod([tolerating(1)])]],
        [500, [TAINT], [pod([tolerating(1)], { uid: 'u2' })]],
        [600, [TAINT], []],
      ],
      [
        [{ u1: 1000 }, []],
        [{ u2: 1500 }, []],
        [{}, []],
      ],
    ],
  ])('%s', (_what, looks, expected) => {
    expect(story(...looks)).toEqual(expected);
  });
  it('a pod without UID goes by its name', () => {
    const nameless = { ...podOf({ name: 'web' }), tolerations: [tolerating(2)] };
    expect(story([0, [TAINT], [nameless]])).toEqual([[{ 'default/web': 2000 }, []]]);
  });
  it('the longest overdue goes first, then by namespace, name and UID, whatever the order of the list', () => {
    const one = (namespace: string, name: string, uid: string, seconds: number) =>
      pod([tolerating(seconds)], { namespace, name, uid });
    const pods = [
      one('a', 'z', '1', 5),
      one('b', 'a', '2', 1),
      one('b', 'b', '3', 1),
      one('c', 'a', '4', 1),
      one('c', 'a', '5', 1),
    ];
    const { state } = lookAtTaints(NO_TAINT_EVICTIONS, { atMs: 0, taints: [TAINT], pods });
    fc.assert(
      fc.property(fc.shuffledSubarray(pods, { minLength: 5 }), (shuffled) => {
        const { due } = lookAtTaints(state, { atMs: 9000, taints: [TAINT], pods: shuffled });
        expect(due.map(({ uid }) => uid)).toEqual(['2', '3', '4', '5', '1']);
      }),
    );
  });
});
