import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { cgroupFiles, rootCgroupFiles } from '../../../agent/fake/cgroup-files.ts';
import { NO_USAGE } from '../../../agent/fake/memory-usage.ts';
import { MOUNT, readCgroup } from './machine.ts';
import type { KernelCase, Notes } from './result.ts';
import { makeParent, removeCgroup } from './test-node.ts';

/** A cgroup that was just made and in which nothing is, as a fake node has it. */
const FAKE = cgroupFiles({
  cgroup: 'try/leaf',
  usage: NO_USAGE,
  maxBytes: null,
  isContainer: false,
  processIds: [],
  tasks: 0,
});

/** Files of which a machine without CPU and I/O controllers has less than a node, and those that grow with what was used. */
const DIFFERENT = new Set(['cgroup.controllers', 'cgroup.subtree_control', 'memory.stat']);

/** The keys of lines such as `anon 0`. */
function keysOf(text: string): readonly string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '');
}

/** That the second list holds the first one, in its order. */
function holdsInOrder(wanted: readonly string[], found: readonly string[], what: string): void {
  const set = new Set(wanted);
  assert.deepEqual(
    found.filter((one) => set.has(one)),
    wanted,
    what,
  );
}

function isReadable(path: string): boolean {
  return (statSync(path).mode & 0o444) !== 0;
}

/** One cgroup of a fake node beside one of the kernel: every file is there, and reads the same. */
function sameFiles(fake: ReadonlyMap<string, string>, cgroup: string, notes: Notes): void {
  const folder = `${MOUNT}/${cgroup}`;
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  for (const [name, text] of fake) {
    assert.ok(names.includes(name), `the kernel has no ${name}`);
    if (!isReadable(`${folder}/${name}`)) assert.equal(text, '', `${name} cannot be read`);
    else if (name === 'memory.events' || name === 'memory.events.local')
      holdsInOrder(keysOf(text), keysOf(readCgroup(cgroup, name)), name);
    else if (!DIFFERENT.has(name)) assert.equal(text, readFileSync(`${folder}/${name}`, 'utf8'), name);
  }
  const stat = keysOf(readCgroup(cgroup, 'memory.stat'));
  const has = new Set(stat);
  const lacks = keysOf(fake.get('memory.stat') ?? '').filter((key) => !has.has(key));
  holdsInOrder(
    keysOf(fake.get('memory.stat') ?? '').filter((key) => has.has(key)),
    stat,
    'memory.stat',
  );
  const others = names.filter((name) => name.startsWith('memory.') && !fake.has(name));
  notes(
    `only the kernel has ${others.join(', ')}; only the fake node has ${lacks.join(', ')} in memory.stat`,
  );
  // Of a kernel without zswap, and of no other.
  assert.deepEqual(
    lacks.filter((key) => !key.startsWith('zsw')),
    [],
  );
}

async function newCgroup(notes: Notes): Promise<void> {
  makeParent('try');
  mkdirSync(`${MOUNT}/try/leaf`);
  try {
    sameFiles(FAKE, 'try/leaf', notes);
  } finally {
    await removeCgroup('try');
  }
}

function root(): void {
  const names = readdirSync(MOUNT);
  for (const name of rootCgroupFiles(NO_USAGE).keys())
    assert.ok(names.includes(name), `the kernel has no ${name} there`);
}

export const FAKE_TREE_CASES: readonly KernelCase[] = [
  {
    name: 'a cgroup of a fake node has files of a cgroup that was just made, and they read the same',
    run: newCgroup,
  },
  { name: 'the root of a fake node has files of the root of a tree', run: root },
];
