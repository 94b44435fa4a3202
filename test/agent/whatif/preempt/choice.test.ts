import { describe, expect, it } from 'vitest';
import { chooseCandidate } from '../../../../agent/whatif/preempt/choice.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import {
  budgetFor,
  type CPU,
  nodeNamed,
  type PRIORITY,
  planFor,
  podNamed,
  snapshotOf,
  victimsByNode,
} from '../../../fakes/cluster.ts';

type Level = keyof typeof PRIORITY;
type Size = keyof typeof CPU;
/** Priority, start in seconds, cpu. */
type Victim = readonly [Level, number?, Size?];

/** Nodes that are full of these pods, all of which have to go for a pod that takes a whole node. */
function nodesWith(nodes: Readonly<Record<string, readonly Victim[]>>): readonly PlainRecord[] {
  return Object.entries(nodes).flatMap(([node, victims]) => [
    nodeNamed(node),
    ...victims.map(([priority, startedAt = 0, requests = 'S'], at) =>
      podNamed(`${node}-${at}`, { priority, requests, node, startedAt }),
    ),
  ]);
}

function chosen(
  nodes: Readonly<Record<string, readonly Victim[]>>,
  priority: Level = 'high',
  more: readonly PlainRecord[] = [],
): readonly [string | null, string] {
  const plan = planFor(snapshotOf(podNamed('p', { priority, requests: 'XL' }), ...nodesWith(nodes), ...more));
  expect(plan.tiedNodes).toEqual([]);
  return [plan.nominatedNode, plan.reason];
}

const MID_L: Victim = ['mid', 0, 'L'];
const NEG: Victim = ['neg'];
const LOW: Victim = ['low'];
const MID: Victim = ['mid'];

const FEWEST_BUDGETS = 'it breaks the fewest disruption budgets';
const LOWEST_FIRST = 'its most important victim is of the lowest priority';
const LEAST_SUM = 'the priorities of its victims, each counted from the lowest there is, add up to the least';
const FEWEST_VICTIMS = 'it has the fewest victims';
const SHORTEST_RUN = 'its most important victims have run for the shortest time';

