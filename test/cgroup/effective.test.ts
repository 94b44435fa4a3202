import { describe, expect, it } from 'vitest';
import { effectiveOfChildren, effectiveProtection } from '../../cgroup/effective.ts';
import { cgroupLayout } from '../../cgroup/paths.ts';
import { readCgroupSnapshot } from '../../cgroup/snapshot.ts';
import { cgroupTree, type FakeCgroup } from '../fakes/tree.ts';

const MI = 1048576n;

interface Vector {
  readonly name: string;
  /** memory.min or memory.low of the parent in MiB. */
  readonly parent: bigint;
  /** The parent's usage where it is not the sum of its children's. */
  readonly usage?: bigint;
  /** Usage and value in MiB. */
  readonly children: readonly (readonly [bigint, bigint])[];
  readonly recursive: readonly bigint[];
  readonly plain: readonly bigint[];
}

const VECTORS: readonly Vector[] = [
  {
    name: 'E1: unclaimed protection flows to whoever uses memory',
    parent: 120n,
    children: [
      [40n, 40n],
      [80n, 0n],
      [80n, 0n],
    ],
    recursive: [40n, 40n, 40n],
    plain: [40n, 0n, 0n],
  },
  {
    name: 'E2: a claim as large as the parent leaves nothing to flow',
    parent: 80n,
    children: [
      [40n, 0n],
      [80n, 80n],
      [80n, 0n],
    ],
    recursive: [0n, 80n, 0n],
    plain: [0n, 80n, 0n],
  },
  {
    name: 'E3: a parent without protection makes the claims of children void',
    parent: 0n,
    children: [
      [80n, 80n],
      [10n, 0n],
    ],
    recursive: [0n, 0n],
    plain: [0n, 0n],
  },
  {
    name: 'E5: a fully claimed parent',
    parent: 40n,
    children: [
      [40n, 40n],
      [80n, 0n],
      [80n, 0n],
    ],
    recursive: [40n, 0n, 0n],
    plain: [40n, 0n, 0n],
  },
  {
    name: 'E6: the share of a single unprotected child may exceed its usage',
    parent: 120n,
    children: [
      [40n, 40n],
      [79n, 0n],
      [0n, 0n],
    ],
    recursive: [40n, 80n, 0n],
    plain: [40n, 0n, 0n],
  },
  {
    name: 'E7: an idle Guaranteed pod hands its protection on',
    parent: 1280n,
    children: [
      [100n, 1024n],
      [300n, 0n],
      [900n, 0n],
    ],
    recursive: [100n, 295n, 885n],
    plain: [100n, 0n, 0n],
  },
];

describe('effectiveOfChildren', () => {
  it.each(VECTORS.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    const children = vector.children.map(([usage, value]) => ({ usage: usage * MI, value: value * MI }));
    const usage = children.reduce((total, child) => total + child.usage, 0n);
    const parent = { usage, effective: vector.parent * MI };
    const inMi = (recursive: boolean) =>
      effectiveOfChildren(parent, children, recursive).map((bytes) => bytes / MI);
    expect({ recursive: inMi(true), plain: inMi(false) }).toEqual({
      recursive: vector.recursive,
      plain: vector.plain,
    });
  });

  it('E4: overcommitted claims are cut in proportion, to the byte', () => {
    const children = [
      { usage: 61n * MI, value: 60n * MI },
      { usage: 31n * MI, value: 60n * MI },
    ];
    const parent = { usage: 92n * MI, effective: 60n * MI };
    const expected = [(3600n * MI) / 91n, (1860n * MI) / 91n];
    expect(effectiveOfChildren(parent, children, true)).toEqual(expected);
    expect(effectiveOfChildren(parent, children, false)).toEqual(expected);
    expect(expected.map((bytes) => bytes / MI)).toEqual([39n, 20n]);
  });

  it('claims that are exactly the parent are not cut', () => {
    const children = [
      { usage: 5n, value: 5n },
      { usage: 9n, value: 2n },
    ];
    expect(effectiveOfChildren({ usage: 14n, effective: 7n }, children, true)).toEqual([5n, 2n]);
  });

  it('nothing flows where the parent uses no more than is claimed', () => {
    const children = [
      { usage: 5n, value: 5n },
      { usage: 3n, value: 0n },
    ];
    expect(effectiveOfChildren({ usage: 5n, effective: 7n }, children, true)).toEqual([5n, 0n]);
    expect(effectiveOfChildren({ usage: 6n, effective: 7n }, children, true)).toEqual([5n, 6n]);
  });

  it('a child that uses what it claims gets nothing on top', () => {
    const children = [
      { usage: 4n, value: 4n },
      { usage: 4n, value: 0n },
    ];
    expect(effectiveOfChildren({ usage: 8n, effective: 6n }, children, true)).toEqual([4n, 2n]);
  });

  it('no children have nothing', () => {
    expect(effectiveOfChildren({ usage: 8n, effective: 6n }, [], true)).toEqual([]);
  });
});

