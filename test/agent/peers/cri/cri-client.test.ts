import { chmodSync, writeFileSync } from 'node:fs';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../agent/observe/system-clock.ts';
import { type CriClient, criClient } from '../../../../agent/peers/cri/cri-client.ts';
import { FakeCriServer, muteSocket, type Trouble } from '../../../fakes/cri-server.ts';

const never = new AbortController().signal;

let server: FakeCriServer;
let client: CriClient;

function clientOf(socket: string, deadlineMs = 60_000): CriClient {
  return criClient({ socket, access: { deadlineMs }, clock: systemClock });
}

beforeEach(async () => {
  server = await FakeCriServer.started();
  client = clientOf(server.socket);
});

afterEach(() => {
  client.close();
  server.remove();
});

describe('a client of a container runtime', () => {
  it('has the version, the sandboxes and the containers as they are on the wire', async () => {
    const annotations = { 'kubernetes.io/config.source': 'api' };
    const id = server.pod({ name: 'cart', uid: 'u-1', attempt: 2, labels: { app: 'cart' }, annotations });
    const container = server.container(id, { name: 'app', attempt: 3, annotations: { a: 'b' } });
    expect(await client.version(never)).toEqual({ name: 'containerd', version: '1.6.20' });
    expect(await client.sandboxes(never)).toEqual([
      {
        id,
        namespace: 'shop',
        name: 'cart',
        uid: 'u-1',
        attempt: 2,
        isReady: true,
        createdAtNs: 1n,
        labels: new Map([['app', 'cart']]),
        annotations: new Map([['kubernetes.io/config.source', 'api']]),
      },
    ]);
    expect(await client.containers(never)).toEqual([
      {
        id: container,
        sandboxId: id,
        name: 'app',
        attempt: 3,
        state: 'running',
        createdAtNs: 2n,
        annotations: new Map([['a', 'b']]),
      },
    ]);
  });

  it('knows a pod without labels by the metadata of its sandbox', async () => {
    server.pod({ name: 'bare', namespace: 'lab', uid: 'u-2', isUnlabelled: true });
    const [sandbox] = await client.sandboxes(never);
    expect(sandbox).toMatchObject({ namespace: 'lab', name: 'bare', uid: 'u-2', labels: new Map() });
  });

  it.each(['status', 'specification'] as const)('reads limits where they are in the %s', async (place) => {
    server.limitsIn = place;
    const pod = server.pod({ name: 'cart' });
    const limited = server.container(pod, { name: 'a', memoryLimitBytes: 64 << 20, cpuQuota: 25_001 });
    const free = server.container(pod, { name: 'b' });
    expect(await client.containerDetail(limited, never)).toEqual({
      memoryLimitBytes: 67_108_864n,
      cpuLimitMilli: 251n,
    });
    expect(await client.containerDetail(free, never)).toEqual({});
  });

  it.each([
    ['systemd', 'kubepods-burstable-podu_1.slice'],
    ['cgroupfs', '/kubepods/burstable/podu-1'],
  ] as const)('reads the cgroup of a pod under %s', async (driver, cgroupParent) => {
    server.driver = driver;
    const id = server.pod({ name: 'cart', uid: 'u-1', qosClass: 'Burstable', hostNetwork: true });
    expect(await client.sandboxDetail(id, never)).toEqual({ cgroupParent, isOnHostNetwork: true });
  });

  it('says of what is gone that it is, and of what the runtime cannot say that it is unknown', async () => {
    expect(await client.sandboxDetail('x', never)).toBe('gone');
    server.troubles.set('ContainerStatus', { code: status.UNKNOWN, details: 'secret' });
    expect(await client.containerDetail('x', never)).toBe('unknown');
  });

  it('stops, ends and removes by ID, and takes what is gone for done', async () => {
    const pod = server.pod({ name: 'cart' }, { name: 'app' });
    const container = (await client.containers(never))[0]?.id ?? '';
    await client.stopContainer(container, 7, never);
    await client.stopSandbox(pod, never);
    await client.removeSandbox(pod, never);
    expect(server.asked.slice(1)).toEqual([
      `StopContainer ${container} 7`,
      `StopPodSandbox ${pod}`,
      `RemovePodSandbox ${pod}`,
    ]);
    expect(server.sandboxIds).toEqual([]);
    await client.stopContainer(container, 0, never);
  });

  it('reads an answer about thousands of containers', async () => {
    const pod = server.pod({ name: 'cart' });
    const annotations = { padding: 'x'.repeat(2000) };
    for (let count = 0; count < 4000; count += 1) server.container(pod, { name: `c${count}`, annotations });
    expect(await client.containers(never)).toHaveLength(4000);
  });
});

