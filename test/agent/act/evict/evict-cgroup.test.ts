import { describe, expect, it } from 'vitest';
import { createCgroupEvictor } from '../../../../agent/act/evict/evict-cgroup.ts';
import { dryEvictor } from '../../../../agent/act/evict/evict-dry.ts';
import type { EvictionOutcome } from '../../../../agent/model/eviction.ts';
import type { Pod } from '../../../../agent/model/pod.ts';
import type { PodPlace } from '../../../../agent/ports.ts';
import { FakeKernel, type KernelLimits } from '../../../fakes/fake-kernel.ts';
import { podOf } from '../../../fakes/pods.ts';

const UID = '6a4f2e3b-1c9d-4a5e-8f7b-2d3e4f5a6b7c';
const POD = `kubepods/burstable/pod${UID}`;
const SLICE = `kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID.replaceAll('-', '_')}.slice`;
const APP = 'aaaa1111';
const PROXY = 'bbbb2222';
const SANDBOX = 'ffff9999';

function podWith(ids: readonly string[] = [APP, PROXY]): Pod {
  return podOf({
    name: 'web',
    metadata: { uid: UID },
    spec: { containers: ids.map((_, index) => ({ name: `c${index}` })) },
    status: {
      containerStatuses: ids.map((id, index) => ({ name: `c${index}`, containerID: `containerd://${id}` })),
    },
  });
}

interface Scene {
  readonly kernel: FakeKernel;
  readonly place: PodPlace;
}

/** A pod of two containers and a sandbox; the app ends 50 ms after it is asked to, the proxy after 200 ms. */
function scene(limits: KernelLimits = {}, proxy: 'ends' | 'ignores' = 'ends'): Scene {
  const kernel = new FakeKernel(limits);
  const inode = kernel.cgroup(POD);
  kernel.cgroup(`${POD}/${SANDBOX}`, { pid: 10 });
  kernel.cgroup(`${POD}/${APP}`, { pid: 20, endsInMs: 50 }, { pid: 21, parentPid: 20 });
  kernel.cgroup(`${POD}/${PROXY}`, {
    pid: 30,
    ...(proxy === 'ends' ? { endsInMs: 200 } : {}),
  });
  return { kernel, place: { cgroup: POD, inode } };
}

interface Evicted {
  readonly outcome: EvictionOutcome;
  readonly log: readonly string[];
  readonly held: number;
}

async function evict(
  { kernel, place }: Scene,
  options: {
    graceS?: number;
    signal?: AbortSignal;
    pod?: Pod;
    place?: PodPlace | undefined;
    signals?: boolean;
  } = {},
): Promise<Evicted> {
  const evictor = createCgroupEvictor({
    control: kernel.control,
    processes: options.signals === false ? undefined : kernel.processes,
    clock: kernel,
  });
  const outcome = await evictor.evict(
    {
      pod: options.pod ?? podWith(),
      place: 'place' in options ? options.place : place,
      gracePeriodSeconds: options.graceS ?? 2,
    },
    options.signal ?? new AbortController().signal,
  );
  return { outcome, log: kernel.log, held: kernel.held };
}

