import { describe, expect, it } from 'vitest';
import { parsePlacement } from '../../../../agent/whatif/group/given-placement.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import { namesOf, podNamed, snapshotOf } from '../../../fakes/cluster.ts';
import {
  counted,
  gang,
  groupPlanFor,
  job,
  jobOf,
  outline,
  placed,
  placesOf,
  roomy,
  run,
  wait,
} from '../../../fakes/group-cluster.ts';

describe('members of a group and their minimum', () => {
  it('nobody goes where all of them fit', () => {
    const plan = groupPlanFor(snapshotOf(...job(2, 'high'), roomy('n2', 1), roomy('n1', 1)));
    expect([plan.outcome, plan.reason, placesOf(plan), plan.candidates]).toEqual([
      'not-needed',
      '2 of 2 members that wait fit without preemption, and that is enough; placement assumed: first fit in name order of nodes',
      ['m1=n1', 'm2=n2'],
      [],
    ]);
  });

  it('members that run count towards the minimum', () => {
    const minimum = (count: number) =>
      outline(
        jobOf(gang(count)),
        run('r', 'n1', 'job', 1000),
        wait('m1'),
        wait('m2'),
        roomy('n1', 2),
        roomy('n2', 1),
        run('low', 'n2'),
      );
    expect(minimum(2)).toEqual(['not-needed', ['m1=n1'], []]);
    expect(minimum(3)).toEqual(['planned', ['m1=n1', 'm2=n2'], ['low']]);
  });

  it('a gang that had enough before preempts for what is left over', () => {
    expect(
      outline(jobOf(gang(1)), run('r', 'n1', 'job', 1000), wait('m1'), roomy('n1', 2), run('low', 'n1')),
    ).toEqual(['planned', ['m1=n1'], ['low']]);
  });

  it('but nobody goes where the end of others would place no more of them', () => {
    const plan = groupPlanFor(
      snapshotOf(
        jobOf(gang(1)),
        run('r', 'n1', 'job', 1000),
        wait('m1'),
        counted('m2', { group: 'job', priority: 1000, cpu: 9 }),
        roomy('n1', 2),
        run('low', 'n1'),
        roomy('n2', 1),
      ),
    );
    expect([plan.outcome, plan.reason]).toEqual([
      'no-candidate',
      'no more of its members would find a place even without all pods of lower priority; placement assumed: first fit in name order of nodes',
    ]);
    expect(plan.candidates.map(({ node, feasible, reason }) => [node, feasible, reason])).toEqual([
      ['n1', false, 'it would have room for m1, but no more members find room in the cluster'],
      ['n2', false, 'it would have room for m1, but no more members find room in the cluster'],
    ]);
  });

  it('a basic group takes what it gets, and preempts where it gets nothing', () => {
    const basic = jobOf({ schedulingPolicy: { basic: {} } });
    const cluster = [roomy('n1', 1), roomy('n2', 1), run('low', 'n1')];
    expect(outline(basic, wait('m1'), wait('m2'), ...cluster)).toEqual(['not-needed', ['m1=n2'], []]);
    expect(outline(basic, wait('m1'), ...cluster, run('high', 'n2', undefined, 1000))).toEqual([
      'planned',
      ['m1=n1'],
      ['low'],
    ]);
    expect(outline(basic, run('r', 'n2', 'job', 1000), wait('m1'), wait('m2'), ...cluster)).toEqual([
      'planned',
      ['m1=n1'],
      ['low'],
    ]);
  });

  it('all that fit after the removal are placed, beyond the minimum too', () => {
    expect(
      outline(jobOf(gang(1)), wait('m1'), wait('m2'), roomy('n1', 2), run('a', 'n1'), run('b', 'n1')),
    ).toEqual(['planned', ['m1=n1', 'm2=n1'], ['a', 'b']]);
  });

  it('pods that are being deleted, have ended or wait for gates are not tried', () => {
    const gated = counted('m2', {
      group: 'job',
      priority: 1000,
      spec: { schedulingGates: [{ name: 'quota' }] },
    });
    const deleted = counted('m3', { group: 'job', metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    const ended = counted('m4', { group: 'job', status: { phase: 'Failed' } });
    const cluster = [roomy('n1', 9), deleted, ended];
    expect(outline(jobOf(gang(1)), wait('m1'), gated, ...cluster)).toEqual(['not-needed', ['m1=n1'], []]);
    const tooFew = groupPlanFor(snapshotOf(jobOf(gang(2)), wait('m1'), gated, ...cluster));
    expect([tooFew.outcome, tooFew.reason]).toEqual([
      'not-eligible',
      'it has too few members for its minimum, whatever room is made; a scheduling gate holds one back',
    ]);
    const allGated = groupPlanFor(snapshotOf(jobOf(gang(1)), gated, ...cluster));
    expect([allGated.outcome, allGated.reason]).toEqual([
      'not-eligible',
      'the scheduling gates of its pods hold them back',
    ]);
  });

  it('a node with a taint that is not tolerated takes no member, and a plan says why', () => {
    const plan = groupPlanFor(
      snapshotOf(
        ...job(1, 'high'),
        roomy('n1', 1, { spec: { unschedulable: true } }),
        run('cheap', 'n1'),
        roomy('n2', 1),
        run('low', 'n2'),
      ),
    );
    expect(namesOf(plan.victims)).toEqual(['low']);
    expect(plan.candidates[0]?.reason).toBe(
      'no member goes there: its taint node.kubernetes.io/unschedulable:NoSchedule is not tolerated',
    );
  });
});

describe('the placement', () => {
  const cluster = [
    roomy('n1', 1),
    roomy('n2', 1),
    run('mid', 'n1', undefined, 100),
    run('low', 'n2', undefined, 0),
  ];

  it('is fixed in 1.37 and found anew in 1.36 for each pod that is given back', () => {
    const snapshot = snapshotOf(...job(1, 'high'), ...cluster);
    const [now, before] = [groupPlanFor(snapshot), groupPlanFor(snapshot, { release: '1.36' })];
    expect([placesOf(now), namesOf(now.victims)]).toEqual([['m1=n1'], ['mid']]);
    expect([placesOf(before), namesOf(before.victims)]).toEqual([['m1=n2'], ['low']]);
  });

  it.each(['1.36', '1.37'] as const)('is as it was given, also in 1.36 (%s)', (release) => {
    const plan = groupPlanFor(snapshotOf(...job(1, 'high'), ...cluster), {
      release,
      placement: placed({ m1: 'n1' }),
    });
    expect([placesOf(plan), namesOf(plan.victims)]).toEqual([['m1=n1'], ['mid']]);
  });

  it.each<[string, PlainRecord, PlainRecord]>([
    [
      'tolerate more',
      { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } },
      { tolerations: [{ operator: 'Exists' }] },
    ],
    ['ask for a label', { labels: { disk: 'ssd' } }, {}],
    ['name their nodes', {}, {}],
  ])('is looked for anew by members that %s', (what, node, spec) => {
    const affinity = (operator: string, key: string, values: readonly string[]) => ({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            key === 'metadata.name'
              ? { matchFields: [{ key, operator, values }] }
              : { matchExpressions: [{ key, operator, values }] },
          ],
        },
      },
    });
    const first: Readonly<Record<string, PlainRecord>> = {
      'tolerate more': {},
      'ask for a label': { affinity: affinity('NotIn', 'disk', ['ssd']) },
      'name their nodes': { affinity: affinity('In', 'metadata.name', ['n2']) },
    };
    const plan = groupPlanFor(
      snapshotOf(
        jobOf(gang(2)),
        counted('m1', { group: 'job', priority: 1000, spec: first[what] ?? {} }),
        counted('m2', { group: 'job', priority: 1000, spec }),
        roomy('n1', 1, node),
        roomy('n2', 1),
      ),
    );
    expect(placesOf(plan)).toEqual(['m1=n2', 'm2=n1']);
  });

  it('is that of the first node with room for each, also where members are unequal', () => {
    const sized = (name: string, cpu: number) => counted(name, { group: 'job', priority: 1000, cpu });
    const plan = groupPlanFor(
      snapshotOf(
        jobOf(gang(4)),
        sized('m1', 2),
        sized('m2', 1),
        sized('m3', 2),
        sized('m4', 1),
        roomy('n1', 1),
        roomy('n2', 3),
        roomy('n3', 2),
      ),
    );
    expect(placesOf(plan)).toEqual(['m1=n2', 'm2=n1', 'm3=n3', 'm4=n2']);
  });

  it('puts no two members on one host port', () => {
    const ports = [{ containerPort: 80, hostPort: 80 }];
    const web = (name: string) =>
      podNamed(name, {
        priority: 1000,
        spec: { containers: [{ name: 'c', ports }], schedulingGroup: { podGroupName: 'job' } },
      });
    const plan = groupPlanFor(
      snapshotOf(jobOf(gang(2)), web('m1'), web('m2'), roomy('n1', 1), roomy('n2', 1)),
    );
    expect(placesOf(plan)).toEqual(['m1=n1', 'm2=n2']);
  });

  it('leaves members out that it does not name', () => {
    const plan = groupPlanFor(snapshotOf(...job(2, 'high'), ...cluster), {
      placement: placed({ m1: 'n1' }),
    });
    expect([plan.outcome, plan.reason]).toEqual([
      'no-candidate',
      'too few of its members for its minimum would find a place even without all pods of lower priority; placement assumed: as it was given',
    ]);
  });

  it('tells which nodes it has no use for where it leaves too few members a place', () => {
    const plan = groupPlanFor(snapshotOf(...job(2, 'high'), ...cluster), {
      placement: placed({ m2: 'n1' }),
    });
    expect(plan.candidates.map(({ node, feasible, reason }) => [node, feasible, reason])).toEqual([
      ['n1', false, 'it would have room for m2, but too few members find room in the cluster'],
      ['n2', false, 'the placement puts no member there'],
    ]);
  });

  it('is not needed where it holds as things are', () => {
    const plan = groupPlanFor(snapshotOf(...job(1, 'high'), ...cluster, roomy('n3', 1)), {
      placement: placed({ m1: 'n3' }),
    });
    expect([plan.outcome, plan.reason]).toEqual([
      'not-needed',
      '1 of 1 member that waits fits without preemption, and that is enough; placement assumed: as it was given',
    ]);
  });

  it.each([
    ['a=n1', [['a', 'n1']]],
    [
      'a=n1,b=n1',
      [
        ['a', 'n1'],
        ['b', 'n1'],
      ],
    ],
  ])('is read from %s', (text, places) => {
    expect(parsePlacement(text)).toEqual({ ok: true, value: new Map(places as [string, string][]) });
  });

  it.each([
    ['', '"" is no place; write POD=NODE,POD=NODE'],
    ['a', '"a" is no place; write POD=NODE,POD=NODE'],
    ['a=', '"a=" is no place; write POD=NODE,POD=NODE'],
    ['=n', '"=n" is no place; write POD=NODE,POD=NODE'],
    ['a=n=m', '"a=n=m" is no place; write POD=NODE,POD=NODE'],
    ['a=n,', '"" is no place; write POD=NODE,POD=NODE'],
    ['a=n,a=m', 'pod a is there twice; give each pod one node'],
  ])('is refused as %s', (text, message) => {
    expect(parsePlacement(text)).toEqual({ ok: false, message });
  });
});
