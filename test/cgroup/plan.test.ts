import { describe, expect, it } from 'vitest';
import { cgroupLayout } from '../../cgroup/paths.ts';
import { planEntries, summarize } from '../../cgroup/plan.ts';
import type { DesiredValue } from '../../cgroup/qos-pod.ts';
import { readCgroupSnapshot } from '../../cgroup/snapshot.ts';
import { cgroupTree, type FakeTree } from '../fakes/tree.ts';

function desired(
  cgroup: string | null,
  file: DesiredValue['file'],
  value: DesiredValue['desired'],
): DesiredValue {
  const owner = {
    level: 'pod',
    namespace: 'a',
    pod: 'b',
    uid: 'u',
    container: null,
    qosClass: 'Burstable',
  } as const;
  return { ...owner, cgroup, file, desired: value, reason: 'because' };
}

const WANTED = [
  desired('kubepods/podx', 'memory.min', 4096n),
  desired('kubepods/podx', 'memory.low', 0n),
  desired('kubepods/podx', 'memory.high', 'max'),
  desired('kubepods/gone', 'memory.min', 1n),
  desired(null, 'memory.high', 8192n),
];

function lines(tree: FakeTree | undefined): readonly string[] {
  const request = { layout: cgroupLayout('cgroupfs', '/'), reserved: [], workingSets: false };
  const snapshot = tree === undefined ? undefined : readCgroupSnapshot(tree, request);
  return planEntries(WANTED, snapshot).map(
    ({ cgroup, file, current, desired: wanted, action }) =>
      `${cgroup ?? '-'} ${file} ${current ?? 'null'} -> ${wanted} ${action}`,
  );
}

const TREE = { kubepods: {}, 'kubepods/podx': { min: 8192n, low: 0n, high: 12288n } } as const;

describe('planEntries', () => {
  it('compares with the tree and puts the changes in write order', () => {
    expect(lines(cgroupTree(TREE))).toEqual([
      'kubepods/gone memory.min null -> 1 missing',
      'kubepods/podx memory.low 0 -> 0 keep',
      'kubepods/podx memory.high 12288 -> max write',
      '- memory.high null -> 8192 missing',
      'kubepods/podx memory.min 8192 -> 4096 write',
    ]);
  });

  it('offline everything is to be written, over the defaults of the kernel', () => {
    expect(lines(undefined)).toEqual([
      'kubepods/gone memory.min null -> 1 write',
      'kubepods/podx memory.min null -> 4096 write',
      'kubepods/podx memory.low null -> 0 write',
      'kubepods/podx memory.high null -> max write',
      '- memory.high null -> 8192 write',
    ]);
  });

  it('a file that is not readable is written, one that is gone is missing', () => {
    const tree = cgroupTree(TREE)
      .write('kubepods/podx/memory.min', { failed: 'EACCES' })
      .write('kubepods/podx/memory.low', '')
      .remove('kubepods/podx/memory.high');
    expect(lines(tree)).toEqual([
      'kubepods/gone memory.min null -> 1 missing',
      'kubepods/podx memory.min null -> 4096 write',
      'kubepods/podx memory.low null -> 0 write',
      'kubepods/podx memory.high null -> max missing',
      '- memory.high null -> 8192 missing',
    ]);
  });

  it('an entry says all of what was desired', () => {
    expect(planEntries([desired('x', 'memory.low', 5n)], undefined)).toEqual([
      {
        level: 'pod',
        namespace: 'a',
        pod: 'b',
        uid: 'u',
        container: null,
        qosClass: 'Burstable',
        cgroup: 'x',
        file: 'memory.low',
        current: null,
        desired: '5',
        action: 'write',
        reason: 'because',
      },
    ]);
  });
});

describe('summarize', () => {
  it('counts the actions', () => {
    const entries = planEntries(WANTED, undefined);
    expect(summarize(entries)).toEqual({ write: 5, keep: 0, missing: 0 });
    const mixed = entries.map((entry, index) => ({
      ...entry,
      action: index === 0 ? ('keep' as const) : index < 3 ? ('missing' as const) : ('write' as const),
    }));
    expect(summarize(mixed)).toEqual({ write: 2, keep: 1, missing: 2 });
    expect(summarize([])).toEqual({ write: 0, keep: 0, missing: 0 });
  });
});
