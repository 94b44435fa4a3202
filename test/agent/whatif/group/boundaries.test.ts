import { describe, expect, it } from 'vitest';
import { compositeNamed, namesOf, podGroupNamed, snapshotOf, timeText } from '../../../fakes/cluster.ts';
import {
  ALL,
  counted,
  gang,
  gangOfGroups,
  groupPlanFor,
  job,
  jobOf,
  outline,
  roomy,
  run,
  wait,
} from '../../../fakes/group-cluster.ts';

describe('the boundaries of preemption for a group', () => {
  it('in 1.36 nobody is given back beside whom fewer members find a place', () => {
    const snapshot = snapshotOf(
      jobOf(gang(1)),
      wait('m1'),
      wait('m2'),
      roomy('n1', 2),
      run('a', 'n1'),
      run('b', 'n1'),
    );
    expect(namesOf(groupPlanFor(snapshot, { release: '1.36' }).victims)).toEqual(['a', 'b']);
  });

  it('in 1.36 too a group preempts others by their groups', () => {
    const snapshot = snapshotOf(
      ...job(1, 'mid'),
      roomy('n1', 1),
      roomy('n2', 1),
      podGroupNamed('pg', ALL),
      run('a1', 'n1', 'pg', 1000),
      run('a2', 'n2', 'pg', 1000),
    );
    expect(namesOf(groupPlanFor(snapshot, { release: '1.36' }).victims)).toEqual(['a1', 'a2']);
  });

  const reason = {
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }],
  };
  const nominated = { pod: { status: { nominatedNodeName: 'n1' } } };

  it('a pod of equal priority that was preempted does not make it wait', () => {
    const metadata = { deletionTimestamp: timeText(9) };
    const ending = counted('ending', { node: 'n1', priority: 'mid', metadata, status: reason });
    expect(outline(...job(1, 'mid', nominated), roomy('n1', 2), ending, run('low', 'n1'))).toEqual([
      'planned',
      ['m1=n1'],
      ['low'],
    ]);
  });

  it('nor does one that is not being deleted yet', () => {
    const marked = counted('marked', { node: 'n1', status: reason });
    expect(outline(...job(1, 'mid', nominated), roomy('n1', 1), marked)).toEqual([
      'planned',
      ['m1=n1'],
      ['marked'],
    ]);
  });

  it('members that have ended count no more', () => {
    const ended = counted('r', { node: 'n1', group: 'job', priority: 1000, status: { phase: 'Succeeded' } });
    expect(outline(jobOf(gang(2)), ended, wait('m1'), roomy('n1', 1))).toEqual(['not-eligible', [], []]);
  });

  it('a composite group that had enough child groups preempts for those that are left over', () => {
    const leaf = (name: string) =>
      podGroupNamed(name, { ...gang(1), priority: 1000, parentCompositePodGroupName: 'job' });
    expect(
      outline(
        compositeNamed('job', { ...gangOfGroups(1), priority: 1000 }),
        leaf('a'),
        leaf('b'),
        run('a1', 'n1', 'a', 1000),
        wait('b1', 'b'),
        roomy('n1', 2),
        run('low', 'n1'),
      ),
    ).toEqual(['planned', ['b1=n1'], ['low']]);
  });
});
