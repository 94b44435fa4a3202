import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../../agent/model/agent-event.ts';
import { auditRecord } from '../../../../agent/report/audit/audit-record.ts';
import { jsonText } from '../../../../agent/report/json-text.ts';
import { podOf } from '../../../fakes/pods.ts';
import { evictionOrder, WALL_MS } from '../../../fakes/tick-records.ts';

const MI = 1024 * 1024;
const ORDER = evictionOrder();
const WHO = { namespace: 'shop', name: 'cache', uid: 'uid-cache' };
const RANK = [
  {
    namespace: 'shop',
    name: 'new',
    uid: null,
    priority: 0,
    usage: null,
    request: 0,
    overRequest: null,
    evictable: false,
    why: 'passed over: unmeasured; priority 0',
  },
  {
    ...WHO,
    priority: -5,
    usage: 70 * MI,
    request: 0,
    overRequest: 70 * MI,
    evictable: true,
    why: 'uses 70Mi, all of it over, since it requests none; priority -5; first to go',
  },
];
const VICTIM = { ...WHO, controller: 'ReplicaSet' };
const FOR_MEMORY = {
  ...VICTIM,
  signal: 'memory.available',
  threshold: { signal: 'memory.available', type: 'hard', value: { quantity: 100 * MI } },
  available: 48 * MI,
  capacity: 2048 * MI,
  gracePeriodSeconds: 1,
  rank: RANK,
  message: 'The node was low on resource: memory.',
};
const EVICTION = {
  kind: 'eviction',
  order: ORDER,
  evictor: 'cgroup',
  reactionMs: 200,
  tookMs: 1500,
} as const;
const WRITE = {
  kind: 'write',
  pod: 'shop/api',
  container: 'c',
  cgroup: 'kubepods',
  file: 'memory.min',
  from: '0',
  to: '4096',
  reason: 'r',
  outcome: 'written',
} as const;
const DRIFT = {
  kind: 'drift',
  pod: 'shop/api',
  container: null,
  cgroup: 'kubepods',
  file: 'memory.min',
  wrote: '4096',
  found: '0',
} as const;

const DRY = { evictions: 'dry', because: 'a kubelet runs here' } as const;

