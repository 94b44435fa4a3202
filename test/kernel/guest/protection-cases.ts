import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { diskTree } from '../../../cgroup/disk/disk-tree.ts';
import { type EffectiveProtection, effectiveProtection } from '../../../cgroup/effective.ts';
import { cgroupLayout } from '../../../cgroup/paths.ts';
import { readCgroupSnapshot } from '../../../cgroup/snapshot.ts';
import { counter, MIB, MOUNT, numberIn, writeCgroup } from './machine.ts';
import { reclaimIn } from './reclaim.ts';
import type { KernelCase, Notes } from './result.ts';
import { makeParent, removeCgroup } from './test-node.ts';
import { fillTo } from './workload.ts';

/** What may lie between a rule and a kernel that charges in batches and reclaims in batches. */
const TOLERANCE_MIB = 3;

type Children = Readonly<Record<string, readonly [usageMib: number, valueMib: number]>>;

/** A tree of two levels in one of the two files, and what the rule gives, with the mount's option and without it. */
interface Vector {
  readonly id: string;
  readonly file: 'memory.min' | 'memory.low';
  readonly parentMib: number;
  readonly children: Children;
  readonly recursive: readonly number[];
  readonly plain: readonly number[];
}

const VECTORS: readonly Vector[] = [
  {
    id: 'E1: what nobody claims of the root flows to all by use',
    file: 'memory.min',
    parentMib: 120,
    children: { g: [40, 40], burstable: [80, 0], besteffort: [80, 0] },
    recursive: [40, 40, 40],
    plain: [40, 0, 0],
  },
  {
    id: 'E2: a root that has as much low as its one claimant',
    file: 'memory.low',
    parentMib: 80,
    children: { g: [40, 0], burstable: [80, 80], besteffort: [80, 0] },
    recursive: [0, 80, 0],
    plain: [0, 80, 0],
  },
  {
    id: 'E3: a root without low protects nobody below it',
    file: 'memory.low',
    parentMib: 0,
    children: { burstable: [80, 80], besteffort: [80, 0] },
    recursive: [0, 0],
    plain: [0, 0],
  },
  {
    id: 'E4: claims beyond what the parent has are cut in proportion to what is used of them',
    file: 'memory.low',
    parentMib: 60,
    children: { a: [61, 60], b: [31, 60] },
    recursive: [39, 20],
    plain: [39, 20],
  },
  {
    id: 'E5: a root that has as much min as its one claimant leaves nothing to others',
    file: 'memory.min',
    parentMib: 40,
    children: { g: [40, 40], burstable: [80, 0], besteffort: [80, 0] },
    recursive: [40, 0, 0],
    plain: [40, 0, 0],
  },
  {
    id: 'E6: one that is alone with what nobody claims has all of it',
    file: 'memory.min',
    parentMib: 120,
    children: { g: [40, 40], burstable: [79, 0], besteffort: [0, 0] },
    recursive: [40, 80, 0],
    plain: [40, 0, 0],
  },
  {
    id: 'E7, at half its size: an idle Guaranteed pod leaves its protection to BestEffort',
    file: 'memory.min',
    parentMib: 640,
    children: { g: [50, 512], burstable: [150, 0], besteffort: [450, 0] },
    recursive: [50, 147.5, 442.5],
    plain: [50, 0, 0],
  },
];

/**
 * The vectors stand in a cgroup of their own, which is reclaimed from as if it were the whole machine: kernels with the
 * multi-generational LRU heed no protection when memory.reclaim of the root is written, though they do when memory is short.
 */
const NODE = 'node';
const PARENT = `${NODE}/kubepods`;

/** The mount's option can be changed as it runs. */
function mountWith(recursive: boolean): void {
  const options = recursive ? 'remount,memory_recursiveprot' : 'remount';
  execFileSync('mount', ['-o', options, '-t', 'cgroup2', 'none', MOUNT]);
}

/** What nodeqos computes from the tree as it stands. */
function computed(recursive: boolean): ReadonlyMap<string, EffectiveProtection> {
  const layout = cgroupLayout('cgroupfs', '/');
  const request = { layout, reserved: [], workingSets: false };
  const snapshot = readCgroupSnapshot(diskTree(`${MOUNT}/${NODE}`, 'cgroups'), request);
  const rule = { recursive, pageSizeBytes: 4096, planned: () => undefined };
  return new Map(effectiveProtection(snapshot, rule).map((one) => [one.cgroup, one]));
}

