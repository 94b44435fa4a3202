import { describe, expect, it } from 'vitest';
import {
  cgroupsOfPod,
  type ExplainedCgroup,
  explanationSentences,
  type PodFacts,
} from '../../../agent/decide/explain.ts';
import type { PodEntry } from '../../../agent/decide/pod-entry.ts';
import { podTaintEntry } from '../../../agent/decide/tolerate.ts';
import type { PlanEntry } from '../../../cgroup/plan.ts';
import { podOf } from '../../fakes/pods.ts';
import { memoryPod, rankOf } from '../../fakes/ranking.ts';

const POD: PodEntry = {
  namespace: 'shop',
  name: 'web',
  uid: 'u1',
  qosClass: 'Burstable',
  reportedQosClass: null,
  memoryRequestBytes: 256n << 20n,
  memoryLimitBytes: 1n << 30n,
  cpuRequestMilli: 250n,
  priority: 0,
  critical: false,
  containers: [
    { name: 'app', type: 'regular', memoryRequestBytes: 1n, memoryLimitBytes: null, oomScoreAdj: 985 },
  ],
};
const ENTRY: PlanEntry = {
  level: 'container',
  namespace: 'shop',
  pod: 'web',
  uid: 'u1',
  container: 'app',
  qosClass: 'Burstable',
  cgroup: 'k/p/c',
  file: 'memory.high',
  current: 'max',
  desired: '993210368',
  action: 'write',
  reason: 'request + 0.9 x the rest',
};
const FACTS: PodFacts = { pod: POD, cgroups: [], rankings: {}, taints: null };

describe('the entries of a pod in a plan', () => {
  it('are those of its namespace, name and UID, each with its effective protection', () => {
    const entries = [
      ENTRY,
      { ...ENTRY, cgroup: null },
      { ...ENTRY, cgroup: 'unknown' },
      { ...ENTRY, namespace: 'other' },
      { ...ENTRY, pod: 'other' },
      { ...ENTRY, uid: 'other' },
      { ...ENTRY, uid: null },
    ];
    const effective = [{ cgroup: 'k/p/c', min: 5n, low: 7n }];
    expect(cgroupsOfPod(POD_IDENTITY, entries, effective)).toEqual([
      { ...ENTRY, effective: { min: 5n, low: 7n } },
      { ...ENTRY, cgroup: null },
      { ...ENTRY, cgroup: 'unknown' },
    ]);
    expect(cgroupsOfPod(POD_IDENTITY, [ENTRY], undefined)).toEqual([ENTRY]);
    expect(cgroupsOfPod({ namespace: 'shop', name: 'web' }, entries, [])).toEqual([{ ...ENTRY, uid: null }]);
  });
});

const POD_IDENTITY = { namespace: 'shop', name: 'web', uid: 'u1' };

