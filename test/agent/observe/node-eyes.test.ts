import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeEyes } from '../../../agent/observe/node-eyes.ts';
import { PodList } from '../../../agent/observe/pods/pod-list.ts';
import { openRoot } from '../../../agent/observe/root.ts';
import { tierReader } from '../../../agent/observe/tiers.ts';
import type { NodeEyes } from '../../../agent/ports.ts';
import { cgroupLayout } from '../../../cgroup/paths.ts';
import type { NodeFolder } from '../../fakes/node-folder.ts';
import { nodeUnderPressure } from '../../fakes/node-under-pressure.ts';
import { podOf } from '../../fakes/pods.ts';

const LAYOUT = cgroupLayout('cgroupfs', '/');
const MI = 1024n * 1024n;
const API = podOf({
  name: 'api',
  metadata: { namespace: 'shop', uid: 'uid-api' },
  spec: {
    containers: [{ name: 'c', resources: { requests: { memory: '100Mi' }, limits: { memory: '1Gi' } } }],
  },
});
const CACHE = podOf({ name: 'cache', metadata: { namespace: 'shop', uid: 'uid-cache' } });
const NEW = podOf({ name: 'new', metadata: { namespace: 'shop', uid: 'uid-new' } });

let node: NodeFolder;
beforeEach(() => {
  node = nodeUnderPressure();
});
afterEach(() => {
  node.remove();
});

async function eyesOf(): Promise<NodeEyes> {
  const root = await openRoot({ root: node.root });
  const machine = { pageSizeBytes: 4096, memoryCapacityBytes: 2048n * MI };
  const pods = new PodList({ paths: [], read: () => [API] });
  return nodeEyes({ root, layout: LAYOUT, machine, pods });
}

describe('nodeEyes', () => {
  it('reads the signals, each with the time of the look', async () => {
    const look = (await eyesOf()).signals(5000);
    expect([...look.readings].map(([signal, { available, atMs }]) => [signal, available, atMs])).toEqual([
      ['memory.available', 48n * MI, 5000],
      ['allocatableMemory.available', 64n * MI, 5000],
      ['pid.available', 700n, 5000],
    ]);
    expect(look).toMatchObject({
      psi: { some: { avg10: 1, totalUs: 77n } },
      memAvailableBytes: 1024n * MI,
      layout: 'single',
      lacks: [],
    });
  });

  it('names what it could not read, and leaves the signal out', async () => {
    node.writeCgroups({ 'memory.stat': 'anon nothing\n' });
    const look = (await eyesOf()).signals(5000);
    expect([...look.readings.keys()]).toEqual(['allocatableMemory.available', 'pid.available']);
    expect(look.lacks).toEqual([expect.stringContaining('memory.available is not observed')]);
  });

  it('leaves out what cannot be right: a working set of more than twice the capacity', async () => {
    const [twice, more] = [4096n * MI, 4096n * MI + 1n].map((bytes) => ({
      'memory.stat': `anon ${bytes}\nfile 0\ninactive_file 0\n`,
    }));
    node.writeCgroups({ ...twice });
    const known = (await eyesOf()).signals(5000);
    expect(known.readings.get('memory.available')?.available).toBe(-2048n * MI);
    expect(known.lacks).toEqual([]);
    node.writeCgroups({ ...more });
    const look = (await eyesOf()).signals(5000);
    expect([...look.readings.keys()]).toEqual(['allocatableMemory.available', 'pid.available']);
    expect(look.lacks).toEqual([
      'memory.available is not observed: more than twice its capacity of 2Gi would be in use, which cannot be right',
    ]);
  });

  it('says that there is no pressure file with null', async () => {
    node.write({ 'proc/pressure/memory': '' });
    expect((await eyesOf()).signals(0).psi).toBeNull();
  });

  it('measures pods that have a cgroup with processes in it', async () => {
    const usage = (await eyesOf()).usage([API, CACHE, NEW]);
    expect([...usage]).toEqual([
      ['uid-api', { memoryWorkingSetBytes: 500n * MI, processCount: 7n }],
      ['uid-cache', { memoryWorkingSetBytes: 60n * MI, processCount: 2n }],
    ]);
  });

  it('does not measure a pod whose processes are gone, whatever is still charged to it', async () => {
    node.writeCgroups({
      'kubepods/burstable/poduid-api/cgroup.events': 'populated 0\nfrozen 0\n',
      'kubepods/besteffort/poduid-cache/cgroup.events': 'populated 1\nfrozen 0\n',
    });
    expect([...(await eyesOf()).usage([API, CACHE]).keys()]).toEqual(['uid-cache']);
  });

  it('tells whether anything of a pod runs: its cgroup is there and holds a process', async () => {
    node.writeCgroups({
      'kubepods/burstable/poduid-api/cgroup.events': 'populated 0\nfrozen 0\n',
      'kubepods/besteffort/poduid-cache/cgroup.events': 'populated 1\nfrozen 0\n',
    });
    const eyes = await eyesOf();
    expect([API, CACHE, NEW].map((pod) => eyes.isRunning(pod))).toEqual([false, true, false]);
    expect(eyes.isRunning(podOf({ name: 'manifest' }))).toBe(false);
  });

  it('finds the place of a pod, and none where there is no cgroup', async () => {
    const eyes = await eyesOf();
    expect(eyes.placeOf(API)).toEqual({
      cgroup: 'kubepods/burstable/poduid-api',
      inode: expect.any(BigInt) as bigint,
    });
    expect(eyes.placeOf(NEW)).toBeUndefined();
    expect(eyes.placeOf(podOf({ name: 'manifest' }))).toBeUndefined();
  });

  it('gives the list of pods as its source has it', async () => {
    expect((await eyesOf()).pods(7)).toEqual({ pods: [API], ageMs: 0 });
  });
});

describe('tierReader', () => {
  it('counts pods and requests by class, and reads what the tiers use each time', async () => {
    const finished = podOf({ name: 'done', metadata: { uid: 'd' }, status: { phase: 'Succeeded' } });
    const read = tierReader(await openRoot({ root: node.root }), LAYOUT);
    const pods = [API, CACHE, NEW, finished];
    const tiers = [
      { qosClass: 'Guaranteed', pods: 0, requestBytes: 0n },
      { qosClass: 'Burstable', pods: 1, requestBytes: 100n * MI, usageBytes: 900n * MI },
      { qosClass: 'BestEffort', pods: 2, requestBytes: 0n, usageBytes: 70n * MI },
    ];
    expect(read(pods)).toEqual(tiers);
    node.writeCgroups({
      'kubepods/burstable/memory.current': '4096\n',
      'kubepods/besteffort/memory.current': 'x\n',
    });
    expect(read(pods)).toEqual([
      tiers[0],
      { ...tiers[1], usageBytes: 4096n },
      { qosClass: 'BestEffort', pods: 2, requestBytes: 0n },
    ]);
    expect(read([CACHE])[1]).toEqual({ ...tiers[1], pods: 0, requestBytes: 0n, usageBytes: 4096n });
  });
});
