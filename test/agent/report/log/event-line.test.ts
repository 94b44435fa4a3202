import { describe, expect, it } from 'vitest';
import type { AgentEvent, AgentPart } from '../../../../agent/model/agent-event.ts';
import { eventLine } from '../../../../agent/report/log/event-line.ts';
import { evictionOrder, MEMORY_HARD, NODEFS_SOFT, WALL_MS } from '../../../fakes/tick-records.ts';

const ORDER = evictionOrder();
const MI = 1024n * 1024n;

function write(parts: Partial<Extract<AgentEvent, { kind: 'write' }>>): AgentEvent {
  return {
    kind: 'write',
    pod: null,
    container: null,
    cgroup: 'kubepods/pod1',
    file: 'memory.high',
    from: 'max',
    to: '1048576',
    reason: 'request 1Mi',
    outcome: 'written',
    ...parts,
  };
}

function eviction(parts: Partial<Extract<AgentEvent, { kind: 'eviction' }>>): AgentEvent {
  return {
    kind: 'eviction',
    order: ORDER,
    evictor: 'cgroup',
    outcome: { kind: 'gone' },
    reactionMs: 200,
    tookMs: 1250,
    ...parts,
  };
}

const DRIFT = {
  kind: 'drift',
  pod: null,
  container: null,
  cgroup: '',
  file: 'memory.min',
  wrote: '4096',
  found: '0',
} as const;
const WHY =
  'memory.available is 48Mi, below its hard threshold of 100Mi; the pod uses 70Mi, all of it over, since it requests none; priority -5; first to go';

const DRY = { evictions: 'dry', because: 'a kubelet runs here' } as const;

