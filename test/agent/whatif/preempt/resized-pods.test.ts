import { describe, expect, it } from 'vitest';
import { planKubeletPreemption } from '../../../../agent/whatif/kubelet/plan-preemption.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import { namesOf, nodeNamed, planFor, podNamed, snapshotOf } from '../../../fakes/cluster.ts';
import { counted, groupPlanFor, job, roomy } from '../../../fakes/group-cluster.ts';

/** A status in which the one container was allocated this and told that. */
const resized = (allocated: string, actual: string, more: PlainRecord = {}): PlainRecord => ({
  containerStatuses: [
    { name: 'main', allocatedResources: { cpu: allocated }, resources: { requests: { cpu: actual } } },
  ],
  ...more,
});
const INFEASIBLE = { conditions: [{ type: 'PodResizePending', reason: 'Infeasible' }] };
const P = podNamed('p', { priority: 'high', requests: { cpu: '500m' } });
const holder = (cpu: string, status: PlainRecord): PlainRecord =>
  podNamed('x', { node: 'n', requests: { cpu }, status });
const ONE_CPU = nodeNamed('n', { allocatable: { cpu: '1' } });

describe('a pod that is resized while it runs', () => {
  it.each<[string, string, PlainRecord, string]>([
    ['holds what it was told until that is taken back', '300m', resized('600m', '600m'), 'planned'],
    ['holds what is asked for before it is given', '600m', resized('300m', '300m'), 'planned'],
    ['holds half of the node or less', '500m', resized('400m', '300m'), 'not-needed'],
    ['does not hold what it can never be given', '900m', resized('300m', '300m', INFEASIBLE), 'not-needed'],
  ])('%s', (_, cpu, status, outcome) => {
    expect(planFor(snapshotOf(P, ONE_CPU, holder(cpu, status))).outcome).toBe(outcome);
  });

  it('makes the room free that it holds, so that a pod beside it is spared', () => {
    const beside = podNamed('y', { node: 'n', requests: { cpu: '400m' }, priority: 'mid' });
    const plan = planFor(snapshotOf(P, ONE_CPU, holder('100m', resized('600m', '600m')), beside));
    expect([namesOf(plan.victims), plan.candidates.map(({ spared }) => namesOf(spared))]).toEqual([
      ['x'],
      [['y']],
    ]);
  });

  it('counts so where a group looks for room too', () => {
    const holds = counted('x', { node: 'n', status: resized('2', '2') });
    const plan = groupPlanFor(snapshotOf(roomy('n', 2), ...job(1, 'high'), holds));
    expect([plan.outcome, namesOf(plan.victims)]).toEqual(['planned', ['x']]);
  });

  describe('at the kubelet', () => {
    const critical = podNamed('c', { priority: 2_000_000_000, requests: { cpu: '500m' } });
    const plan = (...others: readonly PlainRecord[]) => {
      const wanted = { namespace: 'default', name: 'c' };
      const found = planKubeletPreemption(snapshotOf(critical, ONE_CPU, ...others), wanted, 'n');
      if (!found.ok) throw new Error(found.message);
      return [found.value.outcome, namesOf(found.value.victims)];
    };
    it('does not hold what it asks for before it is given', () => {
      expect(plan(holder('900m', resized('500m', '500m')))).toEqual(['not-needed', []]);
    });
    it('holds what it was told until that is taken back', () => {
      expect(plan(holder('100m', resized('500m', '600m')))).toEqual(['planned', ['x']]);
    });
    it('is counted to free what was set aside for it, and no more', () => {
      const told = holder('100m', resized('50m', '600m'));
      const other = podNamed('y', { node: 'n', requests: { cpu: '200m' } });
      expect(plan(told, other)).toEqual(['no-candidate', []]);
    });
  });
});

describe('starts of which the seconds are the same', () => {
  it('are told apart by their parts, however small', () => {
    const at = (name: string, startTime: string): PlainRecord =>
      podNamed(name, { node: 'n', requests: { cpu: '500m' }, status: { startTime } });
    const full = [at('a', '2026-03-01T10:00:00.000000002Z'), at('b', '2026-03-01T10:00:00.000000001Z')];
    expect(namesOf(planFor(snapshotOf(P, ONE_CPU, ...full)).victims)).toEqual(['a']);
    const swapped = [at('a', '2026-03-01T10:00:00.0000001Z'), at('b', '2026-03-01T10:00:00.0000002Z')];
    expect(namesOf(planFor(snapshotOf(P, ONE_CPU, ...swapped)).victims)).toEqual(['b']);
  });

  it('decide between nodes too, by the latest', () => {
    const on = (node: string, startTime: string): readonly PlainRecord[] => [
      nodeNamed(node),
      podNamed(`x-${node}`, { node, requests: { cpu: '500m' }, status: { startTime } }),
    ];
    const plan = planFor(
      snapshotOf(P, ...on('n1', '2026-03-01T10:00:00.0001Z'), ...on('n2', '2026-03-01T10:00:00.0002Z')),
    );
    expect([plan.nominatedNode, plan.tiedNodes]).toEqual(['n2', []]);
  });
});

it('of many nodes that are equal the sentence names the first five', () => {
  const nodes = Array.from({ length: 7 }, (_, at) => `n${at}`);
  const full = nodes.flatMap((node) => [
    nodeNamed(node),
    podNamed(`x-${node}`, { node, requests: { cpu: '500m' } }),
  ]);
  const plan = planFor(snapshotOf(P, ...full));
  expect(plan.tiedNodes).toEqual(nodes);
  expect(plan.reason).toBe(
    'n0 is made free: nothing tells them apart; n0, n1, n2, n3, n4 and 2 more are equal, and the scheduler takes any of them',
  );
});
