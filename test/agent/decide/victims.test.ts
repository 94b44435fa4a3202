import { describe, expect, it } from 'vitest';
import type { RankingRules } from '../../../agent/decide/candidate.ts';
import { passedOverBecause } from '../../../agent/decide/victims.ts';
import { memoryPod, type RankedParts, rankOf, rules, used } from '../../fakes/ranking.ts';

type Row = readonly [string, RankedParts, Partial<RankingRules>, string | undefined];

const NODEQOS: Partial<RankingRules> = {};
const KUBELET: Partial<RankingRules> = { compat: 'kubelet' };
const protect = (more: Partial<RankingRules['protected']>): Partial<RankingRules> => ({
  protected: { namespaces: [], labels: new Map(), ...more },
});

const STATIC = { 'kubernetes.io/config.source': 'file' };
const MIRROR = { 'kubernetes.io/config.mirror': 'hash', 'kubernetes.io/config.hash': 'hash' };

const ROWS: readonly Row[] = [
  ['an ordinary pod', {}, NODEQOS, undefined],
  [
    'a pod of the lowest critical priority',
    { priority: 2_000_000_000 },
    NODEQOS,
    'it is critical, its priority 2000000000 being at least 2000000000',
  ],
  ['a pod just below', { priority: 1_999_999_999 }, NODEQOS, undefined],
  [
    'report 14: a static pod',
    { annotations: STATIC },
    NODEQOS,
    'it is a static pod, which the kubelet would start again',
  ],
  [
    'a mirror pod',
    { annotations: MIRROR },
    NODEQOS,
    'it is the mirror of a static pod, which the kubelet would start again',
  ],
  [
    'a static pod, for the kubelet too',
    { annotations: STATIC },
    KUBELET,
    'it is a static pod, which the kubelet would start again',
  ],
  [
    'a pod from the API that says so',
    { annotations: { 'kubernetes.io/config.source': 'api' } },
    NODEQOS,
    undefined,
  ],
  [
    'report 14: a pod with the name of a critical class alone',
    { spec: { priorityClassName: 'system-node-critical' } },
    NODEQOS,
    undefined,
  ],
  ['a terminating pod', { terminating: true }, NODEQOS, 'it is terminating already'],
  ['a terminating pod, for the kubelet', { terminating: true }, KUBELET, undefined],
  [
    'a pod in a protected namespace',
    { namespace: 'db' },
    protect({ namespaces: ['x', 'db'] }),
    'the configuration protects the namespace db',
  ],
  ['a pod in another namespace', { namespace: 'db2' }, protect({ namespaces: ['db'] }), undefined],
  [
    'a pod with one of the protected labels',
    { labels: { tier: 'gold' } },
    protect({
      labels: new Map([
        ['app', 'db'],
        ['tier', 'gold'],
      ]),
    }),
    'the configuration protects pods with the label tier=gold',
  ],
  [
    'a pod with another value of it',
    { labels: { tier: 'tin' } },
    protect({ labels: new Map([['tier', 'gold']]) }),
    undefined,
  ],
  [
    'a pod of a protected priority',
    { priority: 100 },
    protect({ priorityAtLeast: 100 }),
    'the configuration protects priorities of at least 100',
  ],
  ['a pod just below the protected priority', { priority: 99 }, protect({ priorityAtLeast: 100 }), undefined],
  [
    'a pod without a priority where 0 is protected',
    {},
    protect({ priorityAtLeast: 0 }),
    'the configuration protects priorities of at least 0',
  ],
  [
    'a protected pod, for the kubelet',
    { namespace: 'db' },
    { ...protect({ namespaces: ['db'] }), ...KUBELET },
    undefined,
  ],
];

describe('who may be evicted', () => {
  it.each(ROWS)('%s', (_what, parts, rules, reason) => {
    const [entry] = rankOf([memoryPod('web', 5, parts)], 'memory.available', rules);
    const numbers = `uses 5Mi, all of it over, since it requests none; priority ${parts.priority ?? 0}`;
    expect([entry?.evictable, entry?.why]).toEqual(
      reason === undefined
        ? [true, `${numbers}; first to go`]
        : [false, `passed over: ${reason}; ${numbers}`],
    );
  });
  it.each([
    [NODEQOS, 'it may be critical, since the container runtime does not know its priority'],
    [KUBELET, undefined],
  ])('a pod whose priority its source does not know, under %o', (more, reason) => {
    const { pod } = memoryPod('web', 5, { terminating: true });
    expect(passedOverBecause({ ...pod, mayBeCritical: true }, true, rules('memory.available', more))).toBe(
      reason,
    );
  });
  it('passes over an unmeasured pod unless told otherwise; the kubelet takes it', () => {
    const evictable = (rules: Partial<RankingRules>): unknown =>
      rankOf([used('new')], 'memory.available', rules)[0]?.evictable;
    expect(evictable({ unmeasured: 'skip' })).toBe(false);
    expect(evictable({ unmeasured: 'evict' })).toBe(true);
    expect(evictable({ unmeasured: 'skip', compat: 'kubelet' })).toBe(true);
  });
  it('says critical of static, mirror and critical pods only', () => {
    const critical = (parts: RankedParts): unknown =>
      rankOf([memoryPod('web', 5, parts)], 'memory.available')[0]?.critical;
    expect(
      [
        { annotations: STATIC },
        { annotations: MIRROR },
        { priority: 2_000_000_001 },
        { terminating: true },
      ].map(critical),
    ).toEqual([true, true, true, false]);
  });
});

describe('who may be evicted of a group', () => {
  it.each<Row>([
    [
      'a pod of a critical group, where groups count',
      { group: { name: 'default/w', root: 'default/j', priority: 2_000_000_000 } },
      { groups: 'count' },
      'its group default/j is critical, its priority being 2000000000',
    ],
    [
      'a pod of a group just below that, where groups count',
      { group: { name: 'default/w', root: 'default/j', priority: 1_999_999_999 } },
      { groups: 'count' },
      undefined,
    ],
    [
      'a pod of a critical group, where groups do not count',
      { group: { name: 'default/w', root: 'default/j', priority: 2_000_000_000 } },
      NODEQOS,
      undefined,
    ],
    [
      'a pod of a critical group, for the kubelet, which knows no groups',
      { group: { name: 'default/w', root: 'default/j', priority: 2_000_000_000 } },
      { groups: 'count', compat: 'kubelet' },
      undefined,
    ],
    [
      'a pod whose group has a protected priority, where groups count',
      { priority: 1, group: { name: 'default/w', root: 'default/w', priority: 5 } },
      { ...protect({ priorityAtLeast: 5 }), groups: 'count' },
      'the configuration protects priorities of at least 5',
    ],
    [
      'a pod that has a protected priority, and its group has not',
      { priority: 5, group: { name: 'default/w', root: 'default/w', priority: 1 } },
      { ...protect({ priorityAtLeast: 5 }), groups: 'count' },
      'the configuration protects priorities of at least 5',
    ],
    [
      'a pod neither of which is protected',
      { priority: 4, group: { name: 'default/w', root: 'default/w', priority: 4 } },
      { ...protect({ priorityAtLeast: 5 }), groups: 'count' },
      undefined,
    ],
    [
      'a pod whose group has a protected priority, where groups do not count',
      { priority: 1, group: { name: 'default/w', root: 'default/w', priority: 5 } },
      protect({ priorityAtLeast: 5 }),
      undefined,
    ],
  ])('%s', (_who, parts, more, reason) => {
    expect(passedOverBecause(memoryPod('web', 5, parts).pod, true, rules('memory.available', more))).toBe(
      reason,
    );
  });
});