describe('effectiveProtection', () => {
  function effective(cgroups: Record<string, FakeCgroup>, root: string, recursive: boolean | undefined) {
    const layout = cgroupLayout('cgroupfs', root);
    const request = { layout, reserved: [], workingSets: false };
    const snapshot = readCgroupSnapshot(cgroupTree(cgroups), request);
    return effectiveProtection(snapshot, { recursive, pageSizeBytes: 4096, planned: () => undefined });
  }

  it('goes down the tree, parents before children and siblings bytewise', () => {
    const cgroups = {
      kubepods: { min: 120n, low: 30n, current: 200n },
      'kubepods/podb': { min: 40n, current: 40n },
      'kubepods/podb/ctr': { min: 50n, current: 40n },
      'kubepods/besteffort': { current: 80n },
      'kubepods/burstable': { low: 30n, current: 80n },
      'kubepods/burstable/poda': { low: 20n, current: 60n },
    };
    expect(effective(cgroups, '/', false)).toEqual([
      { cgroup: 'kubepods', min: 120n, low: 30n },
      { cgroup: 'kubepods/besteffort', min: 0n, low: 0n },
      { cgroup: 'kubepods/burstable', min: 0n, low: 30n },
      { cgroup: 'kubepods/burstable/poda', min: 0n, low: 20n },
      { cgroup: 'kubepods/podb', min: 40n, low: 0n },
      { cgroup: 'kubepods/podb/ctr', min: 40n, low: 0n },
    ]);
    expect(effective(cgroups, '/', true)).toEqual([
      { cgroup: 'kubepods', min: 120n, low: 30n },
      { cgroup: 'kubepods/besteffort', min: 40n, low: 0n },
      { cgroup: 'kubepods/burstable', min: 40n, low: 30n },
      { cgroup: 'kubepods/burstable/poda', min: 30n, low: 26n },
      { cgroup: 'kubepods/podb', min: 40n, low: 0n },
      { cgroup: 'kubepods/podb/ctr', min: 40n, low: 0n },
    ]);
    expect(effective(cgroups, '/', undefined)).toEqual(effective(cgroups, '/', false));
  });

  it('a child of the mount has its own value, whatever it uses', () => {
    expect(effective({ kubepods: { min: 500n, low: 'max', current: 3n } }, '/', true)).toEqual([
      { cgroup: 'kubepods', min: 500n, low: 9223372036854771712n },
    ]);
  });

  it('a nested kubepods shares what the folders above have', () => {
    const cgroups = {
      a: { min: 60n, current: 92n },
      'a/b': { min: 60n, current: 61n },
      'a/other': { min: 60n, current: 31n },
      'a/b/kubepods': { min: 100n, current: 50n },
      'a/b/sibling': { min: 0n, current: 11n },
      'a/b/kubepods/podx': { min: 100n, current: 50n },
    };
    // a/b claims 60 of 91 for the 60 of a, that is 39; kubepods claims 50 of them.
    expect(effective(cgroups, '/a/b', false)).toEqual([
      { cgroup: 'a/b/kubepods', min: 39n, low: 0n },
      { cgroup: 'a/b/kubepods/podx', min: 39n, low: 0n },
    ]);
  });

  it('a nested kubepods below an unprotected folder has nothing', () => {
    const cgroups = { a: { current: 9n }, 'a/kubepods': { min: 9n, low: 9n, current: 9n } };
    expect(effective(cgroups, '/a', true)).toEqual([{ cgroup: 'a/kubepods', min: 0n, low: 0n }]);
  });

  it('leaves out what nobody measured, and all that is below it', () => {
    const tree = cgroupTree({
      kubepods: { min: 90n },
      'kubepods/burstable': { min: 9n },
      'kubepods/burstable/poda': { min: 9n, current: 9n },
      'kubepods/podb': { min: 40n, current: 30n },
    });
    tree.write('kubepods/memory.current', '');
    tree.write('kubepods/burstable/memory.current', 'no number\n');
    const layout = cgroupLayout('cgroupfs', '/');
    const snapshot = readCgroupSnapshot(tree, { layout, reserved: [], workingSets: false });
    const request = { recursive: false, pageSizeBytes: 4096, planned: () => undefined };
    expect(effectiveProtection(snapshot, request)).toEqual([
      { cgroup: 'kubepods', min: 90n, low: 0n },
      { cgroup: 'kubepods/podb', min: 30n, low: 0n },
    ]);
  });

  it('without kubepods there is nothing', () => {
    expect(effective({ 'system.slice': { min: 9n } }, '/', true)).toEqual([]);
  });

  it('takes planned values where there are some', () => {
    const layout = cgroupLayout('cgroupfs', '/');
    const tree = cgroupTree({
      kubepods: { min: 1n, low: 2n, current: 9n },
      'kubepods/podx': { low: 5n, current: 9n },
    });
    const snapshot = readCgroupSnapshot(tree, { layout, reserved: [], workingSets: false });
    const planned = (cgroup: string, file: string) =>
      cgroup === 'kubepods' && file === 'memory.low' ? 4n : undefined;
    expect(effectiveProtection(snapshot, { recursive: false, pageSizeBytes: 4096, planned })).toEqual([
      { cgroup: 'kubepods', min: 1n, low: 4n },
      { cgroup: 'kubepods/podx', min: 0n, low: 4n },
    ]);
  });
});