describe('a runtime that does not answer as it should', () => {
  const failures: readonly (readonly [string, Trouble, number, string])[] = [
    [
      'an older one',
      { code: status.UNIMPLEMENTED, details: 'unknown service runtime.v1.RuntimeService' },
      69,
      'does not offer CRI runtime.v1: its CRI part is off, or it is older than containerd 1.6; turn it on or update it',
    ],
    [
      'one that does not let nodeqos ask',
      { code: status.PERMISSION_DENIED, details: 'secret' },
      77,
      'does not allow nodeqos to call ListPodSandbox; ask whoever set up its permissions',
    ],
    [
      'one whose answer is too large',
      { code: status.RESOURCE_EXHAUSTED, details: 'secret' },
      69,
      'did not answer ListPodSandbox in 16 MiB; remove dead containers from it',
    ],
    [
      'one that fails',
      { code: status.INTERNAL, details: 'secret' },
      69,
      'answered ListPodSandbox with an error of its own; its log says which',
    ],
    [
      'one that finds nothing where there is always something',
      { code: status.NOT_FOUND, details: 'secret' },
      69,
      'answered ListPodSandbox with an error of its own; its log says which',
    ],
  ];
  it.each(failures)('%s is told in one sentence', async (_who, trouble, exit, why) => {
    server.troubles.set('ListPodSandbox', trouble);
    await expect(client.sandboxes(never)).rejects.toMatchObject({
      name: 'Failure',
      status: exit,
      message: `the container runtime at ${server.socket} ${why}`,
    });
  });

  it('one that hangs is given up at the deadline, and asked anew after that', async () => {
    const hasty = clientOf(server.socket, 50);
    server.troubles.set('ListPodSandbox', 'hang');
    await expect(hasty.sandboxes(never)).rejects.toMatchObject({
      status: 69,
      message: `the container runtime at ${server.socket} did not answer ListPodSandbox within 0.05 s; if it is only slow, raise runtime.deadline`,
    });
    hasty.close();
    server.troubles.clear();
    expect(await client.sandboxes(never)).toEqual([]);
  });

  it('a call that hangs costs no other one its answer', async () => {
    const hasty = clientOf(server.socket, 200);
    const pod = server.pod({ name: 'cart' }, { name: 'app' });
    const id = (await hasty.containers(never))[0]?.id ?? '';
    server.troubles.set('StopContainer', 'wait').set('ListPodSandbox', 'hang');
    const stopped = hasty.stopContainer(id, 60, never);
    await expect(hasty.sandboxes(never)).rejects.toMatchObject({ status: 69 });
    hasty.close();
    server.answer();
    await stopped;
    expect(server.running).toEqual([]);
    expect(server.sandboxIds).toEqual([pod]);
  });

  it('a stop may take its grace and the deadline', async () => {
    const hasty = clientOf(server.socket, 50);
    server.troubles.set('StopContainer', 'hang');
    await expect(hasty.stopContainer('x', 0.1, never)).rejects.toMatchObject({
      message: expect.stringContaining('within 0.15 s') as string,
    });
    hasty.close();
  });

  it('one that says no word at all is given up too', async () => {
    const path = `${server.folder}/mute.sock`;
    const mute = await muteSocket(path);
    const hasty = clientOf(path, 50);
    await expect(hasty.version(never)).rejects.toMatchObject({ status: 69 });
    hasty.close();
    mute.close();
  });

  it('a call that nobody waits for any more ends', async () => {
    server.troubles.set('ListPodSandbox', 'hang');
    const over = new AbortController();
    const asked = client.sandboxes(over.signal);
    over.abort();
    await expect(asked).rejects.toMatchObject({ status: 69 });
    await expect(client.version(over.signal)).rejects.toMatchObject({ status: 69 });
  });
});

describe("a runtime's socket that leads nowhere", () => {
  const named = 'name its socket in runtime.endpoint of nodeqos.yaml or after cri:';
  const cases: readonly (readonly [string, (path: string) => void, number, (path: string) => string])[] = [
    [
      'is not there',
      () => undefined,
      69,
      (path) => `there is no socket of a container runtime at ${path}; start the runtime, or ${named}`,
    ],
    [
      'is a file',
      (path) => {
        writeFileSync(path, '');
      },
      69,
      (path) => `${path} is not a socket; ${named}`,
    ],
  ];
  it.each(cases)('%s', async (_how, make, exit, sentence) => {
    const path = `${server.folder}/other.sock`;
    make(path);
    const other = clientOf(`unix://${path}`);
    await expect(other.version(never)).rejects.toMatchObject({ status: exit, message: sentence(path) });
  });

  it('has nobody behind it', async () => {
    const { socket } = server;
    server.stop();
    writeFileSync(`${server.folder}/kept`, '');
    const mute = await muteSocket(socket);
    mute.close();
    await expect(client.version(never)).rejects.toMatchObject({ status: 69 });
  });

  it.skipIf(process.getuid?.() === 0)('may not be used', async () => {
    chmodSync(server.socket, 0);
    await expect(client.version(never)).rejects.toMatchObject({
      status: 77,
      message: `the container runtime's socket ${server.socket} may not be used by this user; run nodeqos as root, or give its user the group of the socket`,
    });
  });

  it('is found again as soon as the runtime is back', async () => {
    expect(await client.sandboxes(never)).toEqual([]);
    for (let round = 0; round < 3; round += 1) {
      server.stop();
      await expect(client.sandboxes(never)).rejects.toMatchObject({ status: 69 });
      await server.start();
      expect(await client.sandboxes(never)).toEqual([]);
    }
  });
});
