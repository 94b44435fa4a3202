import { expect, it } from 'vitest';
import { foreignStatistics } from '../../../agent/decide/foreign-statistics.ts';
import type { Pod } from '../../../agent/model/pod.ts';
import { podOf } from '../../fakes/pods.ts';

const on = (nodeName?: string): Pod => podOf({ spec: nodeName === undefined ? {} : { nodeName } });

/** The node that the summary names, the one that was said, the pods, and the name that this node then has. */
type Case = readonly [string | undefined, string | undefined, readonly Pod[], string | undefined];

it.each<[string, Case]>([
  ['the name that was said is another', ['shelf-9', 'shelf-1', [on('shelf-9')], 'shelf-1']],
  [
    'the only name of the pods is another',
    ['shelf-9', undefined, [on(), on('shelf-2'), on('shelf-2')], 'shelf-2'],
  ],
  ['the name that was said is the same', ['shelf-1', 'shelf-1', [on('shelf-2')], undefined]],
  ['the pods name the same', ['shelf-2', undefined, [on('shelf-2')], undefined]],
  ['the pods name two', ['shelf-9', undefined, [on('shelf-1'), on('shelf-2')], undefined]],
  ['nobody names a node', ['shelf-9', undefined, [on()], undefined]],
  ['the summary names none', [undefined, 'shelf-1', [], undefined]],
  ['the summary names an empty one', ['', 'shelf-1', [], undefined]],
])('%s', (_what, [of, nodeName, pods, here]) => {
  expect(foreignStatistics(of, { pods, nodeName })).toBe(
    here === undefined
      ? undefined
      : `these are the statistics of node shelf-9, and this is ${here}; check stats.source or --stats`,
  );
});