describe('the node that is chosen', () => {
  it.each<readonly [string, Readonly<Record<string, readonly Victim[]>>, readonly [string, string, Level?]]>([
    [
      'vS1: that of the lowest highest priority',
      { n1: [MID, MID], n2: [MID, LOW], n3: [LOW, LOW] },
      ['n3', LOWEST_FIRST],
    ],
    [
      'vS2: that of the smallest sum of priorities',
      { n1: [MID, MID], n2: [MID, LOW], n3: [MID, MID] },
      ['n2', LEAST_SUM],
    ],
    [
      'vS3: of negative priorities each still costs something',
      { n1: [MID, NEG, MID, NEG], n2: [MID_L, ['neg', 0, 'M']], n3: [MID, NEG, LOW] },
      ['n2', LEAST_SUM],
    ],
    [
      'vS4: two pods of negative priority cost more than one, though their sum is less',
      { n1: [MID, NEG, NEG], n2: [MID, NEG], n3: [MID, NEG, LOW] },
      ['n2', LEAST_SUM],
    ],
    [
      'vS5: the highest priority counts before the sum',
      {
        n1: [MID, LOW, LOW],
        n2: [['high', 0, 'L']],
        n3: [MID, LOW, LOW, LOW],
        n4: [MID, MID, MID, NEG],
      },
      ['n1', LEAST_SUM, 'vhigh'],
    ],
    [
      'vS6: that whose pods started last',
      {
        n1: [
          ['mid', 2],
          ['mid', 2],
        ],
        n2: [
          ['mid', 3],
          ['mid', 3],
        ],
        n3: [
          ['mid', 1],
          ['mid', 1],
        ],
      },
      ['n2', SHORTEST_RUN],
    ],
    [
      'vS7: by the earliest start on each node',
      {
        n1: [
          ['mid', 4],
          ['mid', 2],
        ],
        n2: [
          ['mid', 5],
          ['mid', 1],
        ],
        n3: [
          ['mid', 3],
          ['mid', 6],
        ],
      },
      ['n3', SHORTEST_RUN],
    ],
    [
      'vS8: only starts of pods of the highest priority count',
      {
        n1: [
          ['low', 4],
          ['mid', 2],
        ],
        n2: [
          ['mid', 6],
          ['low', 1],
        ],
        n3: [
          ['low', 3],
          ['mid', 5],
        ],
      },
      ['n2', SHORTEST_RUN],
    ],
    [
      'vS9: one victim of negative priority rather than two',
      { n1: [NEG, NEG], n2: [NEG] },
      ['n2', LEAST_SUM],
    ],
  ])('%s', (_, nodes, [node, because, priority = 'high']) => {
    expect(chosen(nodes, priority)).toEqual([node, `${node} is made free: ${because}`]);
  });

  it('vS10: budgets count before priorities', () => {
    const guarded = podNamed('guarded', {
      priority: 'neg',
      requests: 'S',
      node: 'n1',
      labels: { app: 'foo' },
    });
    const nodes = { n2: [MID] };
    const more = [nodeNamed('n1'), guarded, budgetFor('foo', { app: 'foo' }, 0)];
    expect(chosen(nodes, 'high', more)).toEqual(['n2', `n2 is made free: ${FEWEST_BUDGETS}`]);
  });

  it('a node whose victim has not started counts as started last', () => {
    const fresh = podNamed('fresh', { priority: 'mid', requests: 'S', node: 'n2' });
    expect(chosen({ n1: [['mid', 9]] }, 'high', [nodeNamed('n2'), fresh])).toEqual([
      'n2',
      `n2 is made free: ${SHORTEST_RUN}`,
    ]);
  });

  it('the fewest victims count where sums are equal, which the lowest priority there is makes possible', () => {
    const lowest = (name: string) =>
      podNamed(name, { priority: -(2 ** 31), requests: 'S', node: name.slice(0, 2) });
    const more = [nodeNamed('n1'), nodeNamed('n2'), ...['n1-a', 'n1-b', 'n2-a'].map(lowest)];
    expect(chosen({}, 'high', more)).toEqual(['n2', `n2 is made free: ${FEWEST_VICTIMS}`]);
  });

  it('there is none among no candidates', () => {
    expect(chooseCandidate([])).toBeUndefined();
  });

  it('of equal nodes it is the first by name, and all are named', () => {
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'high', requests: 'XL' }),
        ...nodesWith({ n3: [MID], n1: [MID, LOW], n2: [MID] }),
      ),
    );
    expect([plan.nominatedNode, plan.tiedNodes]).toEqual(['n2', ['n2', 'n3']]);
    expect(plan.reason).toBe(
      'n2 is made free: the priorities of its victims, each counted from the lowest there is, add up to the least; n2, n3 are equal, and the scheduler takes any of them',
    );
  });
});

describe('how many nodes are looked at', () => {
  const nodes = (count: number) =>
    Array.from({ length: count }, (_, at): readonly [string, readonly Victim[]] => [
      `n${String(at).padStart(3, '0')}`,
      [LOW],
    ]);

  it.each([
    ['vD11, not sampled: where the scheduler may take 2 of 5 nodes, all 5 are candidates', 5],
    ['vD12, not sampled: where the scheduler takes 200 of 250, all are candidates', 250],
  ])('%s', (_, count) => {
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'high', requests: 'XL' }),
        ...nodesWith(Object.fromEntries(nodes(count))),
      ),
    );
    expect(plan.candidates.filter(({ feasible }) => feasible)).toHaveLength(count);
  });

  it('vD13, not sampled: the one node without a broken budget is found, however late it comes', () => {
    const guarded = Array.from({ length: 9 }, (_, at) => [
      nodeNamed(`n${at}`),
      podNamed(`g${at}`, { priority: 'neg', requests: 'S', node: `n${at}`, labels: { app: 'foo' } }),
    ]).flat();
    const more = [...guarded, budgetFor('foo', { app: 'foo' }, 0)];
    expect(chosen({ z: [MID] }, 'high', more)[0]).toBe('z');
  });
});

describe('the order of the plan', () => {
  it('has candidates by name of the node', () => {
    const plan = planFor(
      snapshotOf(
        podNamed('p', { priority: 'high', requests: 'XL' }),
        ...nodesWith({ n10: [MID], n9: [MID], n1: [['high', 0, 'L']] }),
      ),
    );
    expect(plan.candidates.map(({ node }) => node)).toEqual(['n1', 'n10', 'n9']);
    expect(victimsByNode(plan)).toEqual({ n10: ['n10-0'], n9: ['n9-0'] });
  });
});
