import { expect, it } from 'vitest';
import type { Observation } from '../../../agent/model/observation.ts';
import type { PodUsage } from '../../../agent/model/pod.ts';
import { evictionsOf, Replay, type ReplayedLook } from '../../../agent/whatif/replay.ts';
import { hard, policyOf, readingsOf, soft } from '../../fakes/eviction.ts';
import { podOf } from '../../fakes/pods.ts';
import { GI, MI } from '../../fakes/ranking.ts';

const WEB = podOf({ name: 'web', metadata: { namespace: 'shop', uid: 'u1' } });
const DATABASE = podOf({ name: 'db', metadata: { namespace: 'shop', uid: 'u2' } });
const USAGE = new Map<string, PodUsage>([
  ['u1', { memoryWorkingSetBytes: GI }],
  ['u2', { memoryWorkingSetBytes: MI }],
]);

function look(atMs: number, available: string, parts: Partial<Observation> = {}): Observation {
  return {
    atMs,
    readings: readingsOf({ 'memory.available': available }, atMs),
    pods: [WEB, DATABASE],
    usage: USAGE,
    layout: 'single',
    ...parts,
  };
}

const HARD = hard('memory.available', '100Mi');
const SOFT = soft('memory.available', '200Mi', 30);
const MET_HARD = { signal: 'memory.available', type: 'hard', value: { quantity: 100n * MI } } as const;
const MET_SOFT = { signal: 'memory.available', type: 'soft', value: { quantity: 200n * MI } } as const;

const evicted = (name: string, uid: string, type: 'hard' | 'soft', gracePeriodSeconds: number): object => ({
  namespace: 'shop',
  name,
  uid,
  signal: 'memory.available',
  type,
  gracePeriodSeconds,
});

function replayed(
  policy: ReturnType<typeof policyOf>,
  looks: readonly Observation[],
): readonly ReplayedLook[] {
  const replay = new Replay(policy);
  return looks.map((one) => replay.look(one));
}

it('says of each look what is short, which thresholds are past their grace, and who goes', () => {
  const policy = policyOf([SOFT, HARD], { maxPodGracePeriodSeconds: 20 });
  expect(
    replayed(policy, [look(0, '300Mi'), look(1_000, '150Mi'), look(31_000, '150Mi'), look(32_000, '50Mi')]),
  ).toEqual([
    { atMs: 0, conditions: [], thresholdsMet: [], evict: null },
    { atMs: 1_000, conditions: ['MemoryPressure'], thresholdsMet: [], evict: null },
    {
      atMs: 31_000,
      conditions: ['MemoryPressure'],
      thresholdsMet: [MET_SOFT],
      evict: evicted('web', 'u1', 'soft', 20),
    },
    // What the pod that goes still holds counts as coming back.
    { atMs: 32_000, conditions: ['MemoryPressure'], thresholdsMet: [MET_HARD, MET_SOFT], evict: null },
  ]);
});

it('takes a pod that the trace lists no more for gone', () => {
  const looks = replayed(policyOf([HARD]), [
    look(0, '50Mi'),
    look(1_000, '50Mi'),
    look(2_000, '50Mi', { pods: [DATABASE] }),
  ]);
  expect(looks.map(({ evict }) => evict?.name)).toEqual(['web', undefined, 'db']);
});

it('evicts at every look under the rules of the kubelet, who remembers nobody', () => {
  const looks = replayed(policyOf([HARD], { compat: 'kubelet' }), [look(0, '50Mi'), look(1_000, '50Mi')]);
  expect(looks.map(({ evict }) => evict)).toEqual([
    evicted('web', 'u1', 'hard', 1),
    evicted('web', 'u1', 'hard', 1),
  ]);
});

it('names no UID where the pod has none', () => {
  const manifest = podOf({ name: 'm', metadata: { namespace: 'shop' } });
  const policy = policyOf([HARD], { unmeasured: 'evict' });
  expect(replayed(policy, [look(0, '50Mi', { pods: [manifest] })])[0]?.evict).toEqual({
    ...evicted('m', 'x', 'hard', 1),
    uid: null,
  });
});

const LIMITED = ['a', 'b'].map((name) =>
  podOf({
    name,
    metadata: { namespace: 'shop', uid: name },
    spec: { containers: [{ name: 'c', resources: { limits: { 'ephemeral-storage': '1Mi' } } }] },
  }),
);
const FULL = new Map<string, PodUsage>(['a', 'b'].map((uid) => [uid, { ephemeralStorageBytes: GI }]));
const overLimit = (name: string): object => ({
  namespace: 'shop',
  name,
  uid: name,
  signal: 'ephemeralpodfs.limit',
  type: 'hard',
  gracePeriodSeconds: 1,
});

it('names the limit of local storage that a pod goes for, one pod a look', () => {
  const looks = replayed(policyOf([]), [look(0, '1Gi', { pods: LIMITED, usage: FULL })]);
  expect(looks).toEqual([{ atMs: 0, conditions: [], thresholdsMet: [], evict: overLimit('a') }]);
  expect(looks.map(evictionsOf)).toEqual([[overLimit('a')]]);
});

it('has the others beside the first where the kubelet takes several in one look', () => {
  const policy = policyOf([], { compat: 'kubelet' });
  const looks = replayed(policy, [look(0, '1Gi', { pods: LIMITED, usage: FULL })]);
  expect(looks).toEqual([
    {
      atMs: 0,
      conditions: [],
      thresholdsMet: [],
      evict: overLimit('a'),
      alsoEvict: [overLimit('b')],
    },
  ]);
  expect(looks.map(evictionsOf)).toEqual([[overLimit('a'), overLimit('b')]]);
});

it('has nobody to show of a look that leads to nothing', () => {
  expect(replayed(policyOf([HARD]), [look(0, '1Gi')]).map(evictionsOf)).toEqual([[]]);
});