describe('a pod is evicted through its cgroup', () => {
  it('asks the first process of each container while all are frozen, and kills what is left after the grace', async () => {
    expect(await evict(scene({}, 'ignores'), { graceS: 1 })).toEqual({
      outcome: { kind: 'gone' },
      log: [
        `0 freeze ${POD}`,
        '0 SIGTERM 20',
        '0 SIGTERM 30',
        `0 thaw ${POD}`,
        `1000 kill ${POD}/${APP}`,
        `1000 kill ${POD}/${PROXY}`,
        `1000 kill ${POD}`,
      ],
      held: 0,
    });
  });

  it('does not wait for the grace once all containers have ended, and takes the sandbox last', async () => {
    const { kernel, place } = scene();
    kernel.at(60, () => {
      kernel.remove(`${POD}/${APP}`);
    });
    const { outcome, log } = await evict({ kernel, place }, { graceS: 30 });
    expect(outcome).toEqual({ kind: 'gone' });
    expect(log.slice(4)).toEqual([
      expect.stringMatching(new RegExp(`^2[0-9]{2} kill ${POD}/${PROXY}$`)),
      expect.stringMatching(new RegExp(`^2[0-9]{2} kill ${POD}$`)),
    ]);
  });

  it('kills nobody where the whole pod ends by itself', async () => {
    const { kernel, place } = scene();
    kernel.at(70, () => {
      kernel.remove(POD);
    });
    const { outcome, log } = await evict({ kernel, place });
    expect(outcome).toEqual({ kind: 'gone' });
    expect(log.filter((line) => line.includes('kill'))).toEqual([]);
  });

  it('kills at once with a grace of 0', async () => {
    expect(await evict(scene(), { graceS: 0 })).toEqual({
      outcome: { kind: 'gone' },
      log: [`0 kill ${POD}/${APP}`, `0 kill ${POD}/${PROXY}`, `0 kill ${POD}`],
      held: 0,
    });
  });

  it('kills at once where nobody could be asked', async () => {
    const { outcome, log } = await evict(scene({ signals: 'EPERM' }), { graceS: 30 });
    expect(outcome).toEqual({ kind: 'gone' });
    expect(log[2]).toBe(`0 kill ${POD}/${APP}`);
  });

  it('finds the containers under the systemd driver, and not their monitors', async () => {
    const kernel = new FakeKernel();
    const inode = kernel.cgroup(SLICE);
    kernel.cgroup(`${SLICE}/cri-containerd-${APP}.scope`, { pid: 20, endsInMs: 5 });
    kernel.cgroup(`${SLICE}/cri-containerd-${SANDBOX}.scope`, { pid: 10 });
    kernel.cgroup(`${SLICE}/crio-conmon-${APP}.scope`, { pid: 11 });
    const { outcome, log } = await evict({ kernel, place: { cgroup: SLICE, inode } });
    expect(outcome).toEqual({ kind: 'gone' });
    expect(log.filter((line) => line.includes('SIGTERM'))).toEqual(['0 SIGTERM 20']);
    expect(log.filter((line) => line.includes('kill')).map((line) => line.replace(/^\d+ /, ''))).toEqual([
      `kill ${SLICE}/cri-containerd-${APP}.scope`,
      `kill ${SLICE}`,
    ]);
  });

  it('asks in every cgroup of the pod where none of its containers is known', async () => {
    const { log } = await evict(scene(), { pod: podWith(['cccc3333']) });
    expect(log.filter((line) => line.includes('SIGTERM'))).toEqual([
      '0 SIGTERM 20',
      '0 SIGTERM 30',
      '0 SIGTERM 10',
    ]);
  });

  it('asks the process of a pod whose processes are in its own cgroup', async () => {
    const kernel = new FakeKernel();
    const inode = kernel.cgroup(POD, { pid: 40, endsInMs: 30 });
    const { outcome, log } = await evict({ kernel, place: { cgroup: POD, inode } });
    expect(outcome).toEqual({ kind: 'gone' });
    expect(log).toEqual([`0 freeze ${POD}`, '0 SIGTERM 40', `0 thaw ${POD}`]);
  });

  it('asks the first process of a container that has a tree of its own inside', async () => {
    const kernel = new FakeKernel();
    const inode = kernel.cgroup(POD);
    kernel.cgroup(`${POD}/${APP}`);
    kernel.cgroup(`${POD}/${APP}/system.slice`, { pid: 22, parentPid: 23, startTicks: 5n });
    kernel.cgroup(`${POD}/${APP}/init.scope`, { pid: 23, startTicks: 4n });
    const { log } = await evict({ kernel, place: { cgroup: POD, inode } });
    expect(log[1]).toBe('0 SIGTERM 23');
  });
});