describe('the audit record', () => {
  it.each<[string, AgentEvent, object]>([
    [
      'of a start has the facts of the host',
      {
        kind: 'start',
        pid: 7,
        version: '1.2.3',
        host: { memoryCapacityBytes: 9007199254740991n, a: { b: [] } },
        standing: DRY,
      },
      { pid: 7, version: '1.2.3', ...DRY, host: { memoryCapacityBytes: 9007199254740991, a: { b: [] } } },
    ],
    [
      'of how evictions stand has why, and how those for taints do',
      { kind: 'standing', evictions: 'on', taints: { evictions: 'dry', because: 'a cluster does it' } },
      { evictions: 'on', taints: { evictions: 'dry', because: 'a cluster does it' } },
    ],
    [
      'of a reload has what changed',
      { kind: 'reload', ok: true, changes: ['a: 1 -> 2'] },
      { ok: true, changes: ['a: 1 -> 2'] },
    ],
    [
      'of a refused reload has the sentence',
      { kind: 'reload', ok: false, changes: [], error: 'no' },
      { ok: false, changes: [], error: 'no' },
    ],
    [
      'of a condition has the first of its signals, and all',
      {
        kind: 'condition',
        type: 'DiskPressure',
        status: true,
        signals: ['imagefs.available', 'nodefs.available'],
      },
      {
        type: 'DiskPressure',
        status: true,
        signal: 'imagefs.available',
        signals: ['imagefs.available', 'nodefs.available'],
      },
    ],
    [
      'of a condition that ends has no signal',
      { kind: 'condition', type: 'DiskPressure', status: false, signals: [] },
      { type: 'DiskPressure', status: false, signal: null, signals: [] },
    ],
    [
      'of an applied plan has the counts',
      { kind: 'plan-applied', written: 3, failed: 1, wanted: 2 },
      { written: 3, failed: 1, wanted: 2 },
    ],
    [
      'of a write has the values as the files have them',
      WRITE,
      {
        pod: 'shop/api',
        container: 'c',
        cgroup: 'kubepods',
        file: 'memory.min',
        from: '0',
        to: '4096',
        reason: 'r',
        outcome: 'written',
      },
    ],
    [
      'of a write says through whom it went, and why not through systemd',
      { ...WRITE, pod: null, container: null, writer: 'cgroupfs', because: 'no bus' },
      {
        pod: null,
        container: null,
        cgroup: 'kubepods',
        file: 'memory.min',
        from: '0',
        to: '4096',
        reason: 'r',
        outcome: 'written',
        writer: 'cgroupfs',
        because: 'no bus',
      },
    ],
    [
      'of a write of a tier names nobody',
      { ...WRITE, pod: null, container: null },
      {
        pod: null,
        container: null,
        cgroup: 'kubepods',
        file: 'memory.min',
        from: '0',
        to: '4096',
        reason: 'r',
        outcome: 'written',
      },
    ],
    [
      'of a failed write has the error',
      { ...WRITE, from: null, outcome: 'failed', error: 'EROFS' },
      {
        pod: 'shop/api',
        container: 'c',
        cgroup: 'kubepods',
        file: 'memory.min',
        from: null,
        to: '4096',
        reason: 'r',
        outcome: 'failed',
        error: 'EROFS',
      },
    ],
    [
      'of a drift has both values',
      DRIFT,
      {
        pod: 'shop/api',
        container: null,
        cgroup: 'kubepods',
        file: 'memory.min',
        wrote: '4096',
        found: '0',
      },
    ],
    [
      'of a drift that is left alone says why and how long',
      { ...DRIFT, leftAlone: { likelyWriter: 'systemd', forMs: 5 } },
      {
        pod: 'shop/api',
        container: null,
        cgroup: 'kubepods',
        file: 'memory.min',
        wrote: '4096',
        found: '0',
        leftAlone: { likelyWriter: 'systemd', forMs: 5 },
      },
    ],
    [
      'of an eviction that begins has everything that decided it',
      { kind: 'evicting', order: ORDER, evictor: 'cgroup' },
      { ...FOR_MEMORY, evictor: 'cgroup' },
    ],
    [
      'of an eviction has its outcome as well',
      { ...EVICTION, outcome: { kind: 'gone' } },
      { ...FOR_MEMORY, evictor: 'cgroup', outcome: 'gone', reactionMs: 200, tookMs: 1500 },
    ],
    [
      'of an eviction says that nothing controls the pod',
      {
        ...EVICTION,
        order: { ...ORDER, pod: podOf({ metadata: WHO }) },
        outcome: { kind: 'gone' },
        reactionMs: undefined,
      },
      { ...FOR_MEMORY, controller: null, evictor: 'cgroup', outcome: 'gone', tookMs: 1500 },
    ],
    [
      'of an eviction has how the node stood',
      {
        kind: 'evicting',
        order: {
          ...ORDER,
          evidence: { memAvailableBytes: 5n, psi: null, metSinceMs: Date.UTC(2026, 2, 4, 5, 6, 7, 250) },
        },
        evictor: 'cgroup',
      },
      {
        ...FOR_MEMORY,
        memAvailableBytes: 5,
        psi: null,
        metSince: '2026-03-04T05:06:07.250Z',
        evictor: 'cgroup',
      },
    ],
    [
      'of an eviction for a storage limit has it too',
      {
        ...EVICTION,
        order: {
          ...ORDER,
          cause: { kind: 'storage-limit', limit: 'emptydirfs.limit', message: 'over' },
          candidates: [],
          evidence: { memAvailableBytes: 5n },
        },
        outcome: { kind: 'gone' },
        reactionMs: undefined,
      },
      {
        ...VICTIM,
        ...{ signal: 'emptydirfs.limit', threshold: null, available: null, memAvailableBytes: 5 },
        ...{ gracePeriodSeconds: 1, rank: [], message: 'The node was low on resource: memory.' },
        ...{ evictor: 'cgroup', outcome: 'gone', tookMs: 1500 },
      },
    ],
    [
      'of an eviction has whole milliseconds',
      { ...EVICTION, outcome: { kind: 'gone' }, reactionMs: 737.7769999999982, tookMs: 850.4 },
      { ...FOR_MEMORY, evictor: 'cgroup', outcome: 'gone', reactionMs: 738, tookMs: 850 },
    ],
    [
      'of an eviction of a pod that stays says why',
      { ...EVICTION, outcome: { kind: 'still-there', why: 'it did not end' }, reactionMs: undefined },
      { ...FOR_MEMORY, evictor: 'cgroup', outcome: 'still-there', why: 'it did not end', tookMs: 1500 },
    ],
    [
      'of an eviction that was refused says why',
      { ...EVICTION, outcome: { kind: 'refused', why: 'made anew' }, reactionMs: undefined },
      { ...FOR_MEMORY, evictor: 'cgroup', outcome: 'refused', why: 'made anew', tookMs: 1500 },
    ],
    [
      'of an eviction in dry-run',
      { ...EVICTION, outcome: { kind: 'dry-run' }, reactionMs: undefined, tookMs: 0 },
      { ...FOR_MEMORY, evictor: 'cgroup', outcome: 'dry-run', tookMs: 0 },
    ],
    [
      'of an eviction that is dry, with why it is',
      {
        ...EVICTION,
        outcome: { kind: 'dry-run', because: 'a kubelet runs here' },
        reactionMs: undefined,
        tookMs: 0,
      },
      { ...FOR_MEMORY, evictor: 'cgroup', outcome: 'dry-run', because: 'a kubelet runs here', tookMs: 0 },
    ],
    [
      'of a pod over a storage limit has no threshold',
      {
        kind: 'evicting',
        evictor: 'cgroup',
        order: {
          ...evictionOrder(),
          candidates: [],
          cause: { kind: 'storage-limit', limit: 'ephemeralpodfs.limit', message: 'over' },
        },
      },
      {
        ...VICTIM,
        signal: 'ephemeralpodfs.limit',
        threshold: null,
        available: null,
        gracePeriodSeconds: 1,
        rank: [],
        message: 'The node was low on resource: memory.',
        evictor: 'cgroup',
      },
    ],
    [
      'of an eviction for a taint has the taint in the place of the signal',
      {
        ...EVICTION,
        order: {
          ...ORDER,
          cause: { kind: 'taint', taint: { key: 'a', value: 'b', effect: 'NoExecute' }, message: 'tainted' },
          candidates: [],
          gracePeriodSeconds: 30,
          message: 'tainted',
        },
        outcome: { kind: 'gone' },
        reactionMs: undefined,
      },
      {
        ...VICTIM,
        ...{
          signal: null,
          taint: { key: 'a', value: 'b', effect: 'NoExecute' },
          threshold: null,
          available: null,
        },
        ...{ gracePeriodSeconds: 30, rank: [], message: 'tainted' },
        ...{ evictor: 'cgroup', outcome: 'gone', tookMs: 1500 },
      },
    ],
    [
      'of a pod that stays in spite of a taint',
      {
        kind: 'no-eviction',
        pod: { namespace: 'shop', name: 'web', uid: 'u' },
        taint: { key: 'a', value: '', effect: 'NoExecute' },
        why: 'it is static',
      },
      {
        ...{ namespace: 'shop', name: 'web', uid: 'u', signal: null },
        ...{ taint: { key: 'a', value: '', effect: 'NoExecute' }, why: 'it is static' },
      },
    ],
    [
      'of nobody going',
      { kind: 'no-eviction', signal: 'pid.available', why: 'nobody may go' },
      { signal: 'pid.available', why: 'nobody may go' },
    ],
    [
      'of a trouble',
      { kind: 'trouble', part: 'pods', sentence: 'no list', over: false },
      { part: 'pods', sentence: 'no list', over: false },
    ],
    ['of a stop', { kind: 'stop', reason: 'SIGTERM' }, { reason: 'SIGTERM' }],
  ])('%s', (_, event, fields) => {
    const line = jsonText(auditRecord({ event, wallMs: WALL_MS, mode: 'enforce' }), 0);
    const time = '2026-03-04T05:06:07.500Z';
    expect(JSON.parse(line)).toEqual({ time, kind: event.kind, mode: 'enforce', ...fields });
    expect(Object.keys(JSON.parse(line) as object).slice(0, 3)).toEqual(['time', 'kind', 'mode']);
  });

  it('of a pod without UID has null', () => {
    const order = { ...ORDER, pod: podOf({ name: 'new' }) };
    const record = auditRecord({
      event: { kind: 'evicting', order, evictor: 'dry' },
      wallMs: 0,
      mode: 'dry-run',
    });
    expect(record).toMatchObject({ uid: null, mode: 'dry-run' });
  });
});
