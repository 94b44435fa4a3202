import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT, Failure } from '../../../../agent/exit.ts';
import type { Pod } from '../../../../agent/model/pod.ts';
import type { PodsRead } from '../../../../agent/model/pods-read.ts';
import { systemClock } from '../../../../agent/observe/system-clock.ts';
import { type CriClient, criClient } from '../../../../agent/peers/cri/cri-client.ts';
import { criPods } from '../../../../agent/peers/cri/cri-pods.ts';
import type { Clock, PodNews, RemotePods } from '../../../../agent/ports.ts';
import { formatQuantity } from '../../../../config/numbers/quantity.ts';
import { FakeCriServer } from '../../../fakes/cri-server.ts';
import { podOf } from '../../../fakes/pods.ts';

const never = new AbortController().signal;
const MIB = 1 << 20;

let server: FakeCriServer;
let client: CriClient;
let nowMs = 0;
/** The time of the caches is moved by hand; deadlines are real. */
const clock: Clock = { ...systemClock, nowMs: () => nowMs };

beforeEach(async () => {
  nowMs = 0;
  server = await FakeCriServer.started();
  client = criClient({ socket: server.socket, access: { deadlineMs: 60_000 }, clock });
});

afterEach(() => {
  client.close();
  server.remove();
});

function source(...manifests: readonly Pod[]): RemotePods {
  const read = (): PodsRead => ({ pods: manifests, warnings: [] });
  return criPods({ client, ...(manifests.length > 0 && { manifests: read }), everyMs: 20, clock });
}

async function pods(...manifests: readonly Pod[]): Promise<readonly Pod[]> {
  return (await source(...manifests).list(never)).pods;
}

function staticPod(name: string, ...containers: readonly string[]): Pod {
  const metadata = { namespace: 'kube-system', annotations: { 'kubernetes.io/config.source': 'file' } };
  const spec = { priority: 5, containers: containers.map((container) => ({ name: container })) };
  return podOf({ name, metadata, spec });
}

