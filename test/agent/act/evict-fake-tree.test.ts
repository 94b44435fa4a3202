import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCgroupEvictor } from '../../../agent/act/evict/evict-cgroup.ts';
import { cgroupFiles } from '../../../agent/fake/cgroup-files.ts';
import { fakeCgroups } from '../../../agent/fake/fake-cgroups.ts';
import { withIdentities } from '../../../agent/fake/identities.ts';
import { writeFakeNode } from '../../../agent/fake/node-folder.ts';
import type { EvictionOutcome } from '../../../agent/model/eviction.ts';
import { systemClock } from '../../../agent/observe/system-clock.ts';
import { controlFiles } from '../../../cgroup/disk/control-files.ts';
import { closeMount, type Mount, openMount } from '../../../cgroup/disk/mount.ts';
import { cgroupLayout } from '../../../cgroup/paths.ts';
import { container, podOf } from '../../fakes/pods.ts';
import { TreeKernel } from '../../fakes/tree-kernel.ts';

const LAYOUT = cgroupLayout('systemd', '/');
const PODS = withIdentities([
  podOf({
    name: 'web',
    spec: { containers: [container('app', { memory: '64Mi' }), container('proxy', { memory: '32Mi' })] },
    status: { phase: 'Running' },
  }),
  podOf({
    name: 'db',
    spec: { containers: [container('pg', { memory: '64Mi' })] },
    status: { phase: 'Running' },
  }),
]);

let folder: string;
let mount: Mount;
let kernel: TreeKernel | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-tree-'));
  const cgroups = fakeCgroups({
    pods: PODS,
    layout: LAYOUT,
    usage: new Map(),
    kubepodsMaxBytes: 2n ** 32n,
    reserved: new Map(),
  });
  const files = cgroups.flatMap((one) =>
    [...cgroupFiles(one)].map(([file, text]) => [`${one.cgroup}/${file}`, text] as const),
  );
  writeFakeNode(folder, new Map(files), 'free');
  const opened = openMount(folder, true);
  if (!opened.ok) throw new Error(opened.message);
  mount = opened.value;
  kernel = undefined;
});

afterEach(() => {
  kernel?.stop();
  closeMount(mount);
  rmSync(folder, { recursive: true });
});

function web(): { pod: (typeof PODS)[number]; cgroup: string } {
  const pod = PODS.find(({ name }) => name === 'web');
  const cgroup = pod?.cgroupUid === undefined ? undefined : LAYOUT.podCgroup('Burstable', pod.cgroupUid);
  if (pod === undefined || cgroup === undefined) throw new Error('no pod web');
  return { pod, cgroup };
}

function evictWeb(): Promise<EvictionOutcome> {
  const { pod, cgroup } = web();
  const { ino: inode } = statSync(join(folder, cgroup), { bigint: true });
  return createCgroupEvictor({
    control: controlFiles(mount),
    processes: undefined,
    clock: systemClock,
    longestDyingMs: 2000,
  }).evict({ pod, place: { cgroup, inode }, gracePeriodSeconds: 3600 }, new AbortController().signal);
}

/** Every file of the tree with its text. */
function contents(): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(names.map((name) => [name.slice(folder.length + 1), readFileSync(name, 'utf8')]));
}

function bytes(cgroup: string): bigint {
  return BigInt(readFileSync(join(folder, cgroup, 'memory.current'), 'utf8').trim());
}

describe('a pod of a fake tree', () => {
  it.each(['empties', 'removes'] as const)('goes when its kernel %s what is killed', async (after) => {
    kernel = new TreeKernel(folder, after);
    const { cgroup } = web();
    const before = { pod: bytes(cgroup), tier: bytes(LAYOUT.burstable), all: bytes(LAYOUT.kubepods) };
    expect(await evictWeb()).toEqual({ kind: 'gone' });
    expect(kernel.killed).toHaveLength(3);
    expect(kernel.killed.at(-1)).toBe(cgroup);
    expect(before.pod).toBeGreaterThan(0n);
    expect(bytes(LAYOUT.burstable)).toBe(before.tier - before.pod);
    expect(bytes(LAYOUT.kubepods)).toBe(before.all - before.pod);
  });

  it('is still there when nobody plays the kernel, and nothing but cgroup.kill of its own was written', async () => {
    const before = contents();
    expect(await evictWeb()).toEqual({
      kind: 'still-there',
      why: 'it was killed and is still there after 2 s (3 processes)',
    });
    const after = contents();
    const changed = [...after].filter(([name, text]) => before.get(name) !== text);
    const { cgroup } = web();
    expect([...after.keys()]).toEqual([...before.keys()]);
    expect(changed).toHaveLength(3);
    for (const [name, text] of changed) {
      expect(name.startsWith(`${cgroup}/`)).toBe(true);
      expect(name.endsWith('/cgroup.kill')).toBe(true);
      expect(text).toBe('1\n');
    }
    expect(changed.map(([name]) => name)).toContain(`${cgroup}/cgroup.kill`);
  });
});