async function build({ file, parentMib, children }: Vector): Promise<void> {
  makeParent(NODE);
  makeParent(PARENT);
  writeCgroup(PARENT, file, String(parentMib * MIB));
  for (const [name, [usageMib, valueMib]] of Object.entries(children)) {
    mkdirSync(`${MOUNT}/${PARENT}/${name}`);
    if (usageMib > 0) await fillTo(`${PARENT}/${name}`, usageMib);
    writeCgroup(`${PARENT}/${name}`, file, String(valueMib * MIB));
  }
}

/** Small steps, so that no child is taken more than its part of before the others are looked at. */
const STEP_MIB = 5;
const LOW_STEP_MIB = 2;
const ROUNDS = 300;
/** What was just used is only found at a second look. */
const VAIN_ROUNDS = 3;

/** What each child has, and what nodeqos computes for it, in MiB. */
interface Standing {
  readonly usage: readonly number[];
  readonly computed: readonly number[];
}

function standing({ file, children }: Vector, recursive: boolean): Standing {
  const names = Object.keys(children);
  const all = computed(recursive);
  const key = file === 'memory.min' ? 'min' : 'low';
  return {
    usage: names.map((name) => numberIn(`${PARENT}/${name}`, 'memory.current') / MIB),
    computed: names.map((name) => Number(all.get(`kubepods/${name}`)?.[key] ?? 0n) / MIB),
  };
}

/**
 * How things stand when reclaim has taken what it may: for min, when there is no more to be had; for low, right before it
 * goes for somebody although he is protected.
 */
function afterReclaim(vector: Vector, recursive: boolean): Standing {
  if (vector.file === 'memory.min') {
    let vain = 0;
    for (let round = 0; round < ROUNDS && vain < VAIN_ROUNDS; round += 1)
      if (!reclaimIn(NODE, STEP_MIB)) vain += 1;
    return standing(vector, recursive);
  }
  const cgroups = Object.keys(vector.children).map((name) => `${PARENT}/${name}`);
  const lows = (): number => cgroups.reduce((sum, one) => sum + counter(one, 'memory.events', 'low'), 0);
  const before = lows();
  let last = standing(vector, recursive);
  for (let round = 0; round < ROUNDS && reclaimIn(NODE, LOW_STEP_MIB) && lows() === before; round += 1)
    last = standing(vector, recursive);
  return last;
}

function near(found: readonly number[], wanted: readonly number[], what: string): void {
  for (const [index, value] of wanted.entries()) {
    const one = found[index] ?? Number.NaN;
    const shown = `${what}: ${found.map((mib) => mib.toFixed(1)).join(', ')} instead of ${wanted.join(', ')}`;
    assert.ok(Math.abs(one - value) <= TOLERANCE_MIB, shown);
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

async function tried(vector: Vector, recursive: boolean, notes: Notes): Promise<void> {
  mountWith(recursive);
  try {
    await build(vector);
    const wanted = recursive ? vector.recursive : vector.plain;
    near(standing(vector, recursive).computed, wanted, 'nodeqos computes');
    const { usage, computed: protection } = afterReclaim(vector, recursive);
    const shown = usage.map((mib) => mib.toFixed(1)).join(', ');
    notes(`${vector.id.slice(0, 2)} ${recursive ? 'recursive' : 'plain'}: left ${shown}`);
    // Nobody keeps more than it had.
    const had = Object.values(vector.children).map(([mib]) => mib);
    const kept = (values: readonly number[]): number[] =>
      values.map((mib, index) => Math.min(mib, had[index] ?? 0));
    near(usage, kept(protection), 'the kernel leaves');
    // Who gives how much is the kernel's choice where protection goes by use; together it is what the table says.
    near([sum(usage)], [sum(kept(wanted))], 'the kernel leaves in all');
  } finally {
    await removeCgroup(NODE);
    writeFileSync('/proc/sys/vm/drop_caches', '3');
    mountWith(true);
  }
}

export const PROTECTION_CASES: readonly KernelCase[] = VECTORS.map((vector) => ({
  name: `the effective protection that is computed is what the kernel leaves, ${vector.id}`,
  run: async (notes) => {
    await tried(vector, true, notes);
    await tried(vector, false, notes);
  },
}));
