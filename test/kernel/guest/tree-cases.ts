import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { codeOf } from './error-code.ts';
import { counter, MIB, MOUNT, numberIn, readCgroup, until, writeCgroup } from './machine.ts';
import type { KernelCase, Notes } from './result.ts';
import { makeParent, removeCgroup } from './test-node.ts';
import { hog, readFileIn } from './workload.ts';

const PARENT = 'try';
const LEAF = 'try/leaf';

async function inLeaf(test: () => Promise<void> | void): Promise<void> {
  makeParent(PARENT);
  mkdirSync(`${MOUNT}/${LEAF}`);
  try {
    await test();
  } finally {
    await removeCgroup(PARENT);
  }
}

/** The code of a write to a file of a cgroup. */
function written(cgroup: string, file: string, text: string): string {
  return codeOf(() => {
    writeCgroup(cgroup, file, text);
  });
}

function removed(cgroup: string): string {
  return codeOf(() => {
    rmdirSync(`${MOUNT}/${cgroup}`);
  });
}

/** memory.peak can be written from 6.12 on, and `swappiness=` of memory.reclaim is read from 6.9 on. */
function isAtLeast(major: number, minor: number): boolean {
  const [own = 0, ownMinor = 0] = readFileSync('/proc/sys/kernel/osrelease', 'utf8').split('.').map(Number);
  return own > major || (own === major && ownMinor >= minor);
}

async function treeRefuses(): Promise<void> {
  const process = await hog(LEAF, 1);
  const own = String(process.child.pid);
  assert.equal(written(LEAF, 'cgroup.subtree_control', '+memory'), 'EBUSY', 'a controller under processes');
  assert.equal(written(PARENT, 'cgroup.procs', own), 'EBUSY', 'a process above others');
  assert.equal(written(PARENT, 'cgroup.subtree_control', '+nothing'), 'EINVAL');
  assert.equal(removed(LEAF), 'EBUSY', 'a cgroup with processes');
  assert.equal(removed(PARENT), 'EBUSY', 'a cgroup with cgroups');
  assert.equal(
    written('', 'cgroup.subtree_control', '-memory'),
    'EBUSY',
    'a controller that children hand on',
  );
  assert.equal(written(LEAF, 'memory.current', '0'), 'EINVAL');
  assert.equal(written(LEAF, 'memory.stat', '0'), 'EINVAL');
  const peak = written(LEAF, 'memory.peak', '0');
  assert.equal(peak, isAtLeast(6, 12) ? 'no error' : 'EINVAL');
  assert.equal(
    codeOf(() => readFileSync(`${MOUNT}/${LEAF}/cgroup.kill`)),
    'EINVAL',
  );
  assert.match(readCgroup(PARENT, 'cgroup.events'), /^populated 1\nfrozen 0$/);
  writeCgroup(PARENT, 'cgroup.kill', '1');
  await process.ended();
  assert.equal(process.endedBy, 'SIGKILL');
  await until(() => readCgroup(PARENT, 'cgroup.events').startsWith('populated 0'), 'an empty cgroup');
}

async function maxBelowUsage(): Promise<void> {
  await readFileIn(LEAF, 32);
  writeCgroup(LEAF, 'memory.max', String(16 * MIB));
  assert.ok(numberIn(LEAF, 'memory.current') <= 16 * MIB, 'page cache is dropped');
  assert.equal(counter(LEAF, 'memory.events', 'oom_kill'), 0);
  writeCgroup(LEAF, 'memory.max', 'max');
  const process = await hog(LEAF, 24);
  writeCgroup(LEAF, 'memory.max', String(8 * MIB));
  assert.equal(counter(LEAF, 'memory.events', 'oom_kill'), 1, 'what processes have is had by killing them');
  await process.ended();
  assert.equal(process.endedBy, 'SIGKILL');
}

async function highBelowUsage(): Promise<void> {
  const process = await hog(LEAF, 24);
  const before = numberIn(LEAF, 'memory.current');
  writeCgroup(LEAF, 'memory.high', String(8 * MIB));
  assert.equal(readCgroup(LEAF, 'memory.high'), String(8 * MIB));
  assert.ok(numberIn(LEAF, 'memory.current') > before - 2 * MIB, 'without swap nothing of it can go');
  assert.equal(process.isRunning, true);
  assert.equal(counter(LEAF, 'memory.events', 'oom'), 0);
}

async function oneForAll(): Promise<void> {
  assert.equal(written(LEAF, 'memory.oom.group', '2'), 'EINVAL');
  const idle = [await hog(LEAF, 2), await hog(LEAF, 2)];
  const greedy = await hog(LEAF, 4);
  writeCgroup(LEAF, 'memory.oom.group', '1');
  writeCgroup(LEAF, 'memory.max', String(24 * MIB));
  greedy.order(40);
  for (const process of [...idle, greedy]) {
    await process.ended();
    assert.equal(process.endedBy, 'SIGKILL');
  }
  assert.equal(counter(LEAF, 'memory.events', 'oom_group_kill'), 1);
  // One of them may be counted again when memory is short once more before all of it is free.
  assert.ok(counter(LEAF, 'memory.events', 'oom_kill') >= 3);
}

/** A cgroup's own protection is none against what is asked of itself; that of those below it is. */
async function reclaimRules(notes: Notes): Promise<void> {
  assert.equal(written(LEAF, 'memory.reclaim', '0'), 'no error');
  assert.equal(written(LEAF, 'memory.reclaim', 'junk'), 'EINVAL');
  assert.equal(written(LEAF, 'memory.reclaim', '4096 swappiness=0') === 'EINVAL', !isAtLeast(6, 9));
  await readFileIn(LEAF, 24);
  writeCgroup(LEAF, 'memory.min', String(64 * MIB));
  for (let round = 0; round < 3; round += 1)
    assert.equal(written(PARENT, 'memory.reclaim', '8M'), 'EAGAIN', 'what is protected is left');
  assert.ok(numberIn(LEAF, 'memory.current') >= 23 * MIB);
  const own = written(LEAF, 'memory.reclaim', '8M');
  notes(`memory.reclaim of 8M from a cgroup below its own min: ${own}, left ${mib(LEAF)} MiB of 24`);
  writeCgroup(LEAF, 'memory.min', '0');
  assert.equal(written(PARENT, 'memory.reclaim', '8M'), 'no error');
  assert.ok(numberIn(LEAF, 'memory.current') <= 17 * MIB);
  assert.equal(written(PARENT, 'memory.reclaim', '512M'), 'EAGAIN', 'less than what was asked for');
  assert.ok(numberIn(LEAF, 'memory.current') < 4 * MIB, 'and yet all that there was');
}

function mib(cgroup: string): string {
  return (numberIn(cgroup, 'memory.current') / MIB).toFixed(1);
}

type Test = (notes: Notes) => Promise<void>;

const CASES: readonly (readonly [name: string, test: Test])[] = [
  [
    'a tree with processes refuses to be changed with EBUSY, and files that are none to write with EINVAL',
    treeRefuses,
  ],
  [
    'memory.max below what is used drops page cache, and kills inside the write where there is none',
    maxBelowUsage,
  ],
  [
    'memory.high below what is used is taken at once, and nobody is killed where there is no swap',
    highBelowUsage,
  ],
  ['with memory.oom.group one OOM ends all processes of a container', oneForAll],
  [
    'memory.reclaim leaves what those below protect, and tells of less than was asked for with EAGAIN',
    reclaimRules,
  ],
];

export const TREE_CASES: readonly KernelCase[] = CASES.map(([name, test]) => ({
  name,
  run: (notes) => inLeaf(() => test(notes)),
}));