describe('the line of an event', () => {
  it.each<[string, AgentEvent, string, string]>([
    [
      'a start with what a fact of the host can be shown as',
      {
        kind: 'start',
        pid: 7,
        version: '1.2.3',
        host: { kernel: '6.12', memory: 5n, fake: true, thresholds: [1], none: null, cpus: 4 },
        standing: { evictions: 'dry', because: 'a kubelet runs here' },
      },
      'info',
      'nodeqos 1.2.3 starts (enforce, PID 7, kernel 6.12, memory 5, fake true, cpus 4)',
    ],
    [
      'evictions that stay dry',
      { kind: 'standing', evictions: 'dry', because: 'a kubelet runs here' },
      'warning',
      'evictions stay dry: a kubelet runs here',
    ],
    [
      'evictions that stay dry, those for taints for the same reason',
      { kind: 'standing', ...DRY, taints: DRY },
      'warning',
      'evictions stay dry: a kubelet runs here; those for taints too',
    ],
    [
      'evictions that are real, while those for taints stay dry',
      { kind: 'standing', evictions: 'on', taints: DRY },
      'warning',
      'evictions are real; those for taints stay dry: a kubelet runs here',
    ],
    [
      'evictions that are real, those for taints as well',
      { kind: 'standing', evictions: 'on', taints: { evictions: 'on' } },
      'notice',
      'evictions are real; those for taints too',
    ],
    [
      'evictions that are off',
      { kind: 'standing', evictions: 'off', because: 'eviction.enabled is false' },
      'warning',
      'evictions are off: eviction.enabled is false',
    ],
    [
      'a reload that changed something',
      { kind: 'reload', ok: true, changes: ['a: 1 -> 2', 'b: none -> 3'] },
      'info',
      'the configuration changed: a: 1 -> 2; b: none -> 3',
    ],
    [
      'a reload that changed nothing',
      { kind: 'reload', ok: true, changes: [] },
      'info',
      'the configuration was read again; nothing changed',
    ],
    [
      'a condition that begins',
      {
        kind: 'condition',
        type: 'DiskPressure',
        status: true,
        signals: ['imagefs.available', 'nodefs.available'],
      },
      'warning',
      'DiskPressure begins (imagefs.available, nodefs.available)',
    ],
    [
      'a condition that begins for no signal that is seen',
      { kind: 'condition', type: 'DiskPressure', status: true, signals: [] },
      'warning',
      'DiskPressure begins',
    ],
    [
      'a condition that ends',
      { kind: 'condition', type: 'PIDPressure', status: false, signals: [] },
      'notice',
      'PIDPressure is over',
    ],
    [
      'a plan that was applied',
      { kind: 'plan-applied', written: 3, failed: 0, wanted: 0 },
      'info',
      'Memory QoS values: 3 written',
    ],
    [
      'a plan of which a part failed',
      { kind: 'plan-applied', written: 0, failed: 2, wanted: 0 },
      'warning',
      'Memory QoS values: 2 failed',
    ],
    [
      'a plan that dry-run holds back',
      { kind: 'plan-applied', written: 0, failed: 0, wanted: 4 },
      'info',
      'Memory QoS values: 4 would be written',
    ],
    [
      'a plan with nothing to do',
      { kind: 'plan-applied', written: 0, failed: 0, wanted: 0 },
      'info',
      'Memory QoS values: 0 written',
    ],
    ['a write', write({}), 'info', 'wrote memory.high of kubepods/pod1: max -> 1048576 (request 1Mi)'],
    [
      'a write that dry-run holds back, of a file that nobody could read',
      write({ outcome: 'wanted', from: null }),
      'info',
      'would write memory.high of kubepods/pod1: unknown -> 1048576 (request 1Mi)',
    ],
    [
      'a write whose cgroup is gone',
      write({ outcome: 'vanished' }),
      'debug',
      'memory.high of kubepods/pod1: max -> 1048576 is left out: the cgroup is gone',
    ],
    [
      'a write of a pod, by its name',
      write({ pod: 'shop/api' }),
      'info',
      'wrote memory.high of shop/api: max -> 1048576 (request 1Mi)',
    ],
    [
      'a write of a container that dry-run holds back, by its name',
      write({ pod: 'shop/api', container: 'c', outcome: 'wanted' }),
      'info',
      'would write memory.high of shop/api, container c: max -> 1048576 (request 1Mi)',
    ],
    [
      'a drift of a container, by its name',
      { ...DRIFT, pod: 'shop/api', container: 'c' },
      'warning',
      'somebody changed memory.min of shop/api, container c: 4096 was written, 0 is there',
    ],
    ['a drift', DRIFT, 'warning', 'somebody changed memory.min of /: 4096 was written, 0 is there'],
    [
      'a drift that is left alone',
      { ...DRIFT, leftAlone: { likelyWriter: 'the kubelet', forMs: 600_000 } },
      'warning',
      'somebody changed memory.min of /: 4096 was written, 0 is there; left alone for 10 min, likely written by the kubelet',
    ],
    [
      'an eviction that begins',
      { kind: 'evicting', order: ORDER, evictor: 'cgroup' },
      'notice',
      `evicting shop/cache, grace 1 s: ${WHY}`,
    ],
    [
      "an eviction for memory with the kernel's number beside the kubelet's",
      {
        kind: 'evicting',
        order: { ...ORDER, evidence: { memAvailableBytes: 300n * 1024n * 1024n } },
        evictor: 'cgroup',
      },
      'notice',
      `evicting shop/cache, grace 1 s: ${WHY.replace('; the pod', ' (MemAvailable is 300Mi); the pod')}`,
    ],
    ['a pod that went', eviction({}), 'notice', 'evicted shop/cache: gone after 1.2 s (evictor cgroup)'],
    [
      'an eviction that dry-run holds back',
      eviction({ outcome: { kind: 'dry-run' } }),
      'notice',
      `would evict shop/cache, grace 1 s: ${WHY}`,
    ],
    [
      'a pod that stays',
      eviction({ outcome: { kind: 'still-there', why: 'it did not end in time' } }),
      'error',
      'shop/cache is still there: it did not end in time (evictor cgroup)',
    ],
    [
      'a pod that must not go',
      eviction({ outcome: { kind: 'refused', why: 'its cgroup was made anew' } }),
      'error',
      'shop/cache was not evicted: its cgroup was made anew (evictor cgroup)',
    ],
    [
      'a pod over a storage limit, ranked by nobody',
      {
        kind: 'evicting',
        evictor: 'cgroup',
        order: {
          ...ORDER,
          cause: { kind: 'storage-limit', limit: 'emptydirfs.limit', message: 'emptyDir "a" is over 1Gi' },
          candidates: [],
        },
      },
      'notice',
      'evicting shop/cache, grace 1 s: emptyDir "a" is over 1Gi',
    ],
    [
      'a threshold that only its minimum reclaim still meets',
      {
        kind: 'evicting',
        evictor: 'cgroup',
        order: {
          ...ORDER,
          cause: { kind: 'threshold', threshold: MEMORY_HARD, available: 100n * MI, capacity: 2048n * MI },
          candidates: [],
        },
      },
      'notice',
      'evicting shop/cache, grace 1 s: memory.available is 100Mi, not yet above its hard threshold of 100Mi by the minimum reclaim',
    ],
    [
      'a threshold that counts inodes',
      {
        kind: 'evicting',
        evictor: 'cgroup',
        order: {
          ...ORDER,
          gracePeriodSeconds: 30,
          cause: { kind: 'threshold', threshold: NODEFS_SOFT, available: 90n, capacity: 1000n },
          candidates: [],
        },
      },
      'notice',
      'evicting shop/cache, grace 30 s: nodefs.inodesFree is 90, below its soft threshold of 10%',
    ],
    [
      'a pod that stays in spite of a taint',
      {
        kind: 'no-eviction',
        pod: { namespace: 'shop', name: 'web' },
        taint: { key: 'a', value: 'b', effect: 'NoExecute' },
        why: 'it is static',
      },
      'warning',
      'shop/web is not evicted for the taint a=b:NoExecute: it is static',
    ],
    [
      'nobody going',
      { kind: 'no-eviction', signal: 'pid.available', why: 'nobody may go' },
      'warning',
      'nobody is evicted for pid.available: nobody may go',
    ],
    ['a stop', { kind: 'stop', reason: 'SIGTERM' }, 'info', 'nodeqos stops: SIGTERM'],
  ])('%s', (_, event, level, line) => {
    expect(eventLine({ event, wallMs: WALL_MS, mode: 'enforce' })).toEqual({ level, line, isTrouble: false });
  });

  it.each<[string, AgentEvent, string, string]>([
    [
      'a reload that is refused',
      { kind: 'reload', ok: false, changes: [], error: 'nodeqos.yaml:3:1: no' },
      'error',
      'the new configuration is refused and the last good one stays: nodeqos.yaml:3:1: no',
    ],
    [
      'a reload that is refused, its sentence among the changes',
      { kind: 'reload', ok: false, changes: ['no', 'nor that'] },
      'error',
      'the new configuration is refused and the last good one stays: no; nor that',
    ],
    [
      'a write that failed',
      write({ outcome: 'failed', error: 'EROFS' }),
      'error',
      'memory.high of kubepods/pod1: max -> 1048576 failed: EROFS',
    ],
    [
      'a write that failed and does not say why',
      write({ outcome: 'failed', cgroup: '' }),
      'error',
      'memory.high of /: max -> 1048576 failed: for no reason given',
    ],
    [
      'a trouble that is over',
      { kind: 'trouble', part: 'audit', sentence: 'no space left', over: true },
      'notice',
      'audit works again; it was: no space left',
    ],
    [
      'a list that holds every pod again',
      { kind: 'trouble', part: 'unlisted', sentence: '2 are not listed', over: true },
      'notice',
      'every pod on the node is in the list; it was: 2 are not listed',
    ],
  ])('%s is a trouble', (_, event, level, line) => {
    expect(eventLine({ event, wallMs: WALL_MS, mode: 'enforce' })).toEqual({ level, line, isTrouble: true });
  });

  it.each<[AgentPart, string]>([
    ['audit', 'error'],
    ['cgroups', 'error'],
    ['configuration', 'error'],
    ['eviction', 'error'],
    ['journal', 'error'],
    ['listen', 'error'],
    ['lock', 'error'],
    ['native', 'warning'],
    ['notify', 'warning'],
    ['pods', 'crit'],
    ['statistics', 'crit'],
    ['trace', 'error'],
    ['unlisted', 'warning'],
  ])('a trouble of the part %s is of level %s', (part, level) => {
    const event: AgentEvent = { kind: 'trouble', part, sentence: 'it fails', over: false };
    expect(eventLine({ event, wallMs: 0, mode: 'dry-run' })).toEqual({
      level,
      line: `${part}: it fails`,
      isTrouble: true,
    });
  });

  it('keeps hostile names text, on one line', () => {
    const name = `\u001b[2J\r\n<0>fake "quoted" \u202egnol ${'x'.repeat(253)}`;
    const order = evictionOrder({ namespace: 'a\nb', name });
    const { line } = eventLine({ event: eviction({ order }), wallMs: 0, mode: 'enforce' });
    expect(line).toBe(
      `evicted a\\u000ab/\\u001b[2J\\u000d\\u000a<0>fake "quoted" \\u202egnol ${'x'.repeat(253)}: gone after 1.2 s (evictor cgroup)`,
    );
  });
});
