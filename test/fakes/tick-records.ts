import type { PressureOrder } from '../../agent/model/eviction.ts';
import type { TickRecord } from '../../agent/model/tick.ts';
import type { Threshold } from '../../config/signal.ts';
import { podOf } from './pods.ts';

const MI = 1024n * 1024n;

export const MEMORY_HARD: Threshold = {
  id: 'memory.available/hard/100Mi',
  signal: 'memory.available',
  type: 'hard',
  value: { quantity: 100n * MI },
  gracePeriodMs: 0,
  minReclaim: null,
  derived: false,
};

export const NODEFS_SOFT: Threshold = {
  id: 'nodefs.inodesFree/soft/10%',
  signal: 'nodefs.inodesFree',
  type: 'soft',
  value: { percentage: 0.10000000149011612 },
  gracePeriodMs: 60_000,
  minReclaim: null,
  derived: false,
};

const UNSEEN: Threshold = { ...NODEFS_SOFT, id: 'imagefs', signal: 'imagefs.available' };

/** 2026-03-04 05:06:07.500, in milliseconds. */
export const WALL_MS = Date.UTC(2026, 2, 4, 5, 6, 7, 500);

/** A tick of an enforcing agent on a node of 2Gi with 48Mi left, one pod on its way out, and one signal nobody saw. */
export function tickRecord(parts: Partial<TickRecord> = {}): TickRecord {
  const averages = { avg10: 12.5, avg60: 1, avg300: 0.25, totalUs: 1_500_000n };
  return {
    atMs: 100_000,
    wallMs: WALL_MS,
    tookMs: 8,
    nextInMs: 250,
    readings: new Map([
      ['nodefs.inodesFree', { available: 90n, capacity: 1000n, source: 'statfs' }],
      ['memory.available', { available: 48n * MI, capacity: 2048n * MI, source: 'the root cgroup' }],
      ['pid.available', { available: 700n, capacity: 1000n, source: 'pid_max' }],
    ]),
    psi: { some: averages, full: { ...averages, avg10: 3, totalUs: 250_000n } },
    memAvailableBytes: 64n * MI,
    podCount: 3,
    podsAgeMs: 1500,
    tiers: [
      { qosClass: 'Guaranteed', pods: 0, requestBytes: 0n },
      { qosClass: 'Burstable', pods: 2, requestBytes: 150n * MI, usageBytes: 900n * MI },
      { qosClass: 'BestEffort', pods: 1, requestBytes: 0n, usageBytes: 70n * MI },
    ],
    decision: {
      thresholds: [
        { threshold: UNSEEN, met: undefined, metSinceMs: 1000, inGrace: false },
        { threshold: MEMORY_HARD, met: true, metSinceMs: 97_500, inGrace: false },
        { threshold: NODEFS_SOFT, met: true, metSinceMs: 100_000, inGrace: true },
      ],
      thresholdsMet: [MEMORY_HARD],
      conditions: ['DiskPressure', 'MemoryPressure'],
      evictions: [],
      withheld: [{ signal: 'memory.available', why: 'a pod is on its way out' }],
    },
    pending: [
      {
        namespace: 'shop',
        name: 'cache',
        uid: 'uid-cache',
        evictedAtMs: 99_000,
        gracePeriodSeconds: 1,
        usage: { memoryWorkingSetBytes: 70n * MI },
      },
      { namespace: 'shop', name: 'new', evictedAtMs: 99_500, gracePeriodSeconds: 30, usage: undefined },
    ],
    memoryQos: { write: 2, keep: 10, missing: 1, leftAlone: 1, inFlight: 0 },
    agent: {
      pid: 4711,
      version: '1.2.3',
      mode: 'enforce',
      evictions: 'dry',
      evictionsBecause: 'a kubelet runs here',
      startedAtMs: WALL_MS - 60_000,
      configurationValid: true,
      configurationLoadedAtMs: WALL_MS - 30_000,
      psiTrigger: true,
      blindTicks: 0,
      ownBlindTicks: 0,
      troubles: ['pods: the list is old'],
    },
    ...parts,
  };
}

/** The eviction of a pod for memory, with a ranking of two. */
export function evictionOrder(names: { namespace?: string; name?: string } = {}): PressureOrder {
  const { namespace = 'shop', name = 'cache' } = names;
  const own = { namespace, name, uid: 'uid-cache' };
  return {
    pod: podOf({ metadata: { ...own, ownerReferences: [{ kind: 'ReplicaSet', controller: true }] } }),
    cause: { kind: 'threshold', threshold: MEMORY_HARD, available: 48n * MI, capacity: 2048n * MI },
    gracePeriodSeconds: 1,
    usage: { memoryWorkingSetBytes: 70n * MI },
    candidates: [
      {
        namespace: 'shop',
        name: 'new',
        uid: null,
        priority: 0,
        usage: null,
        request: 0n,
        overRequest: null,
        evictable: false,
        why: 'passed over: unmeasured; priority 0',
      },
      {
        ...own,
        priority: -5,
        usage: 70n * MI,
        request: 0n,
        overRequest: 70n * MI,
        evictable: true,
        why: 'uses 70Mi, all of it over, since it requests none; priority -5; first to go',
      },
    ],
    message: 'The node was low on resource: memory.',
  };
}
