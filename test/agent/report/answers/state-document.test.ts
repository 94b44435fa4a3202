import { describe, expect, it } from 'vitest';
import { stateDocument } from '../../../../agent/report/answers/state-document.ts';
import { jsonText } from '../../../../agent/report/json-text.ts';
import { tickRecord, WALL_MS } from '../../../fakes/tick-records.ts';

const MI = 1024 * 1024;

function stateOf(record = tickRecord()): Record<string, unknown> {
  return JSON.parse(jsonText(stateDocument(record, { stateDir: '/var/lib/nodeqos' }), 0)) as Record<
    string,
    unknown
  >;
}

describe('the state of the agent', () => {
  it('is what status says, with the memory of the agent, and the agent itself', () => {
    const averages = { avg10: 12.5, avg60: 1, avg300: 0.25, totalUs: 1_500_000 };
    expect(stateOf()).toEqual({
      apiVersion: 'nodeqos.dev/v1alpha1',
      kind: 'AgentState',
      signals: [
        { signal: 'memory.available', available: 48 * MI, capacity: 2048 * MI, source: 'the root cgroup' },
        { signal: 'nodefs.inodesFree', available: 90, capacity: 1000, source: 'statfs' },
        { signal: 'pid.available', available: 700, capacity: 1000, source: 'pid_max' },
      ],
      thresholds: [
        {
          signal: 'imagefs.available',
          type: 'soft',
          value: { percentage: 0.10000000149011612 },
          met: false,
          metSinceMs: null,
          inGrace: false,
        },
        {
          signal: 'memory.available',
          type: 'hard',
          value: { quantity: 100 * MI },
          met: true,
          metSinceMs: WALL_MS - 8 - 2500,
          inGrace: false,
        },
        {
          signal: 'nodefs.inodesFree',
          type: 'soft',
          value: { percentage: 0.10000000149011612 },
          met: true,
          metSinceMs: WALL_MS - 8,
          inGrace: true,
        },
      ],
      conditions: ['DiskPressure', 'MemoryPressure'],
      taints: [
        { key: 'node.kubernetes.io/disk-pressure', value: '', effect: 'NoSchedule' },
        { key: 'node.kubernetes.io/memory-pressure', value: '', effect: 'NoSchedule' },
      ],
      psi: { some: averages, full: { ...averages, avg10: 3, totalUs: 250_000 } },
      memAvailableBytes: 64 * MI,
      agent: {
        pid: 4711,
        version: '1.2.3',
        mode: 'enforce',
        evictions: 'dry',
        evictionsBecause: 'a kubelet runs here',
        startedAt: '2026-03-04T05:05:07.500Z',
        lastTickAt: '2026-03-04T05:06:07.500Z',
        configurationValid: true,
        psiTrigger: true,
        configurationLoadedAt: '2026-03-04T05:05:37.500Z',
        blindTicks: 0,
        stateDir: '/var/lib/nodeqos',
      },
      tick: { tookMs: 8, nextInMs: 250 },
      pods: { count: 3, ageMs: 1500 },
      tiers: [
        { qosClass: 'Guaranteed', pods: 0, requestBytes: 0 },
        { qosClass: 'Burstable', pods: 2, requestBytes: 150 * MI, usageBytes: 900 * MI },
        { qosClass: 'BestEffort', pods: 1, requestBytes: 0, usageBytes: 70 * MI },
      ],
      memoryQos: { write: 2, keep: 10, missing: 1, leftAlone: 1, inFlight: 0 },
      thresholdsMet: [{ signal: 'memory.available', type: 'hard', value: { quantity: 100 * MI } }],
      withheld: [{ signal: 'memory.available', why: 'a pod is on its way out' }],
      pending: [
        {
          namespace: 'shop',
          name: 'cache',
          uid: 'uid-cache',
          evictedAt: '2026-03-04T05:06:06.492Z',
          gracePeriodSeconds: 1,
          memoryWorkingSetBytes: 70 * MI,
        },
        {
          namespace: 'shop',
          name: 'new',
          uid: null,
          evictedAt: '2026-03-04T05:06:06.992Z',
          gracePeriodSeconds: 30,
          memoryWorkingSetBytes: null,
        },
      ],
      troubles: ['pods: the list is old'],
    });
  });

  it('says where evictions for taints stand, with the time of each in wall clock', () => {
    const taint = { key: 'a', value: '', effect: 'NoExecute' };
    const waiting = [
      { namespace: 'shop', name: 'web', uid: 'u', evictAtMs: 99_500 },
      { namespace: 'shop', name: 'static', evictAtMs: 102_000 },
    ];
    const taints = { evictions: 'dry', evictionsBecause: 'dry-run', taints: [taint], waiting } as const;
    expect(stateOf(tickRecord({ taints }))['taintEvictions']).toEqual({
      evictions: 'dry',
      evictionsBecause: 'dry-run',
      taints: [taint],
      waiting: [
        { namespace: 'shop', name: 'web', uid: 'u', evictAt: '2026-03-04T05:06:06.992Z' },
        { namespace: 'shop', name: 'static', uid: null, evictAt: '2026-03-04T05:06:09.492Z' },
      ],
    });
  });

  it('leaves out what is not known, and has null for what is known to be none', () => {
    const { atMs, wallMs, tookMs, nextInMs, podCount, decision, agent } = tickRecord();
    const { pid, version, mode, startedAtMs, configurationLoadedAtMs, psiTrigger, blindTicks } = agent;
    const state = stateOf({
      ...{ atMs, wallMs, tookMs, nextInMs, podCount, decision },
      readings: new Map(),
      tiers: [],
      pending: [],
      psi: null,
      agent: {
        ...{ pid, version, mode, startedAtMs, configurationLoadedAtMs, psiTrigger, blindTicks },
        ownBlindTicks: 0,
        evictions: 'on',
        configurationValid: false,
        configurationError: 'nodeqos.yaml:1:1: no',
        troubles: [],
      },
    });
    expect(state).toMatchObject({ psi: null, memoryQos: null, pods: { count: 3 } });
    expect(state).not.toHaveProperty('taintEvictions');
    expect(state).not.toHaveProperty('memAvailableBytes');
    expect(state['pods']).not.toHaveProperty('ageMs');
    expect(state['agent']).toMatchObject({
      evictions: 'on',
      configurationValid: false,
      configurationError: 'nodeqos.yaml:1:1: no',
    });
    expect(state['agent']).not.toHaveProperty('evictionsBecause');
    const before = { ...tickRecord() };
    delete (before as { psi?: unknown }).psi;
    expect(stateOf(before)).not.toHaveProperty('psi');
  });
});
