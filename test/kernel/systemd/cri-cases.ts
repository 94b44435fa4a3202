import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { MIB, MOUNT, readCgroup, until } from '../guest/machine.ts';
import type { KernelCase, Notes } from '../guest/result.ts';
import { populated, Shortage } from '../guest/shortage.ts';
import { systemctl } from './commands.ts';
import { type CriNode, onCri, shimsOf } from './cri-node.ts';
import { takenBack } from './taken-back.ts';

const LIMIT_MIB = 64;
const RAISED_MIB = 96;
/** 0.9 of the limit, since the request is not known, in whole pages. */
const HIGH = String(Math.floor((0.9 * LIMIT_MIB * MIB) / 4096) * 4096);

interface Plan {
  readonly entries: readonly Readonly<Record<string, unknown>>[];
}

/** The runtime alone says what runs, and that is enough to plan and to throttle. */
async function governed(node: CriNode, notes: Notes): Promise<void> {
  const cart = await node.make({ name: 'cart', class: 'Burstable', graceSeconds: 45 }, LIMIT_MIB);
  const { entries } = await node.document<Plan>('plan');
  assert.deepEqual(
    entries
      .filter(({ level, file }) => level === 'container' && file === 'memory.high')
      .map(({ namespace, pod, uid, container, qosClass, cgroup, desired }) => [
        ...[namespace, pod, uid, container],
        ...[qosClass, cgroup, desired],
      ]),
    [['shop', 'cart', cart.pod.uid, 'app', 'Burstable', cart.pod.container, HIGH]],
  );

  node.configure({ eviction: { enabled: false }, memoryQos: { writer: 'cgroupfs' } });
  const agent = await node.startAgent('--enforce');
  await until(() => readCgroup(cart.pod.container, 'memory.high') === HIGH, 'the container is throttled');
  await agent.state(({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
  const { pod } = cart;
  const places = await takenBack({ node, pod, agent, wanted: node.limits(pod) }, async () => {
    const linux = { memory_limit_in_bytes: RAISED_MIB * MIB };
    await node.runtime.call('UpdateContainerResources', { container_id: cart.containerId, linux });
  });
  notes(`an update through CRI took back ${places.size} values`);
  assert.deepEqual([...places], [`${pod.container}/memory.high`]);
  assert.equal(readCgroup(pod.container, 'memory.max'), String(RAISED_MIB * MIB), 'what the runtime set');

  await systemctl('stop', 'containerd.service');
  await agent.state(
    ({ troubles }) => troubles.join().includes('containerd.sock'),
    'a word about the runtime',
  );
  assert.equal(readCgroup(pod.container, 'memory.high'), HIGH, 'what was governed still is');
  await systemctl('start', 'containerd.service');
  await node.answers();
  const web = await node.make({ name: 'web', class: 'Burstable' }, LIMIT_MIB);
  await until(() => readCgroup(web.pod.container, 'memory.high') === HIGH, 'the new pod is governed');
}

async function evicted(node: CriNode, notes: Notes): Promise<void> {
  const cart = await node.make({ name: 'cart', class: 'Burstable' }, LIMIT_MIB);
  const batch = await node.make({ name: 'batch', class: 'BestEffort' });
  await cart.process.grow(24);
  await batch.process.grow(48);
  const shortage = await Shortage.near(node);
  batch.process.order(Math.max(await shortage.missingMib(), 1));
  const [evicting] = await shortage.agent.recorded('evicting');
  assert.equal(evicting?.['name'], 'batch');
  const { evictor, tookMs } = await shortage.gone();
  assert.equal(evictor, 'cri');
  notes(`a pod of the runtime was gone after ${Math.round(Number(tookMs))} ms`);
  assert.deepEqual(await node.sandboxes(), [cart.sandboxId], 'the runtime has forgotten it');
  await until(() => shimsOf(batch.sandboxId).length === 0, 'its shim has ended');
  assert.equal(shimsOf(cart.sandboxId).length, 1, 'the shim of its neighbour');
  await until(() => below(batch.pod.cgroup).length === 0, 'its scopes are gone');
  assert.equal(populated(batch.pod), false);
  assert.ok(existsSync(`${MOUNT}/${batch.pod.cgroup}`), 'its slice is for its owner to stop');
  await shortage.onlyOne();
  assert.equal(populated(cart.pod), true, 'its neighbour died');
}

/** The cgroups in one. */
function below(cgroup: string): readonly string[] {
  const entries = readdirSync(`${MOUNT}/${cgroup}`, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

export const CRI_CASES: readonly KernelCase[] = [
  {
    name: 'a pod made through CRI is seen, planned and throttled, also after an update through CRI and while containerd is away',
    run: (notes) => onCri((node) => governed(node, notes)),
  },
  {
    name: 'a pod made through CRI is evicted through it under a threshold, and no sandbox, shim or container of it is left',
    run: (notes) => onCri((node) => evicted(node, notes)),
  },
];
