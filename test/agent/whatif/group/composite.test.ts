import { describe, expect, it } from 'vitest';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import {
  compositeNamed,
  namesOf,
  nodeNamed,
  podGroupNamed,
  podNamed,
  snapshotOf,
} from '../../../fakes/cluster.ts';
import {
  gang,
  gangOfGroups,
  groupPlanFor,
  outline,
  placesOf,
  roomy,
  run,
  wait,
} from '../../../fakes/group-cluster.ts';

describe('composite groups', () => {
  const composite = (policy: PlainRecord, more: PlainRecord = {}) =>
    compositeNamed('job', { ...policy, priority: 1000, ...more });
  const leaf = (name: string, minCount: number) =>
    podGroupNamed(name, { ...gang(minCount), priority: 1000, parentCompositePodGroupName: 'job' });
  const full = [roomy('n1', 1), roomy('n2', 1), run('v1', 'n1'), run('v2', 'n2')];

  it('preempt for all of their child groups together', () => {
    expect(
      outline(
        composite(gangOfGroups(2)),
        leaf('a', 1),
        leaf('b', 1),
        wait('b1', 'b'),
        wait('a1', 'a'),
        ...full,
      ),
    ).toEqual(['planned', ['a1=n1', 'b1=n2'], ['v1', 'v2']]);
  });

  it('need no more child groups than their minimum, and a child that fails gives back its room', () => {
    expect(
      outline(
        composite(gangOfGroups(1)),
        leaf('a', 3),
        leaf('b', 1),
        ...['a1', 'a2', 'a3'].map((name) => wait(name, 'a')),
        wait('b1', 'b'),
        ...full,
      ),
    ).toEqual(['planned', ['b1=n1'], ['v1']]);
  });

  it('vF2 (in a snapshot): do not preempt where a child that can never be complete makes them too few', () => {
    const plan = groupPlanFor(
      snapshotOf(
        composite(gangOfGroups(2)),
        leaf('a', 2),
        leaf('b', 1),
        wait('a1', 'a'),
        wait('b1', 'b'),
        ...full,
      ),
    );
    expect(plan.outcome).toBe('not-eligible');
  });

  it('count child groups that run', () => {
    expect(
      outline(
        composite(gangOfGroups(2)),
        leaf('a', 1),
        leaf('b', 1),
        run('a1', 'n1', 'a', 1000),
        wait('b1', 'b'),
        roomy('n1', 1),
        roomy('n2', 1),
        run('v2', 'n2'),
      ),
    ).toEqual(['planned', ['b1=n2'], ['v2']]);
  });

  it('are asked about by their root', () => {
    const plan = groupPlanFor(
      snapshotOf(composite(gangOfGroups(1)), leaf('a', 1), wait('a1', 'a'), ...full),
      { group: { namespace: 'default', name: 'a' } },
    );
    expect([plan.outcome, plan.reason]).toEqual([
      'not-eligible',
      'it belongs to the CompositePodGroup default/job, which preempts as a whole; ask with --group default/job',
    ]);
  });

  it('do not exist in 1.36: a group that names one preempts by itself, and by its own priority', () => {
    const plan = groupPlanFor(
      snapshotOf(composite(gangOfGroups(1)), leaf('a', 1), wait('a1', 'a'), ...full),
      { group: { namespace: 'default', name: 'a' }, release: '1.36' },
    );
    // Of equals the last by name is given back last; then its node is the one that the member moves to.
    expect([plan.outcome, placesOf(plan), namesOf(plan.victims), plan.warnings]).toEqual([
      'planned',
      ['a1=n2'],
      ['v2'],
      [],
    ]);
  });

  it('need nobody to go where only first fit stood in their way', () => {
    const pod = (name: string, group: string, requests: PlainRecord) =>
      podNamed(name, { priority: 1000, requests, spec: { schedulingGroup: { podGroupName: group } } });
    const memory = (name: string, cpu: string) => nodeNamed(name, { allocatable: { cpu, memory: '2' } });
    const plan = groupPlanFor(
      snapshotOf(
        composite(gangOfGroups(2)),
        leaf('a', 2),
        leaf('b', 1),
        leaf('c', 1),
        // As things are, a takes what b and c need; without the pod on n0 a gets in its own way there and gives up.
        pod('a1', 'a', { cpu: '1', memory: '1' }),
        pod('a2', 'a', { memory: '2' }),
        pod('b1', 'b', { memory: '2' }),
        pod('c1', 'c', { cpu: '1', memory: '1' }),
        memory('n0', '1'),
        nodeNamed('n1', { allocatable: { cpu: '1', memory: '1' } }),
        run('low', 'n0'),
      ),
    );
    expect([plan.outcome, plan.reason, placesOf(plan), plan.candidates]).toEqual([
      'not-needed',
      '2 members would fit without preemption, though not by first fit as things are; placement assumed: first fit in name order of nodes',
      ['b1=n0', 'c1=n1'],
      [],
    ]);
  });

  it('may hold composite groups', () => {
    expect(
      outline(
        composite(gangOfGroups(1)),
        compositeNamed('inner', { ...gangOfGroups(1), priority: 1000, parentCompositePodGroupName: 'job' }),
        podGroupNamed('deep', { ...gang(1), priority: 1000, parentCompositePodGroupName: 'inner' }),
        wait('d1', 'deep'),
        ...full,
      ),
    ).toEqual(['planned', ['d1=n1'], ['v1']]);
  });
});
