import { describe, expect, it } from 'vitest';
import { BY_IMPORTANCE } from '../../agent/whatif/preempt/importance.ts';
import type { PreemptionUnit } from '../../agent/whatif/preempt/units.ts';
import type { PlainRecord } from '../../config/text/plain-value.ts';
import {
  budgetFor,
  compositeNamed,
  namesOf,
  planFor,
  podGroupNamed,
  podNamed,
  snapshotOf,
} from '../fakes/cluster.ts';
import {
  ALL,
  counted,
  gang,
  gangOfGroups,
  groupPlanFor,
  job,
  outline,
  placesOf,
  roomy,
  run,
  SINGLE,
  wait,
} from '../fakes/group-cluster.ts';

const below = (parent: string): PlainRecord => ({ parentCompositePodGroupName: parent });

/** What is commonly said of workload-aware preemption, by the number of the statement. */
describe('groups that preempt', () => {
  it('W1, W2: 1.36 and 1.37 both preempt for groups, and only 1.37 knows groups of groups', () => {
    const cluster = snapshotOf(...job(1, 'high'), roomy('n', 1), run('a', 'n'));
    expect([groupPlanFor(cluster, { release: '1.36' }).outcome, groupPlanFor(cluster).outcome]).toEqual([
      'planned',
      'planned',
    ]);
    const composite = snapshotOf(compositeNamed('job', { priority: 1 }), roomy('n', 1));
    expect(() => groupPlanFor(composite, { release: '1.36' })).toThrow('1.36 has none');
  });

  it('W3: a pod of a group does not preempt for itself, and a group does only where it does not fit', () => {
    const member = podNamed('p', { priority: 'high', spec: { schedulingGroup: { podGroupName: 'job' } } });
    expect(planFor(snapshotOf(member, podGroupNamed('job'), roomy('n', 1))).outcome).toBe('not-eligible');
    expect(outline(...job(1, 'high'), roomy('n', 2), run('a', 'n'))).toEqual(['not-needed', ['m1=n'], []]);
  });

  it('W4, W6: a group is one preemptor, and its victims are anywhere in the cluster', () => {
    const nodes = [roomy('n1', 1), roomy('n2', 1)];
    expect(outline(...job(2, 'high'), ...nodes, run('a', 'n1'), run('b', 'n2'))).toEqual([
      'planned',
      ['m1=n1', 'm2=n2'],
      ['a', 'b'],
    ]);
    const stays = run('b', 'n2', undefined, 1000);
    expect(outline(...job(2, 'high'), ...nodes, run('a', 'n1'), stays)).toEqual(['no-candidate', [], []]);
  });

  it('W5: groups are objects of scheduling.k8s.io; others of that name are none', () => {
    const foreign = { ...podGroupNamed('job'), apiVersion: 'scheduling.volcano.sh/v1beta1' };
    expect(snapshotOf(foreign).podGroups).toEqual([]);
    for (const version of ['v1alpha2', 'v1beta1']) {
      const own = { ...podGroupNamed('job'), apiVersion: `scheduling.k8s.io/${version}` };
      expect(snapshotOf(own).podGroups).toHaveLength(1);
    }
  });

  it('W7: priority counts first, then groups before pods, then how many pods, then who started first', () => {
    const [member] = snapshotOf(run('a', 'n')).pods;
    if (member === undefined) throw new Error('no pod was read');
    const unit = (name: string, parts: Partial<PreemptionUnit>, size = 1): PreemptionUnit => {
      const pods = Array.from({ length: size }, () => member);
      return { namespace: 'default', name, priority: 1, rank: 2, startedAt: 9n, ...parts, pods };
    };
    const ordered = [
      unit('higher', { priority: 2, rank: 1 }),
      unit('composite', { rank: 3 }),
      unit('large-group', {}, 3),
      unit('old-group', { startedAt: 1n }, 2),
      unit('young-group', { startedAt: 2n }, 2),
      unit('pod', { rank: 1, startedAt: 0n }),
    ];
    expect(
      ordered
        .toReversed()
        .toSorted(BY_IMPORTANCE)
        .map(({ name }) => name),
    ).toEqual(['higher', 'composite', 'large-group', 'old-group', 'young-group', 'pod']);
  });

  it('W9: a placement that would cost less is not looked for', () => {
    // Both members would fit on the large node if only its one pod went; first fit takes the nodes by name.
    const cluster = [
      ...job(2, 'high'),
      roomy('a', 1),
      roomy('b', 1),
      roomy('c', 2),
      run('on-a', 'a'),
      run('on-b', 'b'),
      counted('on-c', { node: 'c', cpu: 2, priority: 0 }),
    ];
    expect(outline(...cluster)).toEqual(['planned', ['m1=a', 'm2=b'], ['on-a', 'on-b']]);
  });

  it('W11: who breaks a budget is given back first, then the more important, where all that were placed still fit', () => {
    const guarded = counted('guarded', { node: 'n', priority: 0, labels: { app: 'a' } });
    const better = counted('better', { node: 'n', priority: 50 });
    const cluster = [...job(1, 'high'), roomy('n', 2), guarded, better];
    expect(outline(...cluster)).toEqual(['planned', ['m1=n'], ['guarded']]);
    expect(outline(...cluster, budgetFor('a', { app: 'a' }, 0))).toEqual(['planned', ['m1=n'], ['better']]);
  });

  it('W12: of a hierarchy the root preempts, for all that is in it', () => {
    const tree = [
      compositeNamed('job', { ...gangOfGroups(2), priority: 1000 }),
      podGroupNamed('x', { ...gang(1), ...below('job') }),
      podGroupNamed('y', { ...gang(1), ...below('job') }),
      wait('x1', 'x'),
      wait('y1', 'y'),
    ];
    const nodes = [roomy('n1', 1), roomy('n2', 1), run('a', 'n1'), run('b', 'n2')];
    expect(outline(...tree, ...nodes)).toEqual(['planned', ['x1=n1', 'y1=n2'], ['a', 'b']]);
    const part = groupPlanFor(snapshotOf(...tree, ...nodes), { group: { namespace: 'default', name: 'x' } });
    expect([part.outcome, placesOf(part)]).toEqual(['not-eligible', []]);
  });
});