describe('a pod is not evicted', () => {
  it.each<[string, Parameters<typeof evict>[1], EvictionOutcome]>([
    [
      'it has no cgroup here',
      { place: undefined },
      { kind: 'refused', why: 'it has no cgroup on this node' },
    ],
    [
      'its cgroup was made anew since it was looked at',
      { place: { cgroup: POD, inode: 1n } },
      { kind: 'refused', why: `${POD} was removed and made anew meanwhile` },
    ],
    [
      'the cgroup is of another pod',
      { pod: podOf({ metadata: { uid: '00000000-1c9d-4a5e-8f7b-2d3e4f5a6b7c' } }) },
      { kind: 'refused', why: `${POD} does not carry the UID of the pod; it is left alone` },
    ],
    [
      'the pod has no UID',
      { pod: podOf() },
      { kind: 'refused', why: `${POD} does not carry the UID of the pod; it is left alone` },
    ],
    [
      'the cgroup is a whole tier',
      { place: { cgroup: 'kubepods/burstable', inode: 1n } },
      { kind: 'refused', why: 'kubepods/burstable does not carry the UID of the pod; it is left alone' },
    ],
    [
      'the agent has ended already',
      { signal: AbortSignal.abort() },
      { kind: 'still-there', why: 'the agent ended before anything was done' },
    ],
  ])('when %s', async (_, options, outcome) => {
    expect(await evict(scene(), options)).toEqual({ outcome, log: [], held: 0 });
  });

  it('when nodeqos itself runs in it', async () => {
    const kernel = new FakeKernel();
    const inode = kernel.cgroup(POD);
    kernel.cgroup(`${POD}/${APP}`, { pid: 1 });
    expect(await evict({ kernel, place: { cgroup: POD, inode } })).toEqual({
      outcome: { kind: 'refused', why: 'nodeqos itself runs in this pod' },
      log: [],
      held: 0,
    });
  });
});

describe('a pod that goes while it is evicted', () => {
  it('is gone where its cgroup is gone, or where nothing runs in it any more', async () => {
    const kernel = new FakeKernel();
    const inode = kernel.cgroup(POD);
    expect(await evict({ kernel, place: { cgroup: POD, inode } })).toEqual({
      outcome: { kind: 'gone' },
      log: [],
      held: 0,
    });
    kernel.remove(POD);
    expect((await evict({ kernel, place: { cgroup: POD, inode } })).outcome).toEqual({ kind: 'gone' });
  });

  it('is gone when it is made anew during its grace, and the new one is not touched', async () => {
    const { kernel, place } = scene({}, 'ignores');
    kernel.at(300, () => {
      kernel.cgroup(POD);
      kernel.cgroup(`${POD}/${APP}`, { pid: 50 });
    });
    const { outcome, log, held } = await evict({ kernel, place });
    expect(outcome).toEqual({ kind: 'gone' });
    expect(log.slice(4)).toEqual([]);
    expect(held).toBe(0);
    expect(kernel.processes.facts(50)).toBeDefined();
  });
});

describe('what cannot be done', () => {
  it('says that a pod is still there when a process does not die, and how many', async () => {
    const { kernel, place } = scene();
    kernel.cgroup(`${POD}/${PROXY}`, { pid: 30, diesInMs: undefined });
    expect((await evict({ kernel, place }, { graceS: 0 })).outcome).toEqual({
      kind: 'still-there',
      why: 'it was killed and is still there after 29 s (1 process)',
    });
    expect(kernel.nowMs()).toBe(29_000);
  });

  it('says why cgroup.kill could not be written', async () => {
    const { outcome, held } = await evict(scene({ writes: 'cgroup.kill: permission denied' }));
    expect(outcome).toEqual({ kind: 'still-there', why: 'cgroup.kill: permission denied' });
    expect(held).toBe(0);
  });

  it('goes on where the pod does not freeze, after half a second', async () => {
    const { outcome, log } = await evict(scene({ canFreeze: false }));
    expect(outcome).toEqual({ kind: 'gone' });
    expect(log.slice(0, 4)).toEqual([
      `0 freeze ${POD}`,
      '500 SIGTERM 20',
      '500 SIGTERM 30',
      `500 thaw ${POD}`,
    ]);
  });

  it('goes on where nothing can be frozen', async () => {
    const { log } = await evict(scene({ hasFreeze: false }));
    expect(log.slice(0, 2)).toEqual(['0 SIGTERM 20', '0 SIGTERM 30']);
  });

  it('leaves a pod frozen that somebody else froze', async () => {
    const { kernel, place } = scene();
    kernel.freeze(POD);
    const { log } = await evict({ kernel, place });
    expect(log.filter((line) => line.includes('thaw') || line.includes('freeze'))).toEqual([]);
    expect(log[0]).toBe('0 SIGTERM 20');
  });
});

