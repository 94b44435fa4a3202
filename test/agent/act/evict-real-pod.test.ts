import { existsSync, rmdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCgroupEvictor } from '../../../agent/act/evict/evict-cgroup.ts';
import { thawLeftBehind } from '../../../agent/act/evict/freeze.ts';
import { hostProcesses } from '../../../agent/act/evict/host-processes.ts';
import { killPod } from '../../../agent/act/evict/kill-pod.ts';
import { holdPodCgroup } from '../../../agent/act/evict/pod-cgroup.ts';
import type { EvictionOutcome } from '../../../agent/model/eviction.ts';
import { loadNative } from '../../../agent/native/load-native.ts';
import { systemClock } from '../../../agent/observe/system-clock.ts';
import type { ControlFiles, HeldOrNot } from '../../../cgroup/control-port.ts';
import { controlFiles } from '../../../cgroup/disk/control-files.ts';
import { closeMount, type Mount, openMount } from '../../../cgroup/disk/mount.ts';
import { podOf } from '../../fakes/pods.ts';
import { RealCgroups, usableMount } from '../../fakes/real-cgroups.ts';

const usable = usableMount();
if ('lack' in usable) {
  console.log(`evictions of real pods are not tested: ${usable.lack}`);
}

const UID = '6a4f2e3b-1c9d-4a5e-8f7b-2d3e4f5a6b7c';
const APP = 'aaaa1111';
const SANDBOX = 'ffff9999';

