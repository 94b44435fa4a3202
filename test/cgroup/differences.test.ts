import { describe, expect, it } from 'vitest';
import { readDifferences } from '../../cgroup/differences.ts';
import type { Limit, MemoryFile } from '../../cgroup/memory-files.ts';
import { cgroupLayout } from '../../cgroup/paths.ts';
import { planEntries, summarize } from '../../cgroup/plan.ts';
import type { DesiredValue } from '../../cgroup/qos-pod.ts';
import { readCgroupSnapshot } from '../../cgroup/snapshot.ts';
import { FakeTree } from '../fakes/tree.ts';

function desired(cgroup: string | null, file: MemoryFile, limit: Limit): DesiredValue {
  return {
    level: 'pod',
    namespace: 'a',
    pod: 'b',
    uid: 'u',
    container: null,
    qosClass: 'Burstable',
    cgroup,
    file,
    desired: limit,
    reason: `to ${limit}`,
  };
}

describe('reading differences', () => {
  const tree = new FakeTree({
    'kubepods/memory.min': '8192\n',
    'kubepods/memory.low': '4096\n',
    'kubepods/podx/memory.min': '0\n',
    'kubepods/podx/memory.low': '0\n',
    'kubepods/podx/memory.high': 'max\n',
    'kubepods/pody/memory.min': 'junk\n',
    'kubepods/pody/memory.low': { failed: 'EACCES' },
    'kubepods/pody/memory.high': { failed: 'ENODEV' },
  });
  const values = [
    desired('kubepods', 'memory.min', 4096n),
    desired('kubepods', 'memory.low', 4096n),
    desired('kubepods/podx', 'memory.min', 4096n),
    desired('kubepods/podx', 'memory.low', 0n),
    desired('kubepods/podx', 'memory.high', 12288n),
    desired('kubepods/pody', 'memory.min', 4096n),
    desired('kubepods/pody', 'memory.low', 4096n),
    desired('kubepods/pody', 'memory.high', 'max'),
    desired('kubepods/gone', 'memory.min', 0n),
    desired(null, 'memory.min', 0n),
  ];

  it('gives what is to be written in write order, counts the rest, and names each unreadable file once', () => {
    const found = readDifferences(tree, values);
    expect(
      found.differing.map(({ cgroup, file, current, desired: to, action, reason }) =>
        [cgroup, file, current, to, action, reason].join(' '),
      ),
    ).toEqual([
      'kubepods/podx memory.min 0 4096 write to 4096',
      'kubepods/pody memory.min  4096 write to 4096',
      'kubepods/pody memory.low  4096 write to 4096',
      'kubepods/podx memory.high max 12288 write to 12288',
      'kubepods memory.min 8192 4096 write to 4096',
    ]);
    expect(found.summary).toEqual({ write: 5, keep: 2, missing: 3 });
    expect(found.warnings).toEqual([
      {
        code: 'unreadable-file',
        message: '/node/kubepods/pody/memory.min holds no number of bytes; its value counts as not known',
        cgroup: 'kubepods/pody',
        pod: null,
      },
      {
        code: 'unreadable-file',
        message: '/node/kubepods/pody/memory.low cannot be read: permission denied (EACCES)',
        cgroup: 'kubepods/pody',
        pod: null,
      },
    ]);
  });

  it('says the same as a plan from a snapshot of the whole tree', () => {
    const layout = cgroupLayout('cgroupfs', '/');
    const snapshot = readCgroupSnapshot(tree, { layout, reserved: [], workingSets: false });
    const entries = planEntries(values, snapshot);
    const found = readDifferences(tree, values);
    expect(found.differing).toEqual(entries.filter(({ action }) => action === 'write'));
    expect(found.summary).toEqual(summarize(entries));
  });

  it('reads each file of what is desired once, and lists no folder', () => {
    const before = tree.reads.length;
    readDifferences(tree, values);
    expect(tree.reads.slice(before)).toEqual(
      values.flatMap(({ cgroup, file }) => (cgroup === null ? [] : [`${cgroup}/${file}`])),
    );
  });

  it('has nothing to say of a tree that is as it should be', () => {
    expect(readDifferences(tree, values.slice(3, 4))).toEqual({
      differing: [],
      summary: { write: 0, keep: 1, missing: 0 },
      warnings: [],
    });
  });
});