describe('on a kernel without cgroup.kill', () => {
  it('kills every process of the pod while it is frozen', async () => {
    expect(await evict(scene({ hasKill: false }), { graceS: 0 })).toEqual({
      outcome: { kind: 'gone' },
      log: [
        `0 freeze ${POD}`,
        '0 SIGKILL 10',
        '0 SIGKILL 20',
        '0 SIGKILL 21',
        '0 SIGKILL 30',
        `0 thaw ${POD}`,
      ],
      held: 0,
    });
  });

  it('meets in another round what was not frozen and had children', async () => {
    const { kernel, place } = scene({ hasKill: false });
    kernel.at(5, () => kernel.cgroup(`${POD}/late`, { pid: 60 }));
    const { outcome, log } = await evict({ kernel, place }, { graceS: 0 });
    expect(outcome).toEqual({ kind: 'gone' });
    expect(log.at(-2)).toMatch(/^[0-9]+ SIGKILL 60$/);
  });

  it('says which process could not be killed', async () => {
    const { outcome } = await evict(scene({ hasKill: false, signals: 'EPERM' }), { graceS: 0 });
    expect(outcome).toEqual({ kind: 'still-there', why: 'process 30 could not be killed (EPERM)' });
  });
});

describe('the end of the agent', () => {
  it('keeps everybody from being killed after it, and leaves nobody frozen', async () => {
    const end = new AbortController();
    const { kernel, place } = scene({}, 'ignores');
    kernel.at(400, () => {
      end.abort();
    });
    const { outcome, log, held } = await evict({ kernel, place }, { graceS: 30, signal: end.signal });
    expect(outcome).toEqual({
      kind: 'still-there',
      why: 'the agent ended before the grace was over; nothing was killed',
    });
    expect(log).toEqual([`0 freeze ${POD}`, '0 SIGTERM 20', '0 SIGTERM 30', `0 thaw ${POD}`]);
    expect(kernel.isFrozen(POD)).toBe(false);
    expect(held).toBe(0);
  });

  it('does not wait for what was killed to be gone', async () => {
    const end = new AbortController();
    const { kernel, place } = scene();
    kernel.cgroup(`${POD}/${PROXY}`, { pid: 30, diesInMs: undefined });
    kernel.at(400, () => {
      end.abort();
    });
    expect((await evict({ kernel, place }, { graceS: 0, signal: end.signal })).outcome).toEqual({
      kind: 'still-there',
      why: 'it was killed, and the agent ended before it was gone',
    });
    expect(kernel.nowMs()).toBe(400);
  });
});

describe('on a fake tree', () => {
  it.each([
    ['whose processes mean nobody', { isCgroup2: true }, false],
    ['that is no cgroup2 filesystem', { isCgroup2: false }, true],
  ])('%s: only cgroup.kill is written, at once', async (_, limits, signals) => {
    expect(await evict(scene(limits), { graceS: 30, signals })).toEqual({
      outcome: { kind: 'gone' },
      log: [`0 kill ${POD}/${APP}`, `0 kill ${POD}/${PROXY}`, `0 kill ${POD}`],
      held: 0,
    });
  });

  it('waits half a minute for whoever plays the kernel', async () => {
    const { kernel, place } = scene({ isCgroup2: false });
    kernel.cgroup(`${POD}/${PROXY}`, { pid: 30, diesInMs: 29_001 });
    expect((await evict({ kernel, place })).outcome).toEqual({
      kind: 'still-there',
      why: 'it was killed and is still there after 29 s (1 process)',
    });
  });

  it('says that a file is missing', async () => {
    const { outcome } = await evict(scene({ isCgroup2: false, hasKill: false }), { signals: false });
    expect(outcome).toEqual({
      kind: 'still-there',
      why: `${POD} has no cgroup.kill, so nothing was killed`,
    });
  });
});

describe('the dry evictor', () => {
  it('does nothing and says so', async () => {
    const target = { pod: podOf(), place: undefined, gracePeriodSeconds: 1 };
    expect(dryEvictor.name).toBe('dry');
    expect(await dryEvictor.evict(target, new AbortController().signal)).toEqual({ kind: 'dry-run' });
  });
});