describe('a pod in sentences', () => {
  const said = (facts: Partial<PodFacts>): readonly string[] => explanationSentences({ ...FACTS, ...facts });
  const withoutContainers = { ...POD, containers: [] };

  it('starts with class, resources and oom_score_adj', () => {
    expect(said({})).toEqual([
      'shop/web is Burstable: it requests or limits something, but not every limit is there and equal to its request.',
      'It requests 256Mi of memory and 250m of cpu, and may use 1Gi at most.',
      'Container app has oom_score_adj 985: the higher, up to 1000, the sooner the kernel kills it when memory runs out.',
    ]);
  });
  it.each<[Partial<PodEntry>, string]>([
    [
      { qosClass: 'Guaranteed' },
      'shop/web is Guaranteed: its limits of cpu and memory are all there and equal the requests.',
    ],
    [
      { qosClass: 'BestEffort', reportedQosClass: 'BestEffort' },
      'shop/web is BestEffort: it neither requests nor limits cpu or memory.',
    ],
    [
      { qosClass: 'BestEffort', reportedQosClass: 'Burstable' },
      'shop/web is BestEffort: it neither requests nor limits cpu or memory; its status says Burstable, and plan and ranking go by that.',
    ],
  ])('%j', (more, sentence) => {
    expect(said({ pod: { ...POD, ...more } })[0]).toBe(sentence);
  });
  it('says that there is no limit, and nothing of an oom_score_adj that is not known', () => {
    const containers = POD.containers.map((one) => ({ ...one, oomScoreAdj: null }));
    expect(said({ pod: { ...POD, memoryLimitBytes: null, containers } }).slice(1)).toEqual([
      'It requests 256Mi of memory and 250m of cpu, and has no memory limit as a whole.',
    ]);
  });
  it.each<[Partial<ExplainedCgroup>, string]>([
    [{}, 'memory.high of container app should be 993210368 (947.2Mi), and is max'],
    [{ current: null }, 'memory.high of container app should be 993210368 (947.2Mi)'],
    [{ action: 'keep', desired: '0', container: null }, 'memory.high of the pod should be 0, and is'],
    [
      { action: 'missing', desired: '999' },
      'memory.high of container app should be 999, but its cgroup is not there',
    ],
    [
      { file: 'memory.min', desired: '4096', current: '8192' },
      'memory.min of container app should be 4096 (4Ki), and is 8192 (8Ki)',
    ],
  ])('tells a value with its formula: %j', (more, sentence) => {
    expect(said({ pod: withoutContainers, cgroups: [{ ...ENTRY, ...more }] }).slice(2)).toEqual([
      `${sentence}: request + 0.9 x the rest.`,
    ]);
  });
  it('does not say a value twice that its reason starts with', () => {
    const cgroups = [
      { ...ENTRY, desired: 'max', current: 'max', action: 'keep' as const, reason: 'max: no factor' },
    ];
    expect(said({ pod: withoutContainers, cgroups }).slice(2)).toEqual([
      'memory.high of container app should be max, and is: no factor.',
    ]);
  });
  it('tells the protection of each cgroup once', () => {
    const effective = { min: 5n << 20n, low: 0n };
    const cgroups = [
      { ...ENTRY, cgroup: 'k/p', container: null, effective },
      { ...ENTRY, effective: { min: 0n, low: 1024n } },
      { ...ENTRY, effective },
      { ...ENTRY, cgroup: null, effective },
      { ...ENTRY, cgroup: 'x' },
      { ...ENTRY, cgroup: 'k/n', container: 'none', effective: { min: 0n, low: 0n } },
      { ...ENTRY, cgroup: 'k/e', container: 'even', effective: { min: 1024n, low: 1024n } },
    ];
    expect(said({ pod: withoutContainers, cgroups }).slice(9)).toEqual([
      'When the whole node reclaims, the pod keeps 5Mi in any case.',
      'When the whole node reclaims, container app keeps 1Ki while others can give, and 0 bytes in any case.',
      'When the whole node reclaims, container none keeps nothing for certain.',
      'When the whole node reclaims, container even keeps 1Ki in any case.',
    ]);
  });
  it('tells its place in each ranking, and its taints', () => {
    const [entry] = rankOf([memoryPod('web', 5)], 'memory.available');
    if (entry === undefined) throw new Error('nothing was ranked');
    const taints = podTaintEntry(podOf(), []);
    expect(
      said({ pod: withoutContainers, rankings: { 'memory.available': entry }, taints }).slice(2),
    ).toEqual([
      'When memory.available is low it is number 1: uses 5Mi, all of it over, since it requests none; priority 0; first to go.',
      'It tolerates every taint of the node that keeps pods away.',
    ]);
  });

  it.each([
    [120, 'When the node shuts down gracefully it has 120 s to end, by its priority 0.'],
    [0, 'When the node shuts down gracefully it has no time at all to end, by its priority 0.'],
  ])('tells how long it has at a shutdown of the node: %d s', (shutdownGraceSeconds, sentence) => {
    expect(said({ pod: { ...withoutContainers, priority: 0 }, shutdownGraceSeconds }).at(-1)).toBe(sentence);
  });
});
