import { describe, expect, it } from 'vitest';
import { hierarchyWarnings } from '../../../../agent/whatif/group/hierarchy-warnings.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import { compositeNamed, podGroupNamed, podNamed, snapshotOf } from '../../../fakes/cluster.ts';

const below = (parent: string): PlainRecord => ({ parentCompositePodGroupName: parent });
const member = (name: string, group: string, node?: string): PlainRecord =>
  podNamed(name, {
    spec: { schedulingGroup: { podGroupName: group } },
    ...(node === undefined ? {} : { node }),
  });
const told = (...objects: readonly PlainRecord[]) =>
  hierarchyWarnings(snapshotOf(...objects)).map(({ code, message }) => [code, message]);

/** A group, and composite ones above it, the last of which has a priority. */
const chain = (levels: number): readonly PlainRecord[] => {
  const names = Array.from({ length: levels - 1 }, (_, level) => `c${level}`);
  return [
    podGroupNamed('job', below('c0')),
    ...names.map((name, level) => {
      const parent = names[level + 1];
      return compositeNamed(
        name,
        parent === undefined ? { priority: 100 } : { priority: 3, ...below(parent) },
      );
    }),
  ];
};

describe('groups of pods that may be victims', () => {
  it('are good with all that they name, on as many levels as there may be', () => {
    expect(told(...chain(4), member('m', 'job', 'n'))).toEqual([]);
  });

  it('of more levels count with the priority of the last that there may be, which is told', () => {
    expect(told(...chain(5), member('m', 'job', 'n'))).toEqual([
      [
        'group-hierarchy-broken',
        'the groups above PodGroup default/job go up more than the 4 levels that there may be, so the walk up ends at default/c2, whose priority 3 counts; correct parentCompositePodGroupName',
      ],
    ]);
  });

  it('above which groups go round in a circle count with the priority of the last that is not there twice', () => {
    const round = [compositeNamed('a', { priority: 1, ...below('b') }), compositeNamed('b', below('a'))];
    expect(told(podGroupNamed('job', below('a')), ...round, member('m', 'job', 'n'))).toEqual([
      [
        'group-hierarchy-broken',
        'the groups above PodGroup default/job go round in a circle, so the walk up ends at default/b, whose priority 0 counts; correct parentCompositePodGroupName',
      ],
    ]);
  });

  it('vG3: that are missing are told of, each once and by name', () => {
    expect(told(member('m', 'y', 'n'), member('o', 'x', 'n'), member('p', 'y', 'n'))).toEqual([
      [
        'group-not-in-snapshot',
        'pods that run are in groups that the snapshot does not hold (default/x, default/y), so that each stands alone with its own priority; add what this prints: kubectl get podgroups -A -o yaml',
      ],
    ]);
  });

  it('vG7: of which a parent is missing are told of', () => {
    const groups = [
      podGroupNamed('job', below('a')),
      compositeNamed('a', below('gone')),
      podGroupNamed('solo'),
    ];
    expect(told(...groups, member('m', 'job', 'n'), member('o', 'solo', 'n'))).toEqual([
      [
        'parent-not-in-snapshot',
        'groups of pods that run name parents that the snapshot does not hold (CompositePodGroup default/a), so that they are taken to be roots; add what this prints: kubectl get compositepodgroups -A -o yaml',
      ],
    ]);
  });

  it('are nobody of whom a pod waits, or has ended', () => {
    const ended = { ...member('o', 'gone', 'n'), status: { phase: 'Succeeded' } };
    expect(told(...chain(5), member('m', 'job'), ended)).toEqual([]);
  });

  it.each([
    ['a group', podGroupNamed, 'PodGroup'],
    ['a composite group', compositeNamed, 'CompositePodGroup'],
  ])('may go all together with gang, and %s of basic is told of', (_what, named, kind) => {
    const spec = (schedulingPolicy: PlainRecord, mode: string): PlainRecord => ({
      schedulingPolicy,
      disruptionMode: { [mode]: {} },
    });
    expect(told(named('job', spec({ basic: {} }, 'all')))).toEqual([
      [
        'mode-without-gang',
        `${kind} default/job: its disruption mode all goes with the policy gang and not with basic (KEP-5710), so that an API server may refuse it; the plan goes by what it states`,
      ],
    ]);
    expect(told(named('job', spec({ basic: {} }, 'single')))).toEqual([]);
    expect(told(named('job', spec({ gang: { minCount: 1, minGroupCount: 1 } }, 'all')))).toEqual([]);
  });
});
