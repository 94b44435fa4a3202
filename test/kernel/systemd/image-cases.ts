import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { MIB, readCgroup, until } from '../guest/machine.ts';
import type { KernelCase, Notes } from '../guest/result.ts';
import type { AuditRecord } from '../guest/running-agent.ts';
import { availableMib, populated } from '../guest/shortage.ts';
import { run, succeed } from './commands.ts';
import { type ContainerNode, type ContainerPod, hasImage, onContainerd } from './container-node.ts';
import { PAUSE } from './cri-node.ts';
import { CriRuntime } from './cri-runtime.ts';
import { configureImage, ImageContainer } from './image-agent.ts';

const KUBELET = '/var/lib/kubelet/config.yaml';
const STATE = '/var/lib/nodeqos';
const MOUNTS = ['--cgroup-root=/host/sys/fs/cgroup', '--kubelet-config=/host/var/lib/kubelet/config.yaml'];
/** How much is left above the threshold before a pod takes more, and how far below it goes then. */
const ROOM_MIB = 80;
const BELOW_MIB = 32;

function records(kind: string): readonly AuditRecord[] {
  const lines = readFileSync(`${STATE}/audit.jsonl`, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as AuditRecord).filter((record) => record.kind === kind);
}

async function timed<T>(what: string, notes: Notes, work: Promise<T>): Promise<T> {
  const startMs = performance.now();
  const done = await work;
  notes(`${what} took ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
  return done;
}

/** Gives containerd the image that lies beside the cases. */
async function importImage(): Promise<void> {
  const archive = readdirSync('/app').find((file) => file.endsWith('.oci.tar')) ?? 'no image';
  await succeed('ctr', '-n', 'k8s.io', 'images', 'import', '--snapshotter', 'native', `/app/${archive}`);
}

async function removeImage(): Promise<void> {
  const images = (await succeed('ctr', '-n', 'k8s.io', 'images', 'list', '--quiet')).split('\n');
  const its = images.filter((name) => name.includes('nodeqos'));
  await run('ctr', '-n', 'k8s.io', 'images', 'remove', '--sync', ...its);
}

function configureKubelet(): void {
  mkdirSync('/var/lib/kubelet', { recursive: true });
  const head = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
  const qos = { memoryThrottlingFactor: 0.9, memoryReservationPolicy: 'TieredReservation' };
  const settings = { ...head, ...qos, cgroupDriver: 'systemd', featureGates: { MemoryQoS: true } };
  writeFileSync(KUBELET, JSON.stringify(settings), { mode: 0o600 });
}

/** The node of a case, with the agent in a container on it. */
interface Deployed {
  readonly node: ContainerNode;
  readonly runtime: CriRuntime;
  readonly pods: object;
  readonly cart: ContainerPod;
  readonly batch: ContainerPod;
  readonly agent: ImageContainer;
}

async function asDaemonSet(node: ContainerNode, notes: Notes): Promise<void> {
  await hasImage(...PAUSE);
  configureKubelet();
  const cart = await node.run({ name: 'cart', class: 'Burstable', request: '32Mi', limit: '64Mi' }, 64);
  const batch = await node.run({ name: 'batch', class: 'BestEffort' });
  const pods = { source: `file:${node.folder}/pods.json` };
  configureImage('enforce', { pods });
  const runtime = new CriRuntime();
  const made: ImageContainer[] = [];
  try {
    await timed('the import of the image', notes, importImage());
    const start = ImageContainer.started(runtime, 'enforce', { index: 9, more: node.folder });
    const agent = await timed('the start of its container', notes, start);
    made.push(agent);
    node.list(agent.pod);
    const deployed = { node, runtime, pods, cart, batch, agent };
    await writesLimits(deployed);
    await evicts(deployed);
    await putsBack(deployed, made, notes);
  } finally {
    for (const container of made) await container.remove();
    runtime.close();
    await removeImage();
    for (const path of [KUBELET, STATE]) rmSync(path, { recursive: true, force: true });
  }
}

const HIGH = Math.floor((32 * MIB + 0.9 * (64 - 32) * MIB) / 4096) * 4096;

async function writesLimits({ node, cart, agent }: Deployed): Promise<void> {
  await agent.state(
    ({ memoryQos, agent: { psiTrigger } }) => memoryQos?.write === 0 && psiTrigger === true,
    'all limits are written, and pressure wakes it',
  );
  const failed = records('write').filter(({ outcome }) => outcome !== 'written');
  assert.deepEqual(failed, [], 'no write failed, also not in the container of the agent itself');
  const { pod } = cart;
  assert.equal(readCgroup(pod.container, 'memory.high'), String(HIGH));
  assert.equal(readCgroup(pod.cgroup, 'memory.low'), String(32 * MIB));
  assert.equal(readCgroup(agent.pod.cgroup, 'memory.low'), String(256 * MIB));
  assert.equal(readCgroup(agent.pod.container, 'memory.low'), '0', 'what no one may write from inside');
  assert.equal(readCgroup(node.kubepods, 'memory.min'), String((32 + 256) * MIB));
  assert.equal(await agent.answer('/healthz'), 'ok\n');
  assert.equal(await agent.answer('/readyz'), 'ok\n');
  const plan = JSON.parse(await agent.exec('plan', ...MOUNTS, '-o', 'json')) as {
    readonly node: object;
    readonly warnings: readonly { readonly code: string; readonly cgroup: string | null }[];
  };
  assert.deepEqual({ memoryRecursiveProt: true, ...plan.node }, plan.node, 'the mount of the host is seen');
  const left = plan.warnings.filter(({ code }) => code === 'own-container-left-out');
  assert.deepEqual(
    left.map(({ cgroup }) => cgroup),
    [agent.pod.container],
  );
}

async function evicts({ pods, cart, batch, agent }: Deployed): Promise<void> {
  const { signals } = await agent.state(() => true, 'a state');
  const observed = signals.map(({ signal }) => signal).sort();
  assert.deepEqual(observed, ['memory.available', 'nodefs.available', 'nodefs.inodesFree', 'pid.available']);
  const mib = Math.floor(availableMib() - ROOM_MIB);
  const thresholds = { hard: { 'memory.available': `${mib}Mi` } };
  const eviction = { thresholds, evictor: 'cgroup', pressureTransitionPeriod: '0s' };
  configureImage('enforce', { pods, eviction });
  await until(() => records('reload').length > 0, 'the agent goes by the changed configuration');
  batch.container.order(Math.ceil(availableMib() - mib) + BELOW_MIB);
  await until(() => records('eviction').length > 0, 'an eviction');
  const [first] = records('eviction');
  assert.deepEqual([first?.['name'], first?.['outcome']], ['batch', 'gone'], JSON.stringify(first));
  assert.deepEqual([populated(batch.pod), populated(cart.pod)], [false, true]);
}

async function putsBack(
  { node, runtime, cart, agent }: Deployed,
  made: ImageContainer[],
  notes: Notes,
): Promise<void> {
  const held = node.limits(cart.pod);
  assert.equal(await timed('the end of the agent', notes, agent.stop()), 0, agent.said);
  assert.deepEqual(node.limits(cart.pod), held, 'values stay while one agent follows another');
  const place = { index: 10, more: node.folder, init: true };
  const reset = await ImageContainer.started(runtime, 'reset', place);
  made.push(reset);
  assert.equal(await timed('reset', notes, reset.ended()), 0, reset.said);
  assert.deepEqual(node.limits(cart.pod), {}, 'everything reads as before');
}

export const IMAGE_CASES: readonly KernelCase[] = [
  {
    name: 'image: run as its DaemonSet says the agent writes limits on the host, evicts, and all is put back in the end',
    run: (notes) => onContainerd((node) => asDaemonSet(node, notes)),
  },
];
