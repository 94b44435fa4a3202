import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { MIB, MOUNT, readCgroup, sleep, until } from '../guest/machine.ts';
import type { KernelCase, Notes } from '../guest/result.ts';
import { populated, Shortage } from '../guest/shortage.ts';
import { systemctl } from './commands.ts';
import { type ContainerNode, onContainerd } from './container-node.ts';
import { held, ONE_LOOK_MS, takenBack } from './taken-back.ts';
import { unitOf } from './unit-node.ts';

const LIMIT_MIB = 64;
const RAISED_MIB = 96;

/** An update sets all that the runtime knows of the unit, and memory.high is not of that. */
async function taken(node: ContainerNode, notes: Notes): Promise<void> {
  const wish = { name: 'cart', class: 'Burstable', request: '32Mi', limit: `${LIMIT_MIB}Mi` } as const;
  const { pod, container } = await node.run(wish, LIMIT_MIB);
  assert.equal(readCgroup(pod.container, 'memory.max'), String(LIMIT_MIB * MIB));
  const one = await held(node, pod);
  await systemctl('restart', 'containerd.service');
  await comesAndGoes(node);
  assert.deepEqual(one.agent.records('drift'), [], 'nobody is to know of a unit what he would write again');
  const places = await takenBack(one, async () => {
    await container.update(RAISED_MIB);
  });
  notes(`an update by the runtime took back ${places.size} values of the container`);
  assert.ok(places.has(`${pod.container}/memory.high`));
  for (const place of places) assert.ok(place.startsWith(`${pod.container}/memory.`), place);
  assert.equal(readCgroup(pod.container, 'memory.max'), String(RAISED_MIB * MIB), 'what the runtime set');
  assert.equal(await container.status(), 'RUNNING');
}

async function comesAndGoes(node: ContainerNode): Promise<void> {
  const { pod, container } = await node.run({ name: 'batch', class: 'BestEffort' });
  await until(() => readCgroup(pod.container, 'memory.high') !== 'max', 'the new pod is governed');
  await container.remove();
  await systemctl('stop', unitOf(pod.cgroup));
  node.forget(pod);
  await sleep(ONE_LOOK_MS);
}

async function evicted(node: ContainerNode, notes: Notes): Promise<void> {
  const cart = await node.run({ name: 'cart', class: 'Burstable', request: '64Mi' });
  const batch = await node.run({ name: 'batch', class: 'BestEffort' });
  await cart.container.grow(32);
  await batch.container.grow(16);
  const shortage = await Shortage.near(node, { eviction: { evictor: 'cgroup' } });
  batch.container.order(Math.max(await shortage.missingMib(), 1));
  const [evicting] = await shortage.agent.recorded('evicting');
  assert.equal(evicting?.['name'], 'batch');
  const { evictor, tookMs } = await shortage.gone();
  assert.equal(evictor, 'cgroup');
  assert.equal(populated(batch.pod), false);
  await until(() => !existsSync(`${MOUNT}/${batch.pod.container}`), 'systemd has taken its scope away');
  assert.equal(await batch.container.status(), 'STOPPED');
  await shortage.onlyOne();
  assert.equal(populated(cart.pod), true, 'its neighbour died');
  assert.equal(await cart.container.status(), 'RUNNING');
  notes(`a container of containerd was gone after ${Math.round(Number(tookMs))} ms`);
}

export const CONTAINERD_CASES: readonly KernelCase[] = [
  {
    name: 'an update by the runtime takes limits of its container back, which are written again; nothing else that it does',
    run: (notes) => onContainerd((node) => taken(node, notes)),
  },
  {
    name: 'a pod under containerd is evicted by its cgroup, the runtime has it as stopped, and no second one dies',
    run: (notes) => onContainerd((node) => evicted(node, notes)),
  },
];