/** What is said of groups that are in the way. */
describe('groups that have to go', () => {
  const two = [roomy('n1', 1), roomy('n2', 1)];
  const pods = [run('a', 'n1', 'g'), run('b', 'n2', 'g')];

  it('W4, W8: a group goes whole or pod by pod, as its mode says, and by its own priority', () => {
    expect(outline(...job(1, 'high'), ...two, podGroupNamed('g', ALL), ...pods)[2]).toEqual(['a', 'b']);
    expect(outline(...job(1, 'high'), ...two, podGroupNamed('g', SINGLE), ...pods)[2]).toHaveLength(1);
    const high = podGroupNamed('g', { ...ALL, priority: 1000 });
    expect(outline(...job(1, 'high'), ...two, high, ...pods)[0]).toBe('no-candidate');
  });

  it('W10: single pods honour groups from 1.37 on', () => {
    const plan = (release: '1.36' | '1.37') =>
      namesOf(
        planFor(
          snapshotOf(counted('p', { priority: 'mid' }), ...two, podGroupNamed('g', ALL), ...pods),
          release,
        ).victims,
      );
    expect([plan('1.36'), plan('1.37')]).toEqual([['a'], ['a', 'b']]);
  });

  it('W13: a group of groups stays before a group of as high a priority, however large; of two of them the larger', () => {
    const composite = (name: string, leaf: string) => [
      compositeNamed(name, { ...ALL, priority: 0 }),
      podGroupNamed(leaf, below(name)),
    ];
    const large = [podGroupNamed('g', ALL), run('a', 'n', 'g'), run('b', 'n', 'g')];
    const small = [...composite('c', 'of-c'), run('z', 'n', 'of-c')];
    expect(outline(...job(1, 'high'), roomy('n', 3), ...large, ...small)[2]).toEqual(['a', 'b']);
    const larger = [...composite('d', 'of-d'), run('x', 'n', 'of-d'), run('y', 'n', 'of-d')];
    expect(outline(...job(1, 'high'), roomy('n', 3), ...larger, ...small)[2]).toEqual(['z']);
  });

  it('W14: a group of groups goes whole with all that is below it where it says so', () => {
    const tree = (mode: PlainRecord) => [
      compositeNamed('c', { ...mode, priority: 0 }),
      podGroupNamed('x', { ...SINGLE, ...below('c') }),
      podGroupNamed('y', { ...SINGLE, ...below('c') }),
      run('a', 'n1', 'x'),
      run('b', 'n2', 'y'),
    ];
    expect(outline(...job(1, 'high'), ...two, ...tree(ALL))[2]).toEqual(['a', 'b']);
    expect(outline(...job(1, 'high'), ...two, ...tree(SINGLE))[2]).toHaveLength(1);
  });
});