describe.skipIf('lack' in usable)('a pod of real processes', () => {
  let cgroups: RealCgroups;
  let mount: Mount;
  let control: ControlFiles;
  let inode: bigint;
  let pod: string;

  beforeEach(() => {
    const top = `nodeqos-test-${process.pid}`;
    cgroups = new RealCgroups('mount' in usable ? usable.mount : '', top);
    pod = `${top}/kubepods/pod${UID}`;
    inode = cgroups.make(pod);
    cgroups.make(`${pod}/${APP}`);
    cgroups.make(`${pod}/${SANDBOX}`);
    const opened = openMount(cgroups.mount, false);
    if (!opened.ok) throw new Error(opened.message);
    mount = opened.value;
    control = controlFiles(mount);
  });

  afterEach(async () => {
    closeMount(mount);
    if (existsSync(cgroups.path(cgroups.top))) await cgroups.remove();
  });

  async function evict(graceS: number, isNative: boolean): Promise<EvictionOutcome> {
    const native = isNative ? await loadNative() : { lack: 'not wanted' };
    return await createCgroupEvictor({ control, processes: hostProcesses(native), clock: systemClock }).evict(
      { pod: thePod(), place: { cgroup: pod, inode }, gracePeriodSeconds: graceS },
      new AbortController().signal,
    );
  }

  function thePod(): ReturnType<typeof podOf> {
    return podOf({
      metadata: { uid: UID },
      spec: { containers: [{ name: 'app' }] },
      status: { containerStatuses: [{ name: 'app', containerID: `containerd://${APP}` }] },
    });
  }

  it.each([
    ['held by pidfds', true],
    ['known by PID alone', false],
  ])('ends by itself when it is asked to, %s', async (_, isNative) => {
    const app = await cgroups.run(`${pod}/${APP}`, 'trap "exit 3" TERM; while :; do sleep 0.05; done');
    await cgroups.run(`${pod}/${SANDBOX}`, 'exec sleep 300');
    const ended = new Promise((resolve) =>
      app.once('exit', (code, signal) => {
        resolve({ code, signal });
      }),
    );
    expect(await evict(60, isNative)).toEqual({ kind: 'gone' });
    expect(await ended).toEqual({ code: 3, signal: null });
    expect(cgroups.read(pod, 'cgroup.events')).toBe('populated 0\nfrozen 0\n');
  });

  it('is killed when it does not', async () => {
    const app = await cgroups.run(`${pod}/${APP}`, 'trap "" TERM; while :; do sleep 0.05; done');
    const ended = new Promise((resolve) =>
      app.once('exit', (code, signal) => {
        resolve({ code, signal });
      }),
    );
    const startMs = performance.now();
    expect(await evict(1, true)).toEqual({ kind: 'gone' });
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(1000);
    expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('is killed although somebody froze it', async () => {
    await cgroups.run(`${pod}/${APP}`, 'exec sleep 300');
    const held = control.hold(pod, inode);
    if (held.kind !== 'held') throw new Error(held.error);
    await held.held.write('cgroup.freeze', '1');
    held.held.release();
    expect(await evict(1, true)).toEqual({ kind: 'gone' });
  });

  it('is killed process by process where there is no cgroup.kill', async () => {
    await cgroups.run(`${pod}/${APP}`, 'sleep 300 & sleep 301 & exec sleep 302');
    const held = holdPodCgroup(withoutKill(control), thePod(), { cgroup: pod, inode });
    if (held.kind !== 'held') throw new Error(held.kind);
    const processes = hostProcesses(await loadNative());
    expect(await killPod(held.podCgroup, processes, systemClock)).toBeUndefined();
    held.podCgroup.release();
    expect(cgroups.read(pod, 'cgroup.events')).toBe('populated 0\nfrozen 0\n');
  });

  it('runs again after an agent that was killed had frozen it', async () => {
    await cgroups.run(`${pod}/${APP}`, 'exec sleep 300');
    const held = control.hold(pod, inode);
    if (held.kind !== 'held') throw new Error(held.error);
    await held.held.write('cgroup.freeze', '1');
    held.held.release();
    expect(await thawLeftBehind(control, { cgroup: pod, inode: inode + 1n })).toBeUndefined();
    expect(cgroups.read(pod, 'cgroup.freeze')).toBe('1\n');
    expect(await thawLeftBehind(control, { cgroup: pod, inode })).toBeUndefined();
    expect(cgroups.read(pod, 'cgroup.freeze')).toBe('0\n');
    expect(await thawLeftBehind(control, { cgroup: pod, inode })).toBeUndefined();
  });

  it('that is made anew is not the one that was held', async () => {
    const held = control.hold(pod, inode);
    if (held.kind !== 'held') throw new Error(held.error);
    const child = held.held.child(APP);
    if (child.kind !== 'held') throw new Error(child.error);
    for (const cgroup of [`${pod}/${APP}`, `${pod}/${SANDBOX}`, pod]) rmdirSync(cgroups.path(cgroup));
    const gone = { kind: 'vanished', error: `${cgroups.path(pod)}/cgroup.events is gone` };
    expect(held.held.read('cgroup.events')).toEqual(gone);
    const remade = cgroups.make(pod);
    cgroups.make(`${pod}/${APP}`);
    expect(remade).not.toBe(inode);
    expect(held.held.read('cgroup.events')).toEqual(gone);
    expect(await child.held.write('cgroup.kill', '1')).toEqual({
      kind: 'vanished',
      error: `${cgroups.path(pod)}/${APP}/cgroup.kill is gone`,
    });
    expect(held.held.child(APP).kind).toBe('vanished');
    expect(control.hold(pod, inode)).toEqual({
      kind: 'vanished',
      remade: true,
      error: `${cgroups.path(pod)} was removed and made anew meanwhile`,
    });
    child.held.release();
    held.held.release();
  });
});

function withoutKill(control: ControlFiles): ControlFiles {
  return { ...control, hold: (cgroup, inode) => heldWithoutKill(control.hold(cgroup, inode)) };
}

function heldWithoutKill(opened: HeldOrNot): HeldOrNot {
  if (opened.kind !== 'held') return opened;
  const real = opened.held;
  return {
    kind: 'held',
    held: {
      cgroup: real.cgroup,
      inode: real.inode,
      read: (file) => real.read(file),
      write: (file, value) =>
        file === 'cgroup.kill' ? Promise.resolve({ kind: 'missing' }) : real.write(file, value),
      children: () => real.children(),
      child: (name) => heldWithoutKill(real.child(name)),
      release: () => {
        real.release();
      },
    },
  };
}