const OF_KUBELET = { 'kubernetes.io/config.source': 'api' };
const OF_FILE = { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.hash': 'f00d' };

describe('a pod that a runtime runs', () => {
  it('has its names, labels, class, grace, IDs and limits from the runtime, and nothing that it does not know', async () => {
    const sandbox = server.pod({
      ...{ name: 'cart', uid: '7a-1', qosClass: 'Burstable', hostNetwork: true },
      labels: { app: 'cart' },
    });
    const annotations = { 'io.kubernetes.pod.terminationGracePeriod': '45' };
    const app = server.container(sandbox, { name: 'app', memoryLimitBytes: 64 * MIB, annotations });
    const [pod] = await pods();
    expect(pod).toMatchObject({
      ...{ namespace: 'shop', name: 'cart', uid: '7a-1', cgroupUid: '7a-1', phase: 'Running' },
      ...{ reportedQosClass: 'Burstable', hostNetwork: true, isStatic: false, isMirror: false },
      ...{ terminationGracePeriodSeconds: 45, labels: new Map([['app', 'cart']]) },
      containers: [{ name: 'app', type: 'regular', containerId: { runtime: 'containerd', id: app } }],
    });
    expect(amounts(pod)).toEqual({ limits: { memory: '67108864' }, requests: { memory: '0' } });
    expect(pod).not.toHaveProperty('priority');
    expect(pod).not.toHaveProperty('mayBeCritical');
  });

  it('requests its limits where it is Guaranteed', async () => {
    server.pod(
      { name: 'till', uid: '7a-2', qosClass: 'Guaranteed' },
      { name: 'app', memoryLimitBytes: 32 * MIB, cpuQuota: 10_000 },
    );
    const [pod] = await pods();
    const same = { cpu: '100m', memory: '33554432' };
    expect(pod?.reportedQosClass).toBe('Guaranteed');
    expect(amounts(pod)).toEqual({ limits: same, requests: same });
  });

  it('has no class where its cgroup is not among those of pods, or is that of another one', async () => {
    server.pod({ name: 'lab', uid: '7a-3' }, { name: 'app', memoryLimitBytes: MIB });
    const [pod] = await pods();
    expect(pod).not.toHaveProperty('reportedQosClass');
    expect(amounts(pod)).toEqual({ limits: { memory: '1048576' }, requests: { memory: '0' } });
  });

  it('is named after the runtime that runs it', async () => {
    server.runtime = 'cri-o';
    const id = server.pod({ name: 'cart', uid: '7a-4' });
    const app = server.container(id, { name: 'app' });
    expect((await pods())[0]?.containers[0]?.containerId).toEqual({ runtime: 'cri-o', id: app });
  });

  it('is the latest of its sandboxes, with the latest of each container that runs', async () => {
    const old = server.pod({ name: 'cart', uid: '7a-5', attempt: 0 }, { name: 'app' });
    server.breakSandbox(old);
    const now = server.pod({ name: 'cart', uid: '7a-5', attempt: 1 });
    server.container(now, { name: 'app', attempt: 0 }, 2);
    server.container(now, { name: 'setup' }, 2);
    server.container(now, { name: 'soon' }, 0);
    const app = server.container(now, { name: 'app', attempt: 1 });
    const lost = server.container(now, { name: 'lost' }, 3);
    const all = await pods();
    expect(all).toHaveLength(1);
    expect(all[0]?.containers.map(({ containerId }) => containerId?.id)).toEqual([app, lost]);
  });

  it('is there while it runs, whether its sandbox is ready or not', async () => {
    const broken = server.pod({ name: 'broken', uid: 'u-1' }, { name: 'app' });
    server.breakSandbox(broken);
    server.pod({ name: 'empty', uid: 'u-2' });
    const dead = server.pod({ name: 'dead', uid: 'u-3' });
    server.container(dead, { name: 'app' }, 2);
    server.breakSandbox(dead);
    expect((await pods()).map(({ name }) => name)).toEqual(['broken', 'empty']);
  });

  it('has no limits where the runtime cannot say them', async () => {
    server.pod({ name: 'cart', uid: 'u-1', qosClass: 'BestEffort' }, { name: 'app' });
    server.troubles.set('ContainerStatus', { code: status.UNKNOWN });
    server.troubles.set('PodSandboxStatus', { code: status.UNKNOWN });
    const [pod] = await pods();
    expect(amounts(pod)).toEqual({ limits: {}, requests: {} });
    expect(pod?.hostNetwork).toBe(false);
  });

  it('is left out alone where what the runtime says of it cannot be', async () => {
    const id = server.pod({ name: 'odd', uid: '../..' }, { name: 'app' });
    server.pod({ name: 'cart', uid: 'u-1' });
    const read = await source().list(never);
    expect(read.pods.map(({ name }) => name)).toEqual(['cart']);
    expect(read.warnings[0]).toMatchObject({
      code: 'pod-left-out',
      message: `the container runtime at ${server.socket}: the sandbox ${id} was left out, since a UID cannot contain a slash or a control character`,
    });
  });
});

describe('what a runtime cannot know', () => {
  it.each([
    ['a pod that a kubelet made', { annotations: OF_KUBELET }, true],
    ['a pod of the system', { namespace: 'kube-system' }, true],
    ['a pod that somebody else made', {}, undefined],
    ['a static pod, which is critical anyway', { annotations: OF_FILE }, undefined],
  ] as const)('%s may be critical or not', async (_who, wish, mayBeCritical) => {
    server.pod({ name: 'cart', uid: 'u-1', ...wish });
    expect((await pods())[0]?.mayBeCritical).toBe(mayBeCritical);
  });

  it('is told once, in the same words for any number of pods', async () => {
    const feed = source();
    expect((await feed.list(never)).warnings).toEqual([]);
    server.pod({ name: 'till', uid: 'u-1', qosClass: 'Guaranteed' }, { name: 'app' });
    const name = `the container runtime at ${server.socket}`;
    const priority = `${name} knows no priorities and no controllers: pods that it alone tells of rank with priority 0, and those that a kubelet made or that are in kube-system are not evicted, since they may be critical`;
    const requests = `${name} knows no memory requests: those of pods that it alone tells of count as 0, unless they are Guaranteed; a kubelet, the API server or a file as pods.source knows them`;
    expect((await feed.list(never)).warnings.map(({ message }) => message)).toEqual([priority]);
    for (const uid of ['u-2', 'u-3']) {
      server.pod({ name: 'cart', uid, qosClass: 'Burstable' }, { name: 'app' });
      expect((await feed.list(never)).warnings.map(({ message }) => message)).toEqual([priority, requests]);
    }
  });
});

describe('manifests together with a runtime', () => {
  it('a manifest has its spec, and its UID, class and IDs from what runs by its name', async () => {
    const sandbox = server.pod({
      ...{ name: 'etcd-n1', namespace: 'kube-system', uid: 'f00d', annotations: OF_FILE },
      qosClass: 'Burstable',
    });
    const id = server.container(sandbox, { name: 'etcd', memoryLimitBytes: MIB });
    const manifest = { ...staticPod('etcd-n1', 'etcd', 'side'), nodeName: 'n1' };
    const all = await source(manifest).list(never);
    expect(all.pods).toEqual([
      {
        ...manifest,
        ...{ uid: 'f00d', cgroupUid: 'f00d', phase: 'Running', reportedQosClass: 'Burstable' },
        containers: [
          { ...manifest.containers[0], containerId: { runtime: 'containerd', id }, terminated: false },
          manifest.containers[1],
        ],
      },
    ]);
    expect(all.warnings).toEqual([]);
  });

  it('finds it by the UID that the manifest states, whatever its name', async () => {
    server.pod({ name: 'api-n1', uid: 'stated' }, { name: 'api' });
    const manifest = { ...staticPod('api', 'api'), uid: 'stated', cgroupUid: 'stated' };
    expect(await pods(manifest)).toMatchObject([{ name: 'api-n1', uid: 'stated', priority: 5 }]);
    const another = { ...manifest, uid: 'other', cgroupUid: 'other' };
    expect(await pods(another)).toMatchObject([another, { name: 'api-n1', uid: 'stated' }]);
  });

  it('finds those of a node without name by how their names begin and what is in them', async () => {
    for (const [name, container] of [
      ['etcd-n1', 'etcd'],
      ['etcd-events-n1', 'etcd'],
      ['etcd-other-n1', 'stranger'],
    ] as const)
      server.pod(
        { name, namespace: 'kube-system', uid: `u-${name}`, annotations: OF_FILE },
        { name: container },
      );
    const all = await pods(staticPod('etcd', 'etcd'), staticPod('etcd-events', 'etcd'));
    expect(all.map(({ name, priority, uid }) => [name, priority, uid])).toEqual([
      ['etcd-events-n1', 5, 'u-etcd-events-n1'],
      ['etcd-n1', 5, 'u-etcd-n1'],
      ['etcd-other-n1', undefined, 'u-etcd-other-n1'],
    ]);
  });

  it('an init container that does not run is through', async () => {
    const spec = { initContainers: [{ name: 'setup' }], containers: [{ name: 'app' }] };
    const manifest = podOf({ name: 'web', metadata: { namespace: 'shop' }, spec });
    server.pod({ name: 'web', uid: 'u-1' }, { name: 'app' });
    expect((await pods(manifest))[0]?.containers.map(({ terminated }) => terminated)).toEqual([true, false]);
  });

  it('one that does not run stays as it is, and of two that run the other one is from the runtime', async () => {
    server.pod({ name: 'web', uid: 'u-1' });
    server.pod({ name: 'web', uid: 'u-2' });
    const all = await pods(podOf({ name: 'web', metadata: { namespace: 'shop' } }), staticPod('idle', 'a'));
    expect(all.map(({ name, uid }) => `${name} ${String(uid)}`)).toEqual([
      'idle undefined',
      'web u-1',
      'web u-2',
    ]);
  });

  it('that cannot be read are told, and what runs is known all the same', async () => {
    server.pod({ name: 'etcd-n1', uid: 'f00d', annotations: OF_FILE }, { name: 'etcd' });
    const manifests = (): PodsRead => {
      throw new Failure(EXIT.noInput, 'there is no such folder');
    };
    const read = await criPods({ client, manifests, everyMs: 20, clock }).list(never);
    expect(read.pods).toMatchObject([{ name: 'etcd-n1', isStatic: true }]);
    expect(read.warnings[0]).toMatchObject({
      code: 'manifests-not-read',
      message: 'there is no such folder',
    });
  });
});

describe('looking again', () => {
  it('gives the very same list where nothing has changed, and asks for nothing but the lists', async () => {
    server.pod({ name: 'cart', uid: 'u-1', qosClass: 'Burstable' }, { name: 'app' });
    const feed = source();
    const first = await feed.list(never);
    server.asked.splice(0);
    expect(await feed.list(never)).toBe(first);
    expect(server.asked.toSorted()).toEqual(['ListContainers', 'ListPodSandbox']);
  });

  it('asks for what is new only', async () => {
    const pod = server.pod({ name: 'cart', uid: 'u-1' }, { name: 'app' });
    const feed = source();
    await feed.list(never);
    server.asked.splice(0);
    const side = server.container(pod, { name: 'side' });
    await feed.list(never);
    expect(server.asked.filter((call) => !call.startsWith('List'))).toEqual([`ContainerStatus ${side}`]);
  });

  it('sees a limit that was changed after a minute, a few containers at a time', async () => {
    const pod = server.pod({ name: 'cart', uid: 'u-1' });
    const ids = Array.from({ length: 6 }, (_, at) =>
      server.container(pod, { name: `c${at}`, memoryLimitBytes: MIB }),
    );
    const feed = source();
    await feed.list(never);
    for (const id of ids) server.resize(id, 2 * MIB);
    const doubled = async (): Promise<number> => {
      const [read] = (await feed.list(never)).pods;
      return (read?.containers ?? []).filter(({ limits }) => limits.get('memory')?.unscaled === 2_097_152n)
        .length;
    };
    nowMs = 59_999;
    expect(await doubled()).toBe(0);
    nowMs = 60_000;
    expect(await doubled()).toBe(4);
    expect(await doubled()).toBe(6);
  });

  it('leaves out what has gone between two questions', async () => {
    const pod = server.pod({ name: 'cart', uid: 'u-1' }, { name: 'app' });
    server.troubles.set('ContainerStatus', { code: status.NOT_FOUND });
    expect((await pods())[0]?.containers).toEqual([]);
    server.troubles.set('PodSandboxStatus', { code: status.NOT_FOUND });
    expect(await pods()).toEqual([]);
    expect(pod).not.toBe('');
  });

  it('learns what it can of a runtime that stops in the middle, and then the rest', async () => {
    server.pod({ name: 'cart', uid: 'u-1' }, { name: 'app' });
    const feed = source();
    server.troubles.set('ContainerStatus', { code: status.UNAVAILABLE });
    await expect(feed.list(never)).rejects.toMatchObject({ status: 69 });
    server.troubles.clear();
    server.asked.splice(0);
    expect((await feed.list(never)).pods).toHaveLength(1);
    expect(server.asked.filter((call) => call.startsWith('PodSandboxStatus'))).toEqual([]);
  });
});

describe('following', () => {
  it('tells what appears and disappears, a lack while the runtime is away, and the list when it is back', async () => {
    const news: PodNews[] = [];
    const end = new AbortController();
    const feed = source();
    expect(feed.name).toBe(`cri:${server.socket}`);
    const following = feed.follow((one) => news.push(one), end.signal);
    const last = (): string => {
      const one = news.at(-1);
      if (one === undefined) return 'nothing';
      return one.kind === 'lack' ? 'lack' : one.read.pods.map(({ name }) => name).join();
    };
    const told = async (what: string): Promise<void> => {
      await expect.poll(last, { timeout: 20_000 }).toBe(what);
    };
    await told('');
    const cart = server.pod({ name: 'cart', uid: 'u-1' });
    await told('cart');
    server.pod({ name: 'web', uid: 'u-2' });
    await told('cart,web');
    server.stop();
    await told('lack');
    server.forget(cart);
    await server.start();
    await told('web');
    server.stop();
    await told('lack');
    await server.start();
    await told('web');
    end.abort();
    await following;
    // A runtime that goes may be told twice: as one that breaks off, and as one whose socket is gone.
    const turns = news.map(({ kind }) => kind).filter((kind, index, all) => kind !== all[index - 1]);
    expect(turns).toEqual(['pods', 'lack', 'pods', 'lack', 'pods']);
  });
});

function amounts(pod: Pod | undefined): object {
  const [container] = pod?.containers ?? [];
  const texts = (all: Pod['overhead'] | undefined): object =>
    Object.fromEntries([...(all ?? [])].map(([name, amount]) => [name, formatQuantity(amount)]));
  return { limits: texts(container?.limits), requests: texts(container?.requests) };
}
